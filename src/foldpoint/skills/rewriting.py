"""Items that are sent otherwise than they came, before anything is folded: what takes their place in the request."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..core.ports import Request
from ..core.span import Spans
from ..core.text import weight
from ..core.told import Told, retold


class Cut(NamedTuple):
    """An item with shorter results in it: its bytes, how many results are shorter, and the bytes of text saved."""

    item: bytes
    results: int
    saved: int


Cuts = Mapping[int, Cut]
"""What becomes of items, by position; the others stay."""
NONE: Cuts = MappingProxyType({})


def cut_by(item: bytes, results: Sequence[Told], texts: Sequence[Sequence[str | None] | None]) -> Cut | None:
    """The item with those texts in its results (None = as it is); None where every text is as it is."""
    saved = count = 0
    for told, given in zip(results, texts, strict=True):
        shorter = [(old, new) for old, new in zip(told.texts, given or (), strict=bool(given)) if new is not None]
        saved += sum([weight(old) - weight(new) for old, new in shorter])
        count += bool(shorter)
    return Cut(retold(item, results, texts), count, saved) if count else None


def rewritten(request: Request, changed: Mapping[int, bytes]) -> Request:
    """The request with other items at those positions; the same request where there is none."""
    if not changed:
        return request
    items, body = request.items, request.body
    starts, ends, pieces = list[int](), list[int](), list[bytes]()
    at = taken = shift = 0
    for position in sorted(changed):
        item = changed[position]
        _shifted(items, at, position, shift, starts, ends)
        starts.append(items.starts[position] + shift)
        ends.append(starts[-1] + len(item))
        pieces += (body[taken : items.starts[position]], item)
        taken = items.ends[position]
        at, shift = position + 1, ends[-1] - taken
    _shifted(items, at, len(items), shift, starts, ends)
    joined = b"".join([*pieces, body[taken:]])
    return request._replace(body=joined, items=Spans(joined, starts, ends))


def _shifted(items: Spans, at: int, to: int, shift: int, starts: list[int], ends: list[int]) -> None:
    starts += [start + shift for start in items.starts[at:to]]
    ends += [end + shift for end in items.ends[at:to]]
