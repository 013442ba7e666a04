"""What a fold keeps from the model: the caller's own items, for whoever keeps originals."""

import msgspec


class Hidden(msgspec.Struct, frozen=True, gc=False):
    """An item as the caller sent it, results of which are cut, sealed or stale in what is sent; `turn` is its turn."""

    turn: int
    item: bytes
