"""The simulated provider binds thinking to the prefix it was made behind, as newer models do."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from foldpoint.lab.provider.binding import BETA, WHY, checked, prefix_of
from foldpoint.lab.provider.refusal import Refused
from foldpoint.lab.provider.signing import signature

Body = dict[str, Any]
DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}


def request(model: str = "claude-opus-5-5", turns: int = 2) -> Body:
    """A request of so many turns, each with a thought that was signed as the request stood then."""
    messages: list[Any] = [{"role": "user", "content": "go"}]
    body: Body = {"model": model, "system": "be kind", "tools": [{"name": "t"}], "messages": messages}
    for turn in range(turns):
        thought = {"type": "thinking", "thinking": f"{turn}", "signature": signature(f"{turn}", prefix_of(body))}
        call = {"type": "tool_use", "id": f"c{turn}", "name": "t", "input": {}}
        messages.append({"role": "assistant", "content": [thought, call]})
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{turn}", "content": "r"}]}
        )
    return body


def opening(body: Body, content: Any) -> None:
    body["messages"][0]["content"] = content


def unthought(body: Body, at: int) -> None:
    body["messages"][at]["content"].pop(0)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: None,
        lambda body: opening(body, [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]),
        lambda body: body["tools"][0].update(cache_control={"type": "ephemeral"}),
        lambda body: body.update(max_tokens=5),
        lambda body: (unthought(body, 1), unthought(body, 3)),
        lambda body: unthought(body, 3),
    ],
    ids=["nothing", "marks and spelling", "a marked tool", "settings", "no thoughts", "the last thought left out"],
)
def test_what_leaves_a_prefix_as_it_was(change: Callable[[Body], Any]) -> None:
    """Cache marks, and thinking that is not sent at all."""
    body = request()
    change(body)
    assert checked(body, ()) == (body, None)


CHANGES: list[tuple[str, Callable[[Body], Any], list[str]]] = [
    ("the opening", lambda body: opening(body, "stop"), ["messages.1.content.0", "messages.3.content.0"]),
    ("the system", lambda body: body.update(system="be brief"), ["messages.1.content.0", "messages.3.content.0"]),
    ("the tools", lambda body: body["tools"].append({"name": "u"}), ["messages.1.content.0", "messages.3.content.0"]),
    ("a result", lambda body: body["messages"][2]["content"][0].update(content="other"), ["messages.3.content.0"]),
    ("a thought left out", lambda body: unthought(body, 1), ["messages.3.content.0"]),
]


@pytest.mark.parametrize(("change", "wrong"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_thinking_behind_another_prefix_is_refused(change: Callable[[Body], Any], wrong: list[str]) -> None:
    """The first block is named; other models take it."""
    body = request()
    change(body)
    with pytest.raises(Refused) as refused:
        checked(body, ())
    assert refused.value.message == f"{wrong[0]}: {WHY}"
    unbound = request("claude-sonnet-5")
    change(unbound)
    assert checked(unbound, ())[0] == unbound


@pytest.mark.parametrize(("change", "wrong"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_it_is_left_out_where_that_is_asked_for(change: Callable[[Body], Any], wrong: list[str]) -> None:
    """And every block that was is named; the rest of its message stays."""
    body = {**request(), "thinking": DROP}
    change(body)
    before = copy.deepcopy(body)
    sent, dropped = checked(body, {BETA})
    assert dropped is not None
    assert [spot["path"] for spot in dropped] == wrong
    assert {spot["reason"] for spot in dropped} == {"prefix_binding_mismatch"}
    assert [len(message["content"]) for message in sent["messages"][1::2]] == [
        len(message["content"]) - (f"messages.{at}.content.0" in wrong)
        for at, message in enumerate(body["messages"])
        if at % 2
    ]
    assert body == before


def test_what_was_left_out_is_no_part_of_a_prefix() -> None:
    """A thought made while an older one was left out fits, whether that one is sent again or not."""
    body = {**request(turns=1), "thinking": DROP, "system": "be brief"}
    sent, _ = checked(body, {BETA})
    newer = {"type": "thinking", "thinking": "n", "signature": signature("n", prefix_of(sent))}
    later = [
        {**base, "messages": [*base["messages"], {"role": "assistant", "content": [newer]}]} for base in (body, sent)
    ]
    dropped = [[spot["path"] for spot in checked(each, {BETA})[1] or ()] for each in later]
    assert dropped == [["messages.1.content.0"], []]


@pytest.mark.parametrize(
    ("thinking", "betas", "why"),
    [
        (DROP, (), "thinking.adaptive.block_binding: Extra inputs are not permitted"),
        ({**DROP, "type": "disabled"}, {BETA}, "thinking.disabled.block_binding: Extra inputs are not permitted"),
        (
            {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "guess"}},
            {BETA},
            "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'",
        ),
    ],
)
def test_the_setting_needs_its_beta_and_a_value(thinking: Body, betas: Any, why: str) -> None:
    """As for any member that only a beta has."""
    with pytest.raises(Refused) as refused:
        checked({**request(), "thinking": thinking}, betas)
    assert refused.value.message == why


@pytest.mark.parametrize("empty", [None, {}])
def test_an_empty_setting_is_the_default(empty: Any) -> None:
    """Which is an error."""
    body = {**request(), "thinking": {"type": "adaptive", "block_binding": empty}, "system": "be brief"}
    with pytest.raises(Refused):
        checked(body, {BETA})
