"""Head, tail, and as much evidence between them as there is room for."""

from collections.abc import Sequence

from .lines import Line

HEAD, TAIL = 5, 8
"""Head and tail get one part in so many of the room."""
GAP = 4
"""Characters that a gap takes."""


def spread(text: str, lines: Sequence[Line], room: int) -> list[tuple[int, int]]:
    """The spans to keep, in order: what evidence does not take is the head's."""
    head, tail = room // HEAD, len(text) - room // TAIL
    left = room - head - (len(text) - tail) - 2 * GAP
    taken = []
    for line in sorted(lines, key=lambda each: (-each.score / (24 + each.end - each.start) ** 0.5, each.start)):
        start, end = max(line.start, head), min(line.end, tail)
        if start < end and end - start + GAP <= left:
            left -= end - start + GAP
            taken.append((start, end))
    return joined([(0, head + max(0, left)), *sorted(taken), (tail, len(text))])


def joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans with those joined that touch or overlap."""
    found = [spans[0]]
    for start, end in spans[1:]:
        if start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
