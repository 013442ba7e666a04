"""Makes keys: 256 bits of chance, shown once; the store gets a keyed hash of them."""

import secrets
import time

import msgspec
import uuid_utils

from foldpoint.core.key import Key

SHOWN = 9
"""Characters of a secret that are shown afterwards, its `fp-` included."""


def minted(asked: Key) -> tuple[Key, str]:
    """The key that was asked for, and its secret."""
    secret = f"fp-{secrets.token_urlsafe(32)}"
    id = f"key_{uuid_utils.uuid7().hex}"
    return msgspec.structs.replace(asked, id=id, shown=secret[:SHOWN], created=time.time()), secret
