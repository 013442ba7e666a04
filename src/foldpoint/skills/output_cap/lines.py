"""The lines of a text and what each is worth as evidence."""

import msgspec

from foldpoint.skills.evidence.weighing import weighed


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line: where it stands, with its end of line, and what it is worth."""

    start: int
    end: int
    score: float


def pieces(text: str) -> list[Line]:
    """The lines of a text that are evidence, in order."""
    return [Line(start, end, score) for start, end, score in weighed(text)]
