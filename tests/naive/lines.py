"""What a sealed turn becomes, naively: entries and the text of a block."""

import re
import unicodedata
from collections.abc import Callable

from .model import Message, Part, Turn

Told = Callable[[str], str]  # what a line carries of a result: its head, or what the finder takes of it
MARKER = "[trajectory summary]"
SENTENCE = "Earlier turns, one line each; later ones in full:"
MESSAGE_KEPT = "(message kept below)"
TURN_KEPT = "(turn kept below)"
ARGUMENT_CHARS = 200
_END = "[\n\r\v\f\x85\u2028\u2029]"
_FORGED = re.compile(rf"(^|{_END})(?=\[trajectory summary\]|turn \d+ \| |tool_result\[|tool_use\[)")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？]")


def guarded(text: str) -> str:
    """Nothing carried may pass for ours."""
    return barred(_FORGED.sub(lambda found: found.group(1) + "  ", text))


def barred(text: str) -> str:
    """A second bar where a part of ours would seem to begin."""
    return text.replace("| tool_result[", "|| tool_result[").replace("| tool_use[", "|| tool_use[")


def clipped(text: str, length: int) -> str:
    """At most `length` characters, never inside one that the reader sees as one."""
    if len(text) <= length:
        return text
    while length > 0 and (joins(text[length]) or text[length - 1] == "\u200d" or flag(text, length)):
        length -= 1
    return text[:length]


def joins(char: str) -> bool:
    """Does the character hang on the one before it?"""
    tone, selector = "\U0001f3fb" <= char <= "\U0001f3ff", "\U000e0100" <= char <= "\U000e01ef"
    return unicodedata.category(char)[0] == "M" or char == "\u200d" or tone or selector


def flag(text: str, at: int) -> bool:
    """Would a cut at `at` part regional indicators?"""
    return all("\U0001f1e6" <= char <= "\U0001f1ff" for char in text[at - 1 : at + 1])


def one_line(text: str) -> str:
    """Whitespace runs collapsed."""
    return " ".join(text.split())


def head(text: str, length: int) -> str:
    """The first characters of a text on one line; no more than four times the length is read. 0 = all of it."""
    if not length:
        return one_line(text)
    line = one_line(text[: 4 * length])
    short = clipped(line, length)
    return short + "…" if len(short) < len(line) or text[4 * length :].strip() else short


def said(text: str, verbatim: int) -> str:
    """What the assistant said: word for word where short, else its first sentence on one line."""
    if len(text) <= verbatim:
        return text
    line = one_line(text[: 4 * verbatim])
    found = _SENTENCE.search(line[:verbatim] if line[verbatim : verbatim + 1] else line)
    if (
        found
        and found.end() <= verbatim
        and (found.end() == len(line) or line[found.end()].isspace() or found.group() in "。！？")
    ):
        return line[: found.end()] + "…"
    return clipped(line, verbatim) + "…"


def called(part: Part) -> str:
    """A call, its arguments as sent."""
    pieces = [f"tool_use[{part.id or ''}]", part.name, guarded(head(part.text, ARGUMENT_CHARS))]
    return " ".join(piece for piece in pieces if piece)


def answered(part: Part, name: str, told: Told) -> str:
    """A result: id, tool, what is told of it."""
    inner = [found.text if found.kind == "text" else named(found) for found in part.inner]
    line = guarded(told(" ".join([part.text] if part.text else inner))) or "(empty)"
    return f"tool_result[{part.id or ''}] {name}: {'(error) ' if part.error else ''}{line}"


def named(part: Part) -> str:
    """What stands for a block that is not text, and what it says inside a result."""
    if part.kind not in ("other", "sign"):
        return f"[{part.kind}]"
    return " ".join([f"[{part.name}]", *([part.text] if part.text else [])])


def entry(turn: Turn, whole: bool, results: bool, verbatim: int, told: Told) -> str:
    """One entry. `results`: is it sealed as part of a result trajectory?"""
    if whole:
        return f"turn {turn.number} | {TURN_KEPT}"
    pieces: list[str] = []
    calls = [part for message in turn.messages for part in message.parts if part.kind == "call"]
    for message in turn.messages:
        pieces += message_pieces(message, calls, results, verbatim, told)
    return f"turn {turn.number} | " + " | ".join(pieces)


def message_pieces(message: Message, calls: list[Part], results: bool, verbatim: int, told: Told) -> list[str]:
    """What one message of a sealed turn becomes."""
    if message.role == "system":
        return [MESSAGE_KEPT]
    if message.role == "assistant":
        return [piece for part in message.parts if (piece := acted(part, calls, verbatim, told))]
    pieces = [answered(part, name_of(part, calls), told) for part in message.results]
    own = [part for part in message.parts if part.kind != "result"]
    if own and results:
        return [*pieces, MESSAGE_KEPT]
    return pieces + [piece for part in own if (piece := observed(part, verbatim, told))]


def name_of(part: Part, calls: list[Part]) -> str:
    """The tool that a result is of: that of the last call with its id."""
    return next((call.name for call in reversed(calls) if call.id == part.id and call.name), part.name)


def acted(part: Part, calls: list[Part], verbatim: int, told: Told) -> str:
    """A part of an action."""
    if part.kind == "text":
        return guarded(said(part.text, verbatim)) if part.text.strip() else ""
    if part.kind in ("call", "ran"):
        return called(part)
    if part.kind in ("result", "told"):
        return answered(part, name_of(part, calls), told)
    return "" if part.kind in ("thinking", "compaction") else named(part)


def observed(part: Part, verbatim: int, told: Told) -> str:
    """A part of the observation of a text trajectory."""
    if part.kind != "text":
        return named(part)
    if not part.text.strip():
        return ""
    return guarded(part.text) if len(part.text) <= verbatim else "user: " + guarded(told(part.text))


def block(entries: list[str], first: bool) -> str:
    """The text of one fold's block."""
    opening = [MARKER, SENTENCE] if first and SENTENCE else [MARKER]
    return "\n".join([*opening, *entries])
