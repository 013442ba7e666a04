"""A part of a kept result: lines from one to another, those that match a pattern, never more than was asked for."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from .errors import FoldpointError

MOST = 1_000_000
"""Characters of one answer, unless less is asked for."""
LONGEST_PATTERN = 500
PATTERN_BYTES = 1 << 16
"""Memory that the matcher may use for one pattern: bounds its time for each character as well."""
LONGEST_MATCH = 2_000
"""Characters that are shown of a line that matches."""
ELLIPSIS = "…"
EXTRA = "foldpoint[gateway]"


class BadPart(FoldpointError, ValueError):
    """There is no such part: `field` (`from`, `to`, `skip` or `pattern`) is at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Part(msgspec.Struct, frozen=True):
    """A part of a text of `lines` lines and `characters` characters: its lines `start` to `end`, where it was cut the
    last that is in it or was looked at.

    text: those lines as they are, or with a pattern each line that matches, behind its number (`12: …`). matches: how
    many did, as far as was looked. next: the line at which to go on and the characters of it to skip, None where this
    is all; more: the same in words, empty where this is all.
    """

    text: str
    start: int
    end: int
    lines: int
    characters: int
    matches: int | None = None
    next: tuple[int, int] | None = None
    more: str = ""


def part_of(
    text: str, start: int | None = None, end: int | None = None, pattern: str = "", most: int = MOST, skip: int = 0
) -> Part:
    """Lines `start` to `end` of a text, the first being 1 and the last -1, or those of them that match.

    pattern: a regular expression in RE2's syntax, which is matched in linear time whatever it says. skip: characters of
    the first line to leave out. A line ends with `\\n` alone. At most `most` characters are given. Raises BadPart.
    """
    lines = lines_of(text)
    first, last = span_of(len(lines), start, end)
    if skip < 0 or (skip and skip >= len(lines[first - 1])):
        raise BadPart("skip", f"skip must be from 0 to {max(len(lines[first - 1]) - 1, 0)}: line {first} has no more")
    some = lines[first - 1 : last]
    if not pattern:
        return _plain(text, some, first, last, len(lines), most, skip)
    return _matching(text, some, first, last, len(lines), most, matcher(pattern))


def lines_of(text: str) -> list[str]:
    """The lines with their ends; one empty line where there is no text."""
    lines = text.split("\n")
    last = lines.pop()
    return [*(line + "\n" for line in lines), *([last] if last or not lines else [])]


def span_of(lines: int, start: int | None, end: int | None) -> tuple[int, int]:
    """The numbers of the first and the last line that are asked for. Raises BadPart."""
    first = _number("from", 1 if start is None else start, lines)
    last = _number("to", -1 if end is None else end, lines)
    if first > lines:
        raise BadPart("from", f"from is behind the end: the result has {_counted(lines)}")
    if last < first:
        raise BadPart("to", f"to must not be before from: that would be lines {first} to {last} of {lines}")
    return first, last


def matcher(pattern: str) -> Any:
    """The pattern, compiled for matching in linear time. Raises BadPart."""
    if len(pattern) > LONGEST_PATTERN:
        raise BadPart("pattern", f"pattern must have {LONGEST_PATTERN} characters at most")
    try:
        import re2
    except ImportError as error:
        raise BadPart("pattern", f"patterns need a package that is missing: pip install {EXTRA!r}") from error
    options = re2.Options()
    options.log_errors, options.max_mem = False, PATTERN_BYTES
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise BadPart("pattern", "pattern must be Unicode") from None
    except re2.error as error:
        said = error.args[0] if error.args else ""
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise BadPart("pattern", f"pattern is no regular expression of RE2's syntax: {why}") from None


def _number(field: str, given: int, lines: int) -> int:
    """The line's number counted from the beginning: one before it is the first, `to` is the last where it is behind."""
    if given == 0:
        raise BadPart(field, f"{field} must not be 0: lines are counted from 1, and from -1 backwards")
    if given < 0:
        return max(lines + 1 + given, 1 if field == "from" else 0)
    return min(given, lines) if field == "to" else given


def _plain(text: str, some: Sequence[str], first: int, last: int, lines: int, most: int, skip: int) -> Part:
    """The lines as they are, cut behind `most` characters: between lines where there is one to cut behind."""
    taken: list[str] = []
    room, left_out = most, skip
    for number, line in enumerate(some, first):
        rest = line[left_out:]
        if len(rest) > room:
            at = number, 0
            if not taken:
                taken.append(rest[:room])
                at = number, left_out + room
            end = number if at[1] else number - 1
            return Part("".join(taken), first, end, lines, len(text), next=at, more=_more(at, lines, most))
        taken.append(rest)
        room -= len(rest)
        left_out = 0
    return Part("".join(taken), first, last, lines, len(text))


def _matching(text: str, some: Sequence[str], first: int, last: int, lines: int, most: int, pattern: Any) -> Part:
    """The lines that match, each behind its number."""
    shown: list[str] = []
    room = most
    for number, line in _matches(some, first, pattern):
        told = f"{number}: {line}\n"
        if len(told) > room:
            if not shown:
                cut = f"cut after {most} characters of an answer: ask for more of them, or for line {number} by itself"
                return Part(told[:room], first, number, lines, len(text), 1, (number, 0), cut)
            at = number, 0
            more = _more(at, lines, most)
            return Part("".join(shown), first, number - 1, lines, len(text), len(shown), at, more)
        shown.append(told)
        room -= len(told)
    return Part("".join(shown), first, last, lines, len(text), len(shown))


def _matches(some: Sequence[str], first: int, pattern: Any) -> Iterator[tuple[int, str]]:
    """The number of each line that matches, and as much of it as is shown."""
    for number, line in enumerate(some, first):
        bare = line.removesuffix("\n")
        readable = bare if bare.isascii() else bare.encode("utf-8", "replace").decode()
        if found := pattern.search(readable):
            yield number, _around(bare, found.start())


def _around(line: str, place: int) -> str:
    """The line, of a long one what is around that place."""
    if len(line) <= LONGEST_MATCH:
        return line
    begin = min(max(place - LONGEST_MATCH // 2, 0), len(line) - LONGEST_MATCH)
    end = begin + LONGEST_MATCH
    return (ELLIPSIS if begin else "") + line[begin:end] + (ELLIPSIS if end < len(line) else "")


def _more(at: tuple[int, int], lines: int, most: int) -> str:
    """How to go on."""
    skip = f" and skip={at[1]}" if at[1] else ""
    return f"cut after {most} characters of an answer: go on with from={at[0]}{skip} ({_counted(lines)} in all)"


def _counted(lines: int) -> str:
    return f"{lines} line" if lines == 1 else f"{lines} lines"
