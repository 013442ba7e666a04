"""The one door: a body comes in, a folded body and its receipt go out."""

import json
import random
from typing import Any

import msgspec
import pytest

from foldpoint import Engine, Folded, Receipt, fold, fold_messages
from foldpoint.core.errors import UnknownSurface
from foldpoint.core.policy import Policy
from foldpoint.core.receipt import Stage
from transcripts import SAID, Turn, body, compact, messages, policy, sent

SURFACES = ["anthropic", "openai-chat"]


def outcome(data: bytes, surface: str = "anthropic", policy: Policy = Policy()) -> tuple[str, str]:
    """Verdict and reason."""
    receipt = fold(data, surface, policy).receipt
    return receipt.verdict, receipt.reason


def is_json(data: bytes) -> bool:
    """Is the body readable by a strict parser?"""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


# Bodies that go on as they are


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b'{"messages":{}}',
        b'{"messages":[1]}',
        b'{"messages":[{"role":"user","content":7}]}',
        b'{"messages":[{"role":"nobody","content":"a"}]}',
        b'{"messages":[{"role":"user","content":"\xff"}]}',
        b'{"messages":[{"role":"user","content":"a"}]',
        b'{"messages":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b"[" * 100_000,
    ],
    ids=range(12),
)
def test_what_can_not_be_read_goes_on(surface: str, data: bytes) -> None:
    """The caller's own object, whatever is wrong with it."""
    folded = fold(data, surface)
    assert (folded.body is data, folded.receipt.verdict, folded.receipt.reason) == (True, "skipped", "unreadable")


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_that_ends_anywhere_goes_on(surface: str) -> None:
    """Cut off wherever, it is unreadable."""
    data = body(surface, 6)
    assert {outcome(data[:end], surface) for end in range(0, len(data), 61)} == {("skipped", "unreadable")}


def wrong_bytes(surface: str) -> list[bytes]:
    """Bodies with one wrong byte each, of the kind that JSON trips over."""
    data, chance = body(surface, 6, usual=Turn(result="short", beside="Hurry.")), random.Random(7)
    places = [chance.randrange(len(data)) for _ in range(300)]
    return [data[:at] + bytes([chance.choice(b'"\\{}[],:0n\xff x')]) + data[at + 1 :] for at in places]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_wrong_byte_is_no_fault_of_ours(surface: str) -> None:
    """Folded, passed over or unreadable, but never failed."""
    assert [data for data in wrong_bytes(surface) if outcome(data, surface, policy())[0] == "failed"] == []


def test_json_stays_json() -> None:
    """Whatever byte is wrong: where JSON came in, JSON goes out."""
    readable = [data for data in wrong_bytes("anthropic") if is_json(data)]
    assert [data for data in readable if not is_json(fold(data, "anthropic", policy()).body)] == []


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_without_a_trajectory_goes_on(surface: str) -> None:
    """No action that anything answers."""
    data = body(surface, 0)
    folded = fold(data, surface)
    assert (folded.body is data, folded.receipt.verdict, folded.receipt.reason) == (True, "skipped", "not_a_trajectory")


@pytest.mark.parametrize("data", [body("anthropic", 0), b'{"messages":[]}'], ids=["opening", "empty"])
def test_a_body_without_a_trajectory_may_come_again(data: bytes) -> None:
    """An engine that has seen it says the same."""
    engine = Engine()
    found = [engine.fold(data, "anthropic").receipt.reason for _ in range(3)]
    assert found == ["not_a_trajectory"] * 3


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_without_messages_goes_on(surface: str) -> None:
    """An empty list is no trajectory."""
    assert outcome(b'{"messages":[]}', surface) == ("skipped", "not_a_trajectory")


def test_history_held_by_the_provider_goes_on() -> None:
    """A continued thread is not the whole transcript; its messages are counted, its model is named."""
    data = body("anthropic", 9, model="claude-x", thread={"type": "continue"})
    folded = fold(data, "anthropic")
    assert (folded.body is data, folded.receipt.reason, folded.receipt.messages_before, folded.model) == (
        True,
        "provider_state",
        19,
        "claude-x",
    )


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_that_is_not_folded_is_the_callers_object(surface: str) -> None:
    """Nothing changed, nothing copied."""
    data = body(surface, 5)
    assert fold(data, surface).body is data


def test_a_fold_that_would_be_longer_goes_on() -> None:
    """Names of 400 letters stand twice in a line; images count more than their payload."""
    data = body("anthropic", 6, usual=Turn(result="", images=("A",))).replace(b'"query"', b'"' + b"q" * 400 + b'"')
    folded = fold(data, "anthropic", policy(keep_recent_images=0))
    assert (folded.body is data, folded.receipt.verdict, folded.receipt.reason, folded.receipt.checkpoint) == (
        True,
        "no_op",
        "not_smaller",
        "",
    )


def test_a_loop_goes_on() -> None:
    """Refused, and untouched."""
    looping = [each for _ in range(8) for each in messages("anthropic", 1)[1:]]
    data = compact({"messages": [{"role": "user", "content": "go"}, *looping]})
    folded = fold(data, "anthropic", policy(max_tool_repeats=3))
    assert (folded.body is data, folded.receipt.verdict, folded.receipt.reason) == (True, "refused", "tool_loop")


# Modes


def test_off_is_not_consulted() -> None:
    """No stage, no header, the caller's object."""
    data = body("anthropic", 9)
    folded = fold(data, "anthropic", policy(mode="off"))
    assert (folded.body is data, folded.receipt) == (
        True,
        Receipt("no_op", "", bytes_before=len(data), bytes_after=len(data)),
    )


def test_shadow_measures_and_changes_nothing() -> None:
    """The checkpoint and what would be saved are those of prod."""
    data = body("anthropic", 6)
    shadow, prod = (fold(data, "anthropic", policy(mode=mode)) for mode in ("shadow", "prod"))
    assert (
        shadow.body is data,
        shadow.receipt.verdict,
        shadow.receipt.checkpoint,
        shadow.receipt.tokens_would_save,
        shadow.receipt.tokens_saved,
    ) == (
        True,
        "would_compact",
        prod.receipt.checkpoint,
        prod.receipt.tokens_saved,
        0,
    )


def test_prod_is_the_default() -> None:
    """With every default twelve steps are expected: the first boundary is taken."""
    assert outcome(body("anthropic", 6)) == ("compacted", "fold_moved")


def test_a_receipt_says_what_was_sent() -> None:
    """The lengths of both bodies, and the stage."""
    data = body("anthropic", 7)
    folded = fold(data, "anthropic")
    receipt = folded.receipt
    assert (receipt.bytes_before, receipt.bytes_after, receipt.stages) == (
        len(data),
        len(folded.body),
        (Stage("agent_trajectory_compaction", "compacted", 4, 7, receipt.checkpoint),),
    )


@pytest.mark.parametrize(("turns", "same"), [((6, 7), True), ((6, 10), True), ((10, 11), False), ((11, 15), True)])
def test_a_checkpoint_changes_when_the_fold_moves(turns: tuple[int, int], same: bool) -> None:
    """And only then."""
    found = [fold(body("anthropic", each), "anthropic", policy()).receipt.checkpoint for each in turns]
    assert (found[0] == found[1]) is same


def test_prices_are_those_of_the_model() -> None:
    """Five steps left at turn 6: too few at the default price, enough where a cached token costs half of a new one."""
    found = [outcome(body("anthropic", 6, model=model), policy=policy(payback_turns=2))[1] for model in ("x", "gpt-4o")]
    assert found == ["not_worth_it", "fold_moved"]


def test_prices_can_be_left_out() -> None:
    """Without them every model has the default's."""
    data = body("anthropic", 6, model="gpt-4o")
    assert outcome(data, policy=policy(payback_turns=2, pricing=False))[1] == "not_worth_it"


# The engine


def test_the_time_of_a_fold_is_the_clocks() -> None:
    """Between two readings of the clock that was handed in."""
    ticks = iter([1_000, 1_250])
    engine = Engine(clock=lambda: next(ticks))
    assert engine.fold(body("anthropic", 6), "anthropic").receipt.fold_ns == 250


def test_an_unknown_surface_is_named() -> None:
    """With the nearest right name, and all there are."""
    with pytest.raises(
        UnknownSurface,
        match=r"no surface is called 'antropic' \(did you mean 'anthropic'\?\); there are: "
        "openai-chat, openai-responses, anthropic, bedrock, gemini",
    ):
        fold(b"{}", "antropic")


def test_an_unknown_surface_is_named_when_nothing_is_folded() -> None:
    """A wrong name is a mistake of the program in every mode."""
    with pytest.raises(UnknownSurface):
        fold(b"{}", "another", policy(mode="off"))


def test_the_opening_is_the_same_for_every_request_of_a_transcript() -> None:
    """And for another transcript another one."""
    engine = Engine()
    found = [engine.fold(body("anthropic", turns), "anthropic").opening for turns in (0, 1, 6, 7, 11)]
    other = engine.fold(body("anthropic", 1, opening="Another."), "anthropic").opening
    assert (len(set(found)), len(found[0]), other in found) == (1, 16, False)


def test_an_unreadable_body_has_no_opening() -> None:
    """Neither name nor model."""
    folded = fold(b"x", "anthropic")
    assert (folded.opening, folded.model) == ("", "")


@pytest.mark.parametrize("surface", SURFACES)
def test_an_engine_that_remembers_says_the_same_as_one_that_does_not(surface: str) -> None:
    """Turn by turn, with a client that moves its mark, goes back, and rewrites its past."""
    odd = {3: Turn(beside="Hurry."), 8: Turn(calls=2), 9: SAID}
    bodies = [body(surface, turns, {**odd, turns: Turn(marked=True)}) for turns in range(1, 24)]
    bodies += [body(surface, 12, odd), body(surface, 22, {**odd, 2: Turn(result="rewritten")}), body(surface, 23, odd)]
    engine = Engine(policy())
    fresh = [fold(each, surface, policy()) for each in bodies]
    assert [seen(engine.fold(each, surface)) for each in bodies] == [seen(each) for each in fresh]


def seen(folded: Folded) -> Folded:
    """The fold without what is hidden: an engine that remembers names what is newly so alone."""
    return msgspec.structs.replace(folded, hidden=())


def test_tenants_share_nothing() -> None:
    """Each tenant's transcript is remembered for itself, and what is said is the same."""
    engine = Engine(policy())
    found: list[Folded] = [engine.fold(body("anthropic", 7), "anthropic", tenant=tenant) for tenant in ("a", "b", "a")]
    assert (len({each.body for each in found}), len(engine._memo._known)) == (1, 2)


def test_models_and_surfaces_are_remembered_apart() -> None:
    """The same messages to another model, or on another surface, are another transcript."""
    engine = Engine()
    plain = messages("anthropic", 3, usual=SAID)
    for surface, model in (("anthropic", "m"), ("anthropic", "n"), ("openai-chat", "m")):
        engine.fold(compact({"model": model, "messages": plain}), surface)
    assert len(engine._memo._known) == 3


# Messages of frameworks


@pytest.mark.parametrize("surface", SURFACES)
def test_messages_fold_like_a_body(surface: str) -> None:
    """The same list comes out."""
    written = messages(surface, 11, {2: Turn(beside="Hurry."), 3: Turn(images=("A",))})
    assert fold_messages(written, surface, policy()) == sent(surface, written)


@pytest.mark.parametrize("surface", SURFACES)
def test_kept_messages_are_the_callers_objects(surface: str) -> None:
    """Whatever is not written by us."""
    written = messages(surface, 6, {2: Turn(marked=True)})
    folded = fold_messages(written, surface, policy())
    assert [any(each is one for one in written) for each in folded] == [False, *[True] * 6]


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        (messages("anthropic", 5), policy()),
        (messages("anthropic", 9), policy(mode="off")),
        (messages("anthropic", 9), policy(mode="shadow")),
        ([{"role": "nobody"}], policy()),
        ([], policy()),
    ],
    ids=["early", "off", "shadow", "unreadable", "none"],
)
def test_messages_that_are_not_folded_come_back(written: list[Any], settings: Policy) -> None:
    """As a list of the caller's own objects."""
    folded = fold_messages(written, "anthropic", settings)
    assert (folded == written, [id(each) for each in folded]) == (True, [id(each) for each in written])


def test_messages_with_big_integers_are_folded() -> None:
    """A 20-digit integer in a sealed call is said in its line."""
    written = messages("anthropic", 6)
    written[1]["content"][0]["input"]["n"] = 12345678901234567890
    assert '{"n":12345678901234567890}' in fold_messages(written, "anthropic", policy())[0]["content"][1]["text"]
