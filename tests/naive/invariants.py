"""What must hold of every folded request, whatever the fold decided: pure functions on bytes and the receipt."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from foldpoint.core.receipt import REASONS, VERDICTS, Receipt

from . import gemini, pairing, rawjson
from .model import LISTS, Message, Part, Reading
from .reading import NotRead, read

MARKER = "[trajectory summary]"
MOST_MARKS = 4
BINDING = ("fable-5-1", "fable-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5")
LONG_ENOUGH = 40  # a shorter text of a person may well stand elsewhere, too


@dataclass(frozen=True)
class Body:
    """One request, with its spelling."""

    surface: str
    data: bytes
    path: str = ""

    @cached_property
    def text(self) -> str:
        return self.data.decode()

    @cached_property
    def span(self) -> tuple[int, int]:
        return rawjson.list_span(self.text, LISTS.get(self.surface, "messages"))

    @cached_property
    def raws(self) -> list[str]:
        start, end = self.span
        return rawjson.elements(self.text[start:end])

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        found = [json.loads(raw) for raw in self.raws]
        return [gemini.as_message(one) for one in found] if self.surface == "gemini" else found

    @cached_property
    def reading(self) -> Reading:
        return read(self.data, self.surface)

    @cached_property
    def binds(self) -> bool:
        """Does the model bind thinking to the prefix it was made under, so that some of it may be left out?"""
        model = json.loads(self.text).get("model") or self.path
        return isinstance(model, str) and any(name in model for name in BINDING)

    @cached_property
    def plain(self) -> list[dict[str, Any]]:
        """The messages as content: cache marks and the form of a text apart."""
        return [pairing.plain(message) for message in self.messages]

    @cached_property
    def unpaired(self) -> tuple[Counter[str], Counter[str]]:
        """Calls and results without partner: by place, and in the list as a whole."""
        return pairing.faults(self.surface, self.messages), pairing.alone(self.surface, self.messages)

    @cached_property
    def quotable(self) -> str:
        """The texts of assistants and results: what a block may quote."""
        found = [part for turn in self.reading.turns for message in turn.messages for part in quoted(message)]
        return "\0".join(text for part in found for text in (part.text, *(inner.text for inner in part.inner)))

    @cached_property
    def user_texts(self) -> list[str]:
        return [
            text for message in self.messages if message.get("role") == "user" for text in pairing.user_texts(message)
        ]


def violations(one: Body, two: Body, receipt: Receipt, keep: int = 2) -> list[str]:
    """Everything that does not hold of a request and its folded form; empty where all is well.

    `keep` is `keep_recent_turns`.
    """
    before, after = one.data, two.data
    found = figures(before, after, receipt)
    if after == before:
        return found + ([] if after is before else ["an unchanged body is not the caller's object"])
    try:
        assert len(one.messages) == len(one.reading.raws)
        assert len(two.messages) > 0
    except (NotRead, ValueError, StopIteration):
        return [*found, "a body that cannot be read was changed, or is changed to one"]
    checks = (rest, pairs, roles, texts, opening, tail, spans, results_alone, carried, named, breakpoints, thoughts)
    found += [problem for check in checks for problem in check(one, two, receipt)]
    found += recent(one, two, keep)
    return found + ([f"the body grew from {len(before)} to {len(after)} bytes"] if len(after) > len(before) else [])


def figures(before: bytes, after: bytes, receipt: Receipt) -> list[str]:
    """The receipt agrees with itself and with the bytes."""
    rules = {
        "a verdict of the list": receipt.verdict in VERDICTS,
        "a reason of the list": receipt.reason in REASONS or receipt.reason.startswith("check:"),
        "no failed fold": receipt.verdict != "failed",
        "bytes_before": receipt.bytes_before == len(before),
        "bytes_after": receipt.bytes_after == (len(before) if receipt.verdict == "would_compact" else len(after)),
        "changed bodies are compacted": (after != before) <= (receipt.verdict == "compacted"),
        "compacted bodies are changed": (receipt.verdict == "compacted") <= (after != before),
        "tokens no more than before": receipt.tokens_after <= receipt.tokens_before,
        "a fold point only where folded": receipt.sealed <= receipt.total,
        "a fold point where folded": (receipt.verdict == "compacted") <= (receipt.sealed > 0),
    }
    return [f"{rule}: {receipt}" for rule, holds in rules.items() if not holds]


def rest(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Everything beside the message list is byte for byte the same."""
    (start, end), (begin, stop) = one.span, two.span
    same = one.text[:start] == two.text[:begin] and one.text[end:] == two.text[stop:]
    return [] if same else ["something beside the message list changed"]


def pairs(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """No call or result lost its partner, by place or in the list as a whole."""
    new = [fault for before, after in zip(one.unpaired, two.unpaired, strict=True) for fault in after - before]
    return [f"pairing: {fault}" for fault in new]


def roles(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Roles in turn, no more neighbours of one role than in the request; the last role is the same."""
    more = pairing.role_faults(two.surface, two.messages) - pairing.role_faults(one.surface, one.messages)
    found = [f"roles: {fault}" for fault in more]
    if one.messages[-1].get("role") != two.messages[-1].get("role"):
        found.append("the last role changed")
    if pairing.results_first(two.messages) > pairing.results_first(one.messages):
        found.append("something stands before a result")
    return found


def texts(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """No empty text of ours; a body in UTF-8 without half surrogates of ours."""
    found = ["an empty text"] if pairing.empty_texts(two.messages) > pairing.empty_texts(one.messages) else []
    blocks = [text[text.index(MARKER) :] for text in two.user_texts if MARKER in text]
    if any(rawjson.has_half(block) for block in blocks) and not any(map(rawjson.has_half, one.user_texts)):
        found.append("half a surrogate pair in a block")
    return found if blocks else [*found, "there is no block"]


def opening(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """The opening user message is there, first of its role, and what was merged comes behind it."""
    first = next((at for at, message in enumerate(one.messages) if message.get("role") == "user"), None)
    if first is None or first >= len(one.reading.head):
        return []  # what was compacted stands for it, or turns were in front of it and it is carried
    first_kept = next(
        (raw for raw, message in zip(two.raws, two.messages, strict=True) if message.get("role") == "user"), None
    )
    return (
        []
        if first_kept is not None and grown_from(one.raws[first], first_kept)
        else ["the opening user message is not kept"]
    )


def tail(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Every turn newer than the fold point is there, byte for byte, last."""
    return [] if ends_with(one, two, receipt.sealed) else ["the tail is not the caller's bytes"]


def recent(one: Body, two: Body, keep: int) -> list[str]:
    """The newest turns are the same bytes."""
    return [] if ends_with(one, two, max(0, len(one.reading.turns) - keep)) else ["a newest turn changed"]


def ends_with(one: Body, two: Body, sealed: int) -> bool:
    """Are all turns behind the first `sealed` the last messages of the folded list?"""
    wanted = [one.raws[message.at] for turn in one.reading.turns[sealed:] for message in turn.messages]
    got = two.raws[len(two.raws) - len(wanted) :]
    return len(got) == len(wanted) and all(kept(one, a, b) for a, b in zip(wanted, got, strict=True))


def kept(one: Body, given: str, sent: str) -> bool:
    """Is it the message that came, byte for byte? Where the model binds thinking, that alone may be left out."""
    if given == sent:
        return True
    if not one.binds or json.loads(sent).get("role") != "assistant" or others(given) != others(sent):
        return False
    came, left = (rawjson.elements(rawjson.member(raw, "content")) for raw in (given, sent))
    return bool(left) and [block for block in came if not thought(json.loads(block))] == left


def thought(block: dict[str, Any]) -> bool:
    """Is it thinking?"""
    return "thinking" in str(block.get("type")) or "reasoningContent" in block


def spans(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Each message is a span of the caller's, one with texts of ours behind it, or a user message of ours; in order."""
    found, at = [], 0
    head = len(one.reading.head)
    for raw, message in zip(two.raws, two.messages, strict=True):
        place = next((n for n in range(at, len(one.raws)) if kept(one, one.raws[n], raw)), None)
        if place is None and message.get("role") == "user":
            place = next((n for n in range(at, len(one.raws)) if grown_from(one.raws[n], raw)), None)
            if place is None:
                found += ours(raw, message, one)
                continue
        if place is None:
            return [*found, f"a message is no span of the caller's, or out of order: {raw[:120]}"]
        if place > at and at < head:
            return [*found, "a message of the head is gone"]
        at = place + 1
    return found


def results_alone(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Nothing of ours is merged into a message that holds results."""
    given = set(one.raws)
    grown = [
        raw
        for raw, message in zip(two.raws, two.messages, strict=True)
        if pairing.results(two.surface, message) and message.get("role") == "user" and raw not in given
    ]
    return [f"something was added to results: {raw[:120]}" for raw in grown]


def ours(raw: str, message: dict[str, Any], one: Body) -> list[str]:
    """A message that we made: a user message with nothing but content, our texts and the caller's blocks in it."""
    if set(message) - {"type"} != {"role", "content"} or message.get("type", "message") != "message":
        return [f"a message of ours has other members: {sorted(message)}"]
    blocks = rawjson.elements(content_of(raw))
    given = {block for spelled in one.raws for block in rawjson.elements(content_of(spelled))}
    inner = {block for spelled in given for block in rawjson.elements(content_of(spelled))}
    inner |= {block for spelled in one.raws for block in rawjson.elements(rawjson.member(spelled, "output"))}
    known = given | inner
    strange = [
        block
        for block in blocks
        if block not in known and not (written_by_us(found := json.loads(block)) or shown(found, one))
    ]
    return [f"a block is neither ours nor the caller's: {block[:120]}" for block in strange]


def written_by_us(block: dict[str, Any]) -> bool:
    """A text; with a breakpoint only where it is a block of the summary."""
    summary = str(block.get("text", "")).startswith(MARKER)
    if set(block) == {"cachePoint"}:
        return True
    return set(block) | {"type"} == {"type", "text"} or (summary and set(block) == {"type", "text", "cache_control"})


def shown(block: dict[str, Any], one: Body) -> bool:
    """Is it an image that the request has as another kind of part: a screenshot, a generated image?"""
    url = str(block.get("image_url") or block.get("file_id"))
    return block.get("type") == "input_image" and url.rpartition(",")[2] in one.text


def thoughts(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """A reasoning item and the item behind it stay together, on both sides."""
    if one.surface != "openai-responses":
        return []
    pairs = Counter(thinking_pairs(one))
    kept = Counter(thinking_pairs(two))
    found = [f"reasoning has another item behind it: {pair[1][:80]}" for pair in kept - pairs]
    behind, there = Counter(after for _, after in pairs.elements()), Counter(two.raws)
    lost = [
        raw
        for raw in behind
        if there[raw] and sum(n for (_, after), n in kept.items() if after == raw) < min(behind[raw], there[raw])
    ]
    return found + [f"an item lost its reasoning: {raw[:80]}" for raw in lost if not one.raws.count(raw) > behind[raw]]


def thinking_pairs(body: Body) -> list[tuple[str, str]]:
    """(reasoning item, the item behind it), as spelled."""
    kinds = [message.get("type") for message in body.messages]
    return [pair for kind, pair in zip(kinds, pairwise([*body.raws, ""]), strict=True) if kind == "reasoning"]


def grown_from(given: str, kept: str) -> bool:
    """Is `kept` the message `given`, with nothing or only further texts behind its content?"""
    if given == kept:
        return True
    if not (given.lstrip().startswith("{") and kept.lstrip().startswith("{")):
        return False
    before, after = content_of(given), content_of(kept)
    if before is None or after is None or others(given) != others(kept):
        return False
    if before.startswith("["):
        blocks, more = rawjson.elements(before), rawjson.elements(after)
        return after.startswith("[") and more[: len(blocks)] == blocks and len(more) > len(blocks)
    if not before.startswith('"'):
        return False
    if after.startswith('"'):
        return after.startswith(before[:-1]) and len(after) > len(before)
    blocks = rawjson.elements(after)
    return (
        bool(blocks)
        and rawjson.member(blocks[0], "text") is not None
        and text_grew(before, rawjson.member(blocks[0], "text") or "")
    )


def text_grew(before: str, after: str) -> bool:
    """A string literal that is the other, or goes on behind it."""
    return after == before or after.startswith(before[:-1])


def content_of(raw: str) -> str | None:
    """What a message says, as spelled; of a Gemini content its parts, and what a result of it has beside its text."""
    found = rawjson.member(raw, "content") or rawjson.member(raw, "parts")
    inner = rawjson.member(raw, "functionResponse")
    return found or (rawjson.member(inner, "parts") if inner else None)


def others(raw: str) -> list[tuple[str, str]]:
    """The members beside the content, as spelled."""
    return [(key, raw[start:end]) for key, start, end in rawjson.member_spans(raw) if key not in ("content", "parts")]


def protected(reading: Reading, sealed: int) -> list[str]:
    """What persons said in the sealed turns of a result trajectory: their messages, and texts beside results."""
    found = []
    results_seen = False
    for turn in reading.turns[:sealed]:
        results_seen = results_seen or turn.has_result
        if results_seen:
            found += [part.text for message in turn.answer if message.role == "user" for part in own_texts(message)]
    return found


def own_texts(message: Message) -> list[Any]:
    """The text parts that are not in a result."""
    return [part for part in message.parts if part.kind == "text" and part.text.strip()]


def carried(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """What persons said is there word for word, as often as in the request, in order; so are system messages."""
    found = []
    said = "\0".join(rawjson.whole(text) for text in two.user_texts)
    given = "\0".join(rawjson.whole(text) for text in one.user_texts)
    elsewhere = one.quotable
    at = 0
    for text in protected(one.reading, receipt.sealed):
        place = said.find(text, at)
        if place < 0:
            found.append(f"{'out of order' if text in said else 'lost'}: {text[:80]!r}")
            continue
        at = place + len(text)
        if len(text) >= LONG_ENOUGH and text not in elsewhere and said.count(text) != given.count(text):
            found.append(f"{said.count(text)} times, was {given.count(text)}: {text[:80]!r}")
    systems = Counter(raw for raw, message in zip(one.raws, one.messages, strict=True) if pairing.system(message))
    kept = Counter(raw for raw, message in zip(two.raws, two.messages, strict=True) if pairing.system(message))
    return found if systems == kept else [*found, "a system message is gone or doubled"]


def quoted(message: Message) -> list[Part]:
    """The parts of a message that a block may quote."""
    return [part for part in message.parts if message.role == "assistant" or part.kind == "result"]


def named(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """Each sealed result is named in a line of a block, or still there; as often as in the request."""
    said = "\n".join(rawjson.whole(text) for text in two.user_texts if MARKER in text)
    lines = Counter(re.findall(r"(?<!\|)\| tool_result\[([^\n]*?)\] ", said))
    if one.surface == "gemini":
        lines = Counter(re.sub(r"#\d*$", "", name) for name in lines.elements())
    native = Counter(str(name) for message in two.messages for _, name in pairing.results(two.surface, message))
    wanted = Counter(str(name) for message in one.messages for _, name in pairing.results(one.surface, message))
    missing = {rawjson.whole(name): count for name, count in (wanted - native).items()}
    return [
        f"{count} results of {name!r} sealed, {lines[name]} named"
        for name, count in missing.items()
        if lines[name] < count
    ]


def breakpoints(one: Body, two: Body, receipt: Receipt) -> list[str]:
    """The same cache breakpoints on the same blocks, in order; beside them one at most, on a block of ours."""
    before, after = (pairing.marks({"messages": body.messages}) for body in (one, two))
    new = [mark for mark in after if mark not in before and mark[0].get("text", "").startswith(MARKER)]
    found = [] if [mark for mark in after if mark not in new] == before else ["a breakpoint of the caller's changed"]
    found += [f"{len(new)} breakpoints of ours"] if len(new) > 1 else []
    given, sent = lifetimes(one), lifetimes(two)
    if len(sent) > max(MOST_MARKS, len(given)):
        found.append(f"{len(sent)} breakpoints in all, {len(given)} came")
    return found + (["a longer lifetime stands behind a shorter one"] if grows(sent) and not grows(given) else [])


def lifetimes(body: Body) -> list[str]:
    """The lifetimes of all breakpoints in the order of the prompt: tools, system, messages."""
    found = json.loads(body.text)
    tools = (found.get("toolConfig") or found).get("tools")
    parts = [tools, found.get("system"), {"messages": body.messages}]
    marks = [mark for part in parts for _, mark in pairing.marks(part)]
    return [mark.get("ttl", "5m") for mark in marks if isinstance(mark, dict)] + ["top"] * bool(
        found.get("cache_control")
    )


def grows(found: list[str]) -> bool:
    """Does a lifetime of an hour stand behind one of five minutes?"""
    return any(one == "5m" and two == "1h" for one, two in pairwise(found))
