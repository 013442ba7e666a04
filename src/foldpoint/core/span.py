"""Spans: the caller's bytes of each message, by where they stand in the body."""

from collections.abc import Sequence
from typing import overload


class Spans(Sequence[bytes]):
    """Neighbouring stretches of one body: item i is body[starts[i]:ends[i]]."""

    __slots__ = ("body", "ends", "starts")

    def __init__(self, body: bytes, starts: list[int], ends: list[int]) -> None:
        self.body, self.starts, self.ends = body, starts, ends

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return [self.body[start:end] for start, end in zip(self.starts[at], self.ends[at], strict=True)]
        return self.body[self.starts[at] : self.ends[at]]
