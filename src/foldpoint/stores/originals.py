"""The originals in the items that a request hid, as the store keeps them."""

from collections.abc import Callable, Sequence

from foldpoint.core.hidden import Hidden
from foldpoint.core.record import Record
from foldpoint.core.told import Told

from .base import Original
from .columns import held

Read = Callable[[str, bytes], Sequence[Told]]
"""The tool results in an item of a surface. Whatever it raises, that item has none."""


def originals_of(record: Record, hidden: Sequence[Hidden], read: Read) -> tuple[Original, ...]:
    """The results in hidden items; none where the session has no name to ask by."""
    if not record.session:
        return ()
    return tuple([original for one in hidden for original in _in(record, one, read)])


def _in(record: Record, hidden: Hidden, read: Read) -> list[Original]:
    try:
        told = read(record.surface, hidden.item)
    except Exception:  # noqa: BLE001  an item that can't be read has nothing to keep, and its record must not wait for it
        return []
    return [
        Original(
            tenant=record.tenant,
            session=record.session,
            transcript=record.transcript,
            id=held(one.id),
            turn=hidden.turn,
            name=held(one.name),
            time=record.time,
            texts=tuple(one.texts),
        )
        for one in told
        if one.id and any(one.texts)
    ]
