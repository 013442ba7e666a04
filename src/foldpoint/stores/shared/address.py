"""The address of a Valkey: checked, and told without the password."""

import re
from urllib.parse import unquote, urlsplit

import msgspec

from foldpoint.stores.base import StoreError

SCHEMES = ("valkey", "valkeys", "redis", "rediss")
FORM = "valkey://[user:password@]host[:port][/database], or valkeys:// for TLS; / # ? @ % in a password percent-encoded"
DATABASE = re.compile(r"/?|/\d+")
PORT = 6379


class Address(msgspec.Struct, frozen=True):
    """Where a Valkey is. `url` has the password in it, `shown` has not."""

    url: str
    shown: str
    database: int
    tls: bool
    password: str = ""

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    def told(self, error: Exception) -> str:
        """What a fault says, without the password."""
        text = str(error) or type(error).__name__
        return text.replace(self.password, "***") if self.password else text


def address_of(url: str) -> Address:
    """The address that a setting gives. Raises StoreError, which has nothing of what may be a password in it."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORT
    except ValueError:  # its text has a piece of the address in it
        raise StoreError(f"store.shared is no address of a Valkey: it must be {FORM}") from None
    if parts.scheme not in SCHEMES:
        raise StoreError(f"store.shared: the scheme must be one of {', '.join(SCHEMES)}: {FORM}")
    if not parts.hostname or not DATABASE.fullmatch(parts.path) or parts.fragment:
        raise StoreError(f"store.shared: host or database cannot be read: it must be {FORM}")
    database = int(parts.path.strip("/") or 0)
    shown = f"{parts.scheme}://{parts.hostname}:{port}/{database}"
    return Address(url, shown, database, parts.scheme in ("valkeys", "rediss"), unquote(parts.password or ""))
