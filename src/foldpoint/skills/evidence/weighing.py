"""How telling the pieces of a text are: what is rare in it, and what is not as its like usually are."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import log

import msgspec

from .gaps import is_gap
from .kinds import WEIGHTS, Mark, marks_of
from .looking import looked_at, pieces_of

USUAL = 0.5
"""Share of the values of a form above which one of them is the usual one."""
FEW = 4
"""Values of a form of which none can be called usual."""
UNUSUAL = 4.0
"""What a value is worth that is not the usual one."""
LESS = 0.35
"""Of what it is worth, the part that a further mark adds to the best one of a piece."""
BEFORE, BEHIND, SHORT = 14, 30, 72
"""Characters shown in front of a mark and behind it, and of a piece that is shown whole."""
_DRESS = re.compile(r"^[\s\d|:+>*#-]*\s")


class Snippet(msgspec.Struct, frozen=True, gc=False):
    """A part of a text that is evidence; `number` is its place among the parts."""

    score: float
    number: int
    text: str


class Piece(msgspec.Struct, gc=False):
    """A line or a sentence, how often it stands in the text, and the marks in it, which are of the whole text."""

    start: int
    text: str
    times: int
    marks: list[Mark]


class Weighed(msgspec.Struct, frozen=True, gc=False):
    """A piece of a text: where it stands and what it is worth; nothing where its like stood before."""

    start: int
    end: int
    worth: float


def snippets_of(text: str, least: float = 0.0, left: int = 0) -> list[Snippet]:
    """The parts of a text worth more than that, in their order; equal pieces once, with their count.

    left: characters that are left out of the text; evidence is as rare as among all of them.
    """
    seen = "\n".join([text[start:end] for start, end in looked_at(text)])
    _, pieces = _marked(seen)
    worth = _worth(pieces, 1.0 + left / (len(text) or 1))
    found = []
    for number, piece in enumerate(pieces):
        if piece.marks:
            score, top = _score(piece, worth)
            if score > 0.0 and score >= least:
                shown = _around(piece, [mark for mark in piece.marks if worth[mark.shape, mark.value] >= top / 2])
                found.append(Snippet(score, number, f"{shown} (×{piece.times})" if piece.times > 1 else shown))
    return found


def weighed(text: str, windows: Sequence[tuple[int, int]]) -> list[list[Weighed]]:
    """The pieces of each window of a text, in order, without the ends of lines."""
    places, pieces = _marked("\n".join([text[start:end] for start, end in windows]))
    worth = _worth(pieces)
    found: list[list[Weighed]] = [[] for _ in windows]
    window, at = 0, windows[0][0]
    for start, end, piece in places:
        while start + at > windows[window][1]:
            window += 1
            at = windows[window][0] - start
        score = _score(piece, worth)[0] if piece is not None and piece.marks else 0.0
        found[window].append(Weighed(start + at, end + at, score))
    return found


def _score(piece: Piece, worth: Mapping[tuple[str, str], float]) -> tuple[float, float]:
    """What a piece is worth, and its best mark."""
    scores = [worth[mark.shape, mark.value] for mark in piece.marks]
    top = max(scores)
    return (top + LESS * (sum([each for each in scores if each > 0.0]) - top) if top > 0.0 else 0.0), top


Place = tuple[int, int, Piece | None]
"""Where a piece begins and ends, and the piece; none where its like stood before, or it stands for a gap."""


def _marked(text: str) -> tuple[list[Place], list[Piece]]:
    """The pieces of a text with their marks; a piece that stands there again is counted with the first."""
    pieces: dict[str, Piece] = {}
    places: list[Place] = []
    for start, end in pieces_of(text):
        said = text[start:end]
        first = pieces.get(said)
        if first is None and not is_gap(said):
            pieces[said] = first = Piece(start, said, 1, [])
            places.append((start, end, first))
            continue
        if first is not None:
            first.times += 1
        places.append((start, end, None))
    starts = [start for start, _, _ in places]
    for mark in marks_of(text, len(places)):
        piece = places[bisect_right(starts, mark.start) - 1][2]
        if piece is not None:
            piece.marks.append(mark)
    return places, list(pieces.values())


def _worth(pieces: list[Piece], times: float = 1.0) -> Mapping[tuple[str, str], float]:
    """What each (shape, value) is worth among all of a text: more in a longer one, nothing where every piece has it.

    times: how many times as long the text was of which these pieces are left.
    """
    having: dict[str, int] = {}
    values: dict[str, dict[str, int]] = {}
    kinds: dict[str, str] = {}
    count = sum([piece.times for piece in pieces])
    for piece in pieces:
        for shape in {mark.shape for mark in piece.marks}:
            having[shape] = having.get(shape, 0) + piece.times
        for mark in piece.marks:
            counts = values.setdefault(mark.shape, {})
            counts[mark.value] = counts.get(mark.value, 0) + piece.times
            kinds[mark.shape] = mark.kind
    worth = {}
    whole = times * count
    for shape, counts in values.items():
        had = having[shape] * times ** (having[shape] / count)
        rare = WEIGHTS[kinds[shape]] * log((whole + 1) / (had + 0.5))
        usual = max(counts, key=lambda value, counts=counts: counts[value])  # type: ignore[misc]
        settled = kinds[shape] == "count" and FEW < sum(counts.values()) < counts[usual] / USUAL
        for value in counts:
            worth[shape, value] = rare if not settled else 0.0 if value == usual else UNUSUAL * log(whole + 1)
    return worth


def _around(piece: Piece, marks: list[Mark]) -> str:
    """The marks with some of what stands around them; a short piece whole, but for what leads every line."""
    text = piece.text
    if len(text) <= SHORT:
        return _DRESS.sub("", text)
    first = min(mark.start for mark in marks) - piece.start
    last = max(mark.end for mark in marks if mark.end - piece.start - first <= 2 * SHORT or mark is marks[0])
    left = text.rfind(" ", 0, first - BEFORE) + 1 if first > BEFORE else 0
    right = text.find(" ", min(len(text), last - piece.start + BEHIND))
    return text[left : right if right >= 0 else len(text)]
