"""The loop on its log: every step is written before the next, and a run that was cut goes on."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from living import Canned, says

from foldpoint.agent.dialects import dialect_of
from foldpoint.agent.errors import AskError
from foldpoint.agent.ports import Answer, Outcome, Row, Tool, ToolSpec
from foldpoint.agent.prompt import POLICY, Prompt, within
from foldpoint.agent.recall import Recall
from foldpoint.agent.runtime import INTERRUPTED, Ended, Runtime, TurnsUsedUp
from foldpoint.agent.text_mode import TextMode
from foldpoint.agent.text_mode_calls import BrokenCall
from foldpoint.core.policy import Policy, StaleOutput, Trajectory
from foldpoint.stores import Conversations, StoreError, open_log

LIMIT = 100_000
"""Bytes that no prompt of the defaults passes here, however long the log is; 77,628 were measured."""


class Noted:
    """A tool that notes its calls, and gives what it is told to."""

    repeatable = False

    def __init__(self, name: str = "note", gives: Callable[[], str] = lambda: "noted") -> None:
        self.spec = ToolSpec(name, "Notes.", {"type": "object", "properties": {"n": {"type": "integer"}}})
        self.calls: list[Mapping[str, Any]] = []
        self._gives = gives

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Note the call."""
        self.calls.append(arguments)
        return Outcome(self._gives())


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Conversations]:
    """An empty log."""
    with closing(open_log("sqlite:///log.db", tmp_path)) as log:
        yield log


def runtime(log: Conversations, asker: Canned, *tools: Tool, prompt: Prompt | None = None, **more: Any) -> Runtime:
    """A runtime that waits for nobody."""

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    pauses: list[float] = more.pop("pauses", [])
    prompt = prompt or Prompt(dialect_of("anthropic", "m"))
    return Runtime("it", log, prompt, lambda conversation: asker, tools, sleep=sleep, **more)


def rows(log: Conversations) -> list[tuple[str, str]]:
    """Role and text of each message."""
    return [(row.role, row.content) for row in log.rows(log.current("it"))]


def test_it_works_until_an_answer_has_no_call(log: Conversations) -> None:
    """Trigger, action, result and answer stand in the log, in order; the text is said as it comes."""
    tool, said = Noted(), list[tuple[str, str]]()
    asker = Canned(says("Look.", ("a", "note", '{"n":1}'), ("b", "note", "")), says("Done."))
    agent = runtime(log, asker, tool, say=lambda kind, text: said.append((kind, text)))
    assert asyncio.run(agent.run("Begin.")) == Ended("Done.")
    assert rows(log) == [
        ("user", "Begin."), ("assistant", "Look."), ("tool", "noted"), ("tool", "noted"), ("assistant", "Done."),
    ]  # fmt: skip
    assert tool.calls == [{"n": 1}, {}]
    assert said[0] == ("text", "Look.")
    assert log.verify(log.current("it")) == 5


def test_what_is_finished_is_not_asked_again(log: Conversations) -> None:
    """Without a trigger there is nothing to do; a trigger that is in the log is not taken again."""
    asker = Canned(says("One."), says("Two."))
    agent = runtime(log, asker)
    assert asyncio.run(agent.run()) == Ended("")
    asyncio.run(agent.run("Begin.", "t1"))
    assert asyncio.run(agent.run("Begin.", "t1")) == Ended("One.")
    asyncio.run(agent.run("Go on.", "t2"))
    assert rows(log) == [("user", "Begin."), ("assistant", "One."), ("user", "Go on."), ("assistant", "Two.")]


def test_a_call_that_was_begun_is_not_made_again(log: Conversations) -> None:
    """Its result says that it was interrupted; the one behind it, which was not begun, runs; a repeatable one too."""
    conversation = log.current("it")
    log.append(conversation, Row(1, "user", "Begin."))
    asked = says("", ("a", "note", "{}"), ("b", "again", "{}"), ("c", "note", "{}"))
    log.append(conversation, Row(2, "assistant", "", asked.calls))
    log.start(conversation, 2, "0:a")
    log.start(conversation, 2, "1:b")
    note, again = Noted(), Noted("again")
    again.repeatable = True
    asyncio.run(runtime(log, Canned(says("Done.")), note, again).run())
    assert rows(log)[2:] == [("tool", INTERRUPTED), ("tool", "noted"), ("tool", "noted"), ("assistant", "Done.")]
    assert (len(note.calls), len(again.calls)) == (1, 1)


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (("a", "nothing", "{}"), "There is no tool 'nothing'. The tools are: note."),
        (("a", "note", '{"n": '), "The arguments are no JSON, the call was not made"),
        (("a", "note", '{"a":' * 1500 + "1" + "}" * 1500), "The arguments are no JSON, the call was not made"),
        (("a", "note", "[1]"), "The arguments must be a JSON object, the call was not made."),
        (("a", "broken", "{}"), "The tool broken failed: ZeroDivisionError"),
    ],
)
def test_what_the_model_can_mend_is_told_to_it(log: Conversations, call: tuple[str, str, str], begins: str) -> None:
    """As a failed result; the loop goes on."""

    class Broken(Noted):
        async def run(self, arguments: Mapping[str, Any]) -> Outcome:
            return Outcome(str(1 // 0))

    broken = Broken("broken")
    agent = runtime(log, Canned(says("", call), says("Done.")), Noted(), untold=[broken])
    assert asyncio.run(agent.run("Begin.")) == Ended("Done.")
    row = log.rows(log.current("it"))[2]
    assert (row.failed, row.content[: len(begins)]) == (True, begins)


def test_a_fault_that_passes_is_tried_again(log: Conversations) -> None:
    """After what the provider asks for, or longer each time; one that doesn't pass ends the run, and the log stands."""
    pauses = list[float]()
    faults = [AskError("busy", retryable=True, retry_after=7.0), AskError("busy", retryable=True)]
    agent = runtime(log, Canned(*faults, says("Done."), AskError("no", retryable=False)), pauses=pauses)
    assert asyncio.run(agent.run("Begin.")) == Ended("Done.")
    assert pauses == [7.0, 2.0]
    with pytest.raises(AskError, match="no"):
        asyncio.run(agent.run("More."))
    assert rows(log)[-1] == ("user", "More.")


def test_turns_are_counted(log: Conversations) -> None:
    """A run ends after so many answers; the next goes on."""
    answers = [says("", (f"c{at}", "note", "{}")) for at in range(3)]
    agent = runtime(log, Canned(*answers, says("Done.")), Noted(), max_turns=3)
    with pytest.raises(TurnsUsedUp):
        asyncio.run(agent.run("Begin."))
    assert asyncio.run(agent.run()) == Ended("Done.")


def test_a_conversation_is_run_once_at_a_time(log: Conversations, tmp_path: Path) -> None:
    """The second one hears who has it, and the log is as the first one left it."""
    with (
        closing(open_log("sqlite:///log.db", tmp_path)) as other,
        log.hold(log.current("it")),
        pytest.raises(StoreError, match="is run by process"),
    ):
        asyncio.run(runtime(other, Canned(says("Never."))).run("Begin."))
    assert rows(log) == []


def test_tools_in_plain_text(log: Conversations) -> None:
    """Calls stand in the text, results are messages of the user; a block that can't be read is answered."""
    good = 'Look.\n\n```tool\n{"name": "note", "arguments": {"n": 1}}\n```'
    asker = Canned(says(good), says('```tool\n{"name": \n```'), says("Done."))
    tool = Noted()
    prompt = Prompt(TextMode(dialect_of("openai-chat", "m")), Policy(Trajectory(mode="off")))
    agent = runtime(log, asker, tool, prompt=prompt, untold=[BrokenCall()])
    assert asyncio.run(agent.run("Begin.")) == Ended("Done.")
    sent = json.loads(asker.bodies[-1])
    assert "tools" not in sent
    assert [message["content"] for message in sent["messages"] if message["role"] == "user"][1] == (
        "Tool Output (note): noted"
    )
    assert tool.calls == [{"n": 1}]


def test_recall_reads_the_log(log: Conversations) -> None:
    """A whole result or lines of it, whatever the prompt shows."""
    text = "\n".join(f"line {number}" for number in range(1, 2_001))
    calls = [says("", ("big", "note", "{}"))]
    calls += [
        says("", ("r1", "recall", '{"id":"big","from":1999}'), ("r2", "recall", '{"id":"big","pattern":"ne 77$"}'))
    ]
    calls += [says("", ("r3", "recall", '{"id":"none"}')), says("Done.")]
    asker = Canned(*calls)
    recall = Recall(lambda: log.rows(log.current("it")))
    asyncio.run(runtime(log, asker, Noted(gives=lambda: text), recall).run("Begin."))
    said = {row.tool_call_id: row.content for row in log.rows(log.current("it")) if row.role == "tool"}
    assert said["r1"] == "line 1999\nline 2000"
    assert said["r2"].strip() == "77: line 77"
    assert said["r3"] == "There is no result of a call 'none' in this conversation."
    assert said["big"] == text
    assert b'recall(\\"big\\") returns them' in asker.bodies[1]


def test_recall_knows_the_ids_that_requests_name(log: Conversations) -> None:
    """Where a provider would not take the call's own."""
    asker = Canned(says("", ("functions.t:0", "note", "{}")), says("Done."))
    asyncio.run(runtime(log, asker, Noted(gives=lambda: "row\n" * 3_000)).run("Begin."))
    named = asker.bodies[-1].partition(b'recall(\\"')[2].partition(b'\\"')[0].decode()
    recall = Recall(lambda: log.rows(log.current("it")))
    assert named != "functions.t:0"
    assert asyncio.run(recall.run({"id": named, "to": 1})) == Outcome("row\n")
    assert asyncio.run(recall.run({"id": named, "pattern": "none"})) == Outcome("No line matches.")


def test_the_newest_action_is_always_shown() -> None:
    """With all of its results, however small the window is."""
    calls = says("", *[(f"c{at}", "note", "{}") for at in range(10)]).calls
    rows = [Row(1, "user", "Begin."), Row(2, "assistant", "Old."), Row(3, "assistant", "", calls)]
    rows += [Row(0, "tool", "ok", (), call.id) for call in calls]
    for window in (1, 2, 5, 9, 10):
        assert within(rows, window)[1:] == rows[2:]


def test_the_stale_rule_leaves_the_log_alone(log: Conversations) -> None:
    """Grid 1: of what has more than ten messages behind it more than 300 characters become the placeholder."""
    lengths = [299, 300, 301, 900, 301, 301, 301, 301, 301]
    given = iter([("x" * length) for length in lengths])
    policy = Policy(Trajectory(mode="off"), stale_tool_output=StaleOutput("prod", grid=1))
    asker = Canned(*[says("", (f"c{at}", "note", "{}")) for at in range(len(lengths))], says("Done."))
    prompt = Prompt(dialect_of("openai-chat", "m"), policy, window=0)
    asyncio.run(runtime(log, asker, Noted(gives=lambda: next(given)), prompt=prompt).run("Begin."))
    shown = [message["content"] for message in json.loads(asker.bodies[-1])["messages"] if message["role"] == "tool"]
    stale = "[long tool output stale/compacted]"
    kept = [row.content for row in log.rows(log.current("it")) if row.role == "tool"]
    assert [len(text) for text in kept] == lengths
    # 19 messages: behind the result at place n (of 2, 4, …, 18) stand 18 - n.
    behind = [18 - 2 * (at + 1) for at in range(len(lengths))]
    expected = [stale if len(text) > 300 and count > 10 else text for text, count in zip(kept, behind, strict=True)]
    assert shown == expected


def test_the_prompt_stays_bounded_over_a_thousand_messages(log: Conversations) -> None:
    """With results of 2 to 8 KB every prompt is below one bound, and the log has every byte."""
    rng, turns = random.Random("bounded"), 500
    given = [
        "\n".join(f"{rng.random()} row {rng.randrange(10**9)}" for _ in range(rng.randrange(55, 220)))
        for _ in range(turns)
    ]
    answers = [says(f"Step {at}.", (f"c{at}", "note", "{}")) for at in range(turns)]
    sizes = list[int]()

    class Sized(Canned):
        async def ask(self, body: bytes, say: Callable[[str], None]) -> Answer:
            sizes.append(len(body))
            self.bodies.clear()
            return await super().ask(body, say)

    results = iter(given)
    agent = runtime(log, Sized(*answers, says("Done.")), Noted(gives=lambda: next(results)), max_turns=turns + 1)
    assert asyncio.run(agent.run("Begin.")) == Ended("Done.")
    assert max(sizes) < LIMIT
    assert max(sizes[400:]) <= 1.05 * max(sizes[200:400])
    kept = log.rows(log.current("it"))
    assert [row.content for row in kept if row.role == "tool"] == given
    assert log.verify(log.current("it")) == 2 * turns + 2


def test_the_task_in_hand_stays_in_the_prompt(log: Conversations) -> None:
    """What the user said last is told even where so much was done for it that its message is left out."""
    told = [Row(1, "user", "First."), Row(2, "assistant", "Yes."), Row(3, "user", "Second.")]
    for turn in range(60):
        told += [Row(0, "assistant", "", says("", (f"{turn}", "note", "{}")).calls), Row(0, "tool", "", (), f"{turn}")]
    shown = within(told, 40)
    assert [row.role for row in shown[:2]] == ["user", "assistant"]
    assert (shown[0].content.startswith("First.\n\n["), shown[0].content.endswith("\n\nSecond.")) == (True, True)


def test_a_window_begins_at_an_action_and_moves_by_half() -> None:
    """Results stand behind the calls that they answer; the first message stays and says what is left out."""
    told = [Row(1, "user", "Begin.")]
    for turn in range(60):
        told += [
            Row(0, "assistant", "", says("", (f"{turn}", "note", "{}")).calls),
            Row(0, "tool", "ok", (), f"{turn}"),
        ]
    firsts = set()
    for count in range(1, len(told) + 1):
        shown = within(told[:count], 40)
        assert len(shown) <= 41
        assert shown[0].content.startswith("Begin.")
        if count > 41:
            assert shown[1].role == "assistant"
            firsts.add(shown[1].calls[0].id)
    assert sorted(firsts) == ["10", "20", "30", "40", "50"]
    assert within(told, 0) == told
    assert POLICY.tool_output_cap.mode == "prod"
