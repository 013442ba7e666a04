"""The loop that lives on the log: every step is in it before the next one begins, so that it goes on after any end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from foldpoint.core.errors import FoldpointError

from .errors import AskError
from .ports import Answer, Asker, Log, Outcome, Row, Stop, Tool, ToolCall
from .prompt import Prompt
from .text_mode import TextMode, called

RETRIES = 5
LONGEST_PAUSE = 60.0
"""Seconds between two tries at most, unless the provider asks for more."""
INTERRUPTED = (
    "The agent was stopped while this call ran: it may have been carried out in part or as a whole, and its result is "
    "lost. Look at what it would have changed before you call it again."
)
Say = Callable[[str, str], None]
"""Told what happens: `text` as it comes, and a line of each `call`, `result` and `retry`."""


class TurnsUsedUp(FoldpointError):
    """The agent answered as often as it may and is not done; it goes on when it is run again."""


class Ended(msgspec.Struct, frozen=True):
    """The last answer, and why the model stopped; `end` is the usual."""

    text: str
    stop: Stop = "end"


class Runtime:
    """Runs one agent; tools are told to the model but for those named in `untold`.

    Args:
        max_turns: answers of the model in one run.
        say: told what happens.
        sleep, clock: seconds to wait, and since the epoch.
    """

    def __init__(
        self,
        name: str,
        log: Log,
        prompt: Prompt,
        asker: Callable[[str], Asker],
        tools: Sequence[Tool],
        *,
        untold: Sequence[Tool] = (),
        max_turns: int = 100,
        say: Say = lambda kind, text: None,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._name, self._log, self._prompt, self._asker = name, log, prompt, asker
        self._tools = {tool.spec.name: tool for tool in (*tools, *untold)}
        self._specs = [tool.spec for tool in tools]
        self._max_turns, self._say, self._sleep, self._clock = max_turns, say, sleep, clock

    async def run(self, text: str = "", trigger: str = "") -> Ended:
        """Work on what is unfinished, then on the text; a trigger whose id is in the log is not taken again.

        Raises:
            StoreError: the log failed, or another process runs the conversation. AskError: there is no answer.
            TurnsUsedUp. In each case the log holds all that was done, and the next run goes on from there.
        """
        conversation = self._log.current(self._name)
        with self._log.hold(conversation):
            if self._log.current(self._name) != conversation:
                raise FoldpointError(f"{self._name} has just begun a new conversation: run it again")
            story = Story(self._log, conversation, self._clock)
            await self._settle(story)
            if text and not (trigger and story.has(trigger)):
                story.append("user", text, trigger=trigger)
            return await self._work(story)

    async def _work(self, story: "Story") -> Ended:
        if not story.rows or (story.rows[-1].role == "assistant" and not story.rows[-1].calls):
            return Ended(story.rows[-1].content if story.rows else "")
        asker = self._asker(story.conversation)
        for _ in range(self._max_turns):
            answer = await self._asked(asker, story)
            if isinstance(self._prompt.dialect, TextMode):
                answer = called(answer, len(story.rows) + 1)
            surface = self._prompt.dialect.surface if answer.native else ""
            story.append("assistant", answer.text, calls=answer.calls, surface=surface, native=answer.native)
            if not answer.calls:
                return Ended(answer.text, answer.stop)
            await self._settle(story)
        raise TurnsUsedUp(
            f"{self._name} answered {self._max_turns} times and is not done: run it again, or raise max_turns"
        )

    async def _asked(self, asker: Asker, story: "Story") -> Answer:
        """The next answer; a fault that may pass is tried again."""
        body, _ = self._prompt.body(story.rows, self._specs)
        for attempt in range(RETRIES + 1):
            try:
                return await asker.ask(body, lambda piece: self._say("text", piece))
            except AskError as error:
                if not error.retryable or attempt == RETRIES:
                    raise
                pause = min(2.0**attempt, LONGEST_PAUSE) if error.retry_after is None else error.retry_after
                self._say("retry", f"{error}; again in {pause:g} s")
                await self._sleep(pause)
        raise AssertionError("the last try raises")

    async def _settle(self, story: "Story") -> None:
        """Answer every call that has no result yet, in order."""
        for number, call in story.pending():
            mark = f"{number}:{call.id}"
            tool = self._tools.get(call.name)
            if story.began(mark) and not getattr(tool, "repeatable", False):
                outcome = Outcome(INTERRUPTED, failed=True)
            else:
                self._say("call", f"{call.name} {call.arguments}")
                story.begin(mark)
                outcome = await self._outcome(tool, call)
            story.append("tool", outcome.text, tool_call_id=call.id, name=call.name, failed=outcome.failed)
            self._say("result", outcome.text)

    async def _outcome(self, tool: Tool | None, call: ToolCall) -> Outcome:
        """What the tool gives; what the model can mend is a failed outcome that says so."""
        if tool is None:
            known = ", ".join(spec.name for spec in self._specs) or "none"
            return Outcome(f"There is no tool {call.name!r}. The tools are: {known}.", failed=True)
        try:
            arguments = msgspec.json.decode(call.arguments or "{}")
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            return Outcome(f"The arguments are no JSON, the call was not made: {error}.", failed=True)
        if not isinstance(arguments, dict):
            return Outcome("The arguments must be a JSON object, the call was not made.", failed=True)
        try:
            return await tool.run(arguments)
        except Exception as error:  # noqa: BLE001  a broken tool ends a call, not the agent
            return Outcome(f"The tool {call.name} failed: {type(error).__name__}: {error}", failed=True)


class Story:
    """A conversation while it is run: its rows, each in the log before it is here."""

    def __init__(self, log: Log, conversation: str, clock: Callable[[], float]) -> None:
        self.conversation = conversation
        self._log, self._clock = log, clock
        self.rows = log.rows(conversation)
        self._began = log.started(conversation)
        self._triggers = {row.trigger for row in self.rows}

    def has(self, trigger: str) -> bool:
        """Was it taken already?"""
        return trigger in self._triggers

    def append(self, role: Any, content: str, **rest: Any) -> None:
        """Write a message behind the last one."""
        row = Row(len(self.rows) + 1, role, content, created_at=self._clock(), **rest)
        row = self._log.append(self.conversation, row)
        self.rows.append(row)
        self._triggers.add(row.trigger)

    def pending(self) -> list[tuple[int, ToolCall]]:
        """The calls of the newest assistant's message that have no result, with their numbers."""
        at = next((at for at in range(len(self.rows) - 1, -1, -1) if self.rows[at].role == "assistant"), None)
        if at is None or any(row.role == "user" for row in self.rows[at:]):
            return []
        return list(enumerate(self.rows[at].calls))[len(self.rows) - 1 - at :]

    def began(self, mark: str) -> bool:
        """Was that call of the newest assistant's message about to run?"""
        return (self._asks, mark) in self._began

    def begin(self, mark: str) -> None:
        """Note that it is about to run."""
        self._log.start(self.conversation, self._asks, mark)

    @property
    def _asks(self) -> int:
        return next(row.seq for row in reversed(self.rows) if row.role == "assistant")
