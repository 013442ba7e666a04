"""What must hold of every fold, on made transcripts of odd shape under any policy."""

import json
import random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine, Folded, fold, fold_messages
from naive.gemini import in_snake_case
from naive.invariants import Body, violations
from naive.model import LISTS
from naive.rawjson import whole
from naive.reading import NotRead, cut, ends, prefixes, read
from naive.steps import follows, step_violations
from naive.strategies import SURFACES, policies, shapes
from naive.transcripts import Shape, body_of

pytestmark = pytest.mark.timeout(900)  # where a property fails, finding its smallest example takes a while
settings.register_profile(
    "stable", deadline=None, derandomize=True, max_examples=150, suppress_health_check=list(HealthCheck)
)
stable = settings.get_profile("stable")


def problems(body: bytes, folded: Folded, surface: str, policy: Policy) -> list[str]:
    """What does not hold of one folded request."""
    keep = policy.agent_trajectory_compaction.keep_recent_turns
    return violations(Body(surface, body), Body(surface, folded.body), folded.receipt, keep)


@stable
@given(shapes(), policies())
def test_every_invariant_holds_at_every_turn(shape: Shape, policy: Policy) -> None:
    """Each request of a sound transcript is folded soundly, and the folded prefix stands still between fold points."""
    found: list[str] = []
    engine = Engine(policy)
    before: tuple[Body, Folded] | None = None
    for body in prefixes(body_of(shape), shape.surface):
        folded = engine.fold(body, shape.surface)
        found += problems(body, folded, shape.surface, policy)
        now = Body(shape.surface, body)
        if before and follows(before[0], now):
            old = Body(shape.surface, before[1].body)
            new = Body(shape.surface, folded.body)
            found += step_violations(before[0], old, before[1].receipt, now, new, folded.receipt)
        before = (now, folded)
    assert found == []


@stable
@given(shapes(broken=True), policies())
def test_a_broken_request_gets_no_new_fault(shape: Shape, policy: Policy) -> None:
    """Whatever is missing, orphaned, empty or unknown in a request: the fold adds no fault of its own."""
    body = body_of(shape)
    folded = fold(body, shape.surface, policy)
    assert problems(body, folded, shape.surface, policy) == []


@stable
@given(shapes(broken=True), st.integers(2, 12))
def test_a_sliding_window_breaks_nothing(shape: Shape, window: int) -> None:
    """The comparison strategy is held to the same invariants."""
    policy = Policy(agent_trajectory_compaction=Trajectory(strategy="sliding_window", window_turns=window))
    body = body_of(shape)
    folded = fold(body, shape.surface, policy)
    assert problems(body, folded, shape.surface, policy) == []


@stable
@given(st.binary(max_size=400), st.sampled_from(SURFACES))
def test_any_bytes_at_all_pass_unharmed(body: bytes, surface: str) -> None:
    """What is no request leaves as the object that came."""
    assert fold(body, surface).body is body


@stable
@given(shapes(broken=True), st.data())
def test_damaged_bodies_never_raise(shape: Shape, data: st.DataObject) -> None:
    """A body cut off, or with some of its bytes changed, is folded soundly or passed on."""
    body = bytearray(body_of(shape))
    for _ in range(data.draw(st.integers(0, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(body[: data.draw(st.integers(0, len(body)))]) if data.draw(st.booleans()) else bytes(body)
    folded = fold(damaged, shape.surface, EAGER)
    if folded.body != damaged and not utf8(damaged):
        assert damaged.endswith(folded.body[-64:])
        assert damaged.startswith(folded.body[:16])
        assert folded.receipt.verdict == "compacted"
    elif folded.body != damaged:
        assert problems(damaged, folded, shape.surface, EAGER) == []
    else:
        assert folded.body is damaged


def utf8(body: bytes) -> bool:
    """Whether it is UTF-8; of what is not, no reader but the package's own says where things stand."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "messages",
                    "tool_calls",
                    "id",
                    "function",
                    "tool_use_id",
                    "input",
                    "output",
                    "call_id",
                    "source",
                    "parts",
                    "functionCall",
                    "functionResponse",
                    "response",
                    "inlineData",
                    "name",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@stable
@given(
    st.lists(
        JSON
        | st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": JSON})
        | st.fixed_dictionaries({"role": st.sampled_from(["user", "model"]), "parts": st.lists(JSON, max_size=3)}),
        max_size=24,
    ),
    st.sampled_from(SURFACES),
)
def test_any_json_in_the_message_list_passes(messages: list[object], surface: str) -> None:
    """Members of any type in any place: never an exception, and no fault of ours."""
    body = json.dumps({LISTS.get(surface, "messages"): messages}).encode()
    folded = fold(body, surface, EAGER)
    if folded.body != body:
        assert problems(body, folded, surface, EAGER) == []
    else:
        assert folded.body is body


@stable
@given(shapes(broken=True, least=6), policies(), st.randoms(use_true_random=False))
def test_the_memo_changes_nothing(shape: Shape, policy: Policy, order: random.Random) -> None:
    """An engine that has seen the steps in any order, other versions of the history among them, folds as a new one."""
    body = body_of(shape)
    try:
        counts = ends(body, shape.surface)
    except NotRead:
        return
    steps = [cut(body, count, shape.surface) for count in counts]
    edited = Shape(shape.surface, shape.seed, shape.turns, shape.features ^ {"large"}, shape.text_only)
    steps += [body_of(edited), body.replace(b"ledger", b"Ledger"), body.replace(b'"ephemeral"', b'"ephemeral" ')]
    order.shuffle(steps)
    engine = Engine(policy)
    for step in steps:
        old, new = engine.fold(step, shape.surface), fold(step, shape.surface, policy)
        assert (old.body, plain(old)) == (new.body, plain(new))


def plain(folded: Folded) -> object:
    """The receipt without the time it took."""
    return msgspec.structs.replace(folded.receipt, fold_ns=0)


@stable
@given(shapes(least=6), policies())
def test_decoded_messages_fold_as_bytes_do(shape: Shape, policy: Policy) -> None:
    """`fold_messages` gives the list that the bytes give, and keeps the caller's own objects."""
    key = LISTS.get(shape.surface, "messages")
    given = {key: whole(json.loads(body_of(shape))[key])}
    body = json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()
    messages = json.loads(body)[key]
    unmarked = msgspec.structs.replace(policy.agent_trajectory_compaction, manage_breakpoints=False)
    policy = Policy(agent_trajectory_compaction=unmarked)
    folded = fold(body, shape.surface, policy)
    if folded.receipt.reason == "not_smaller":
        return  # that is said of bytes, which a list of objects has none of
    listed = fold_messages(messages, shape.surface, policy)
    assert listed == json.loads(folded.body)[key]
    assert all(any(one is two for two in messages) for one in listed if one in messages and one.get("role") != "user")


@stable
@given(shapes(least=6), policies())
def test_shadow_measures_and_sends_what_came(shape: Shape, policy: Policy) -> None:
    """In shadow the body is the caller's, and the receipt says what the fold would have saved."""
    body = body_of(shape)
    shadowed = msgspec.structs.replace(policy.agent_trajectory_compaction, mode="shadow")
    folded, shadow = fold(body, shape.surface, policy), fold(body, shape.surface, Policy(shadowed))
    assert shadow.body is body
    assert (shadow.receipt.sealed, shadow.receipt.held) == (folded.receipt.sealed, folded.receipt.held)
    assert shadow.receipt.tokens_saved == 0
    assert shadow.receipt.tokens_would_save == folded.receipt.tokens_saved
    assert read(body, shape.surface) is not None


def as_blocks(message: dict[str, object], marked: bool, kind: str) -> dict[str, object]:
    """The message with each string content, in results too, as the one-block list that it stands for."""
    key = "output" if message.get("type") in ("function_call_output", "custom_tool_call_output") else "content"
    if message.get("role") == "assistant" or key not in message:
        return message
    content = message[key]
    if isinstance(content, str) and content:
        content = [{"type": kind, "text": content}]
    elif isinstance(content, list):
        content = [as_blocks(block, False, kind) if "content" in block else block for block in content]
    if marked and isinstance(content, list) and content:
        content = [*content[:-1], {**content[-1], "cache_control": {"type": "ephemeral"}}]
    return {**message, key: content}


@stable
@given(shapes(least=6), policies())
def test_marks_and_the_form_of_a_text_move_no_fold(shape: Shape, policy: Policy) -> None:
    """A client that moves its mark, or writes a string as a list of one block, gets the same fold points.

    So does one that writes Gemini's members in snake_case.
    """
    given, key = json.loads(body_of(shape)), LISTS.get(shape.surface, "messages")
    messages = given[key]
    kind = "input_text" if key == "input" else "text"
    formed = [as_blocks(message, at == len(messages) - 1, kind) for at, message in enumerate(messages)]
    if shape.surface == "gemini":
        formed = in_snake_case(messages)
    bodies = (json.dumps({**given, key: listed}).encode() for listed in (messages, formed))
    one, two = (fold(body, shape.surface, policy) for body in bodies)
    assert (one.receipt.sealed, one.receipt.held) == (two.receipt.sealed, two.receipt.held)
    assert (one.opening, one.receipt.tokens_before) == (two.opening, two.receipt.tokens_before)
    if "compacted" == one.receipt.verdict == two.receipt.verdict:
        assert one.receipt.checkpoint == two.receipt.checkpoint


EAGER = Policy(agent_trajectory_compaction=Trajectory(payback_turns=1000, pricing=False))


def test_folds_do_happen() -> None:
    """The made transcripts are such that most of them fold: the properties above are not about nothing."""
    made = [Shape(surface, seed, 14) for surface in SURFACES for seed in range(20)]
    verdicts = [fold(body_of(shape), shape.surface, EAGER).receipt.verdict for shape in made]
    assert verdicts.count("compacted") >= 30
