"""How telling the pieces of a text are: what is rare in it, and what is not as its like usually are."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import log

import msgspec

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


def snippets_of(text: str) -> list[Snippet]:
    """The parts of a text that carry evidence, in their order; equal pieces once, with their count."""
    seen = "\n".join([text[start:end] for start, end in looked_at(text)])
    found = []
    for number, (piece, score, marks) in enumerate(_scored(seen)):
        if score > 0.0:
            shown = _around(piece, marks)
            found.append(Snippet(score, number, f"{shown} (×{piece.times})" if piece.times > 1 else shown))
    return found


def weighed(text: str) -> list[tuple[int, int, float]]:
    """(start, end, worth) of the pieces of a text that carry evidence, in their order; equal pieces once."""
    windows = looked_at(text)
    seen = "\n".join([text[start:end] for start, end in windows])
    begins = list(accumulate([end - start + 1 for start, end in windows], initial=0))
    found = []
    for piece, score, _ in _scored(seen):
        if score > 0.0:
            window = bisect_right(begins, piece.start) - 1
            start = windows[window][0] + piece.start - begins[window]
            found.append((start, min(start + len(piece.text) + 1, len(text)), score))
    return found


def _scored(seen: str) -> Iterator[tuple[Piece, float, list[Mark]]]:
    """The pieces of a text, what each is worth and the marks that make it so."""
    pieces = _marked(seen)
    worth = _worth(pieces)
    for piece in pieces:
        scored = [(worth[mark.shape, mark.value], mark) for mark in piece.marks]
        top = max((score for score, _ in scored), default=0.0)
        score = top + LESS * (sum([max(0.0, each) for each, _ in scored]) - top)
        yield piece, score, [mark for each, mark in scored if each >= top / 2]


def _marked(text: str) -> list[Piece]:
    """The pieces of a text with their marks; a piece that stands there again is counted with the first."""
    spans = list(pieces_of(text))
    pieces: dict[str, Piece] = {}
    at: list[Piece | None] = []
    for start, end in spans:
        said = text[start:end]
        first = pieces.get(said)
        if first is None:
            pieces[said] = first = Piece(start, said, 0, [])
            at.append(first)
        else:
            at.append(None)
        first.times += 1
    starts = [start for start, _ in spans]
    for mark in marks_of(text, len(spans)):
        piece = at[bisect_right(starts, mark.start) - 1]
        if piece is not None:
            piece.marks.append(mark)
    return list(pieces.values())


def _worth(pieces: list[Piece]) -> Mapping[tuple[str, str], float]:
    """What each (shape, value) is worth among all of a text: more in a longer one, nothing where every piece has it."""
    having: Counter[str] = Counter()
    values: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, str] = {}
    count = sum([piece.times for piece in pieces])
    for piece in pieces:
        having.update(dict.fromkeys([mark.shape for mark in piece.marks], piece.times))
        for mark in piece.marks:
            values[mark.shape][mark.value] += piece.times
            kinds[mark.shape] = mark.kind
    worth = {}
    for shape, counts in values.items():
        rare = WEIGHTS[kinds[shape]] * log((count + 1) / (having[shape] + 0.5))
        usual, times = counts.most_common(1)[0]
        settled = kinds[shape] == "count" and FEW < counts.total() < times / USUAL
        for value in counts:
            worth[shape, value] = rare if not settled else 0.0 if value == usual else UNUSUAL * log(count + 1)
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
