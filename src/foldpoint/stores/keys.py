"""Keys as rows of a database: every query about them."""

import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from foldpoint.core.key import UNLIMITED, Key, KeyLimits, KeySkills

from .base import StoreError
from .columns import held
from .database import Database, Insert

PLAIN = ("name", "tenant", "plan", "shown", "created", "revoked")
FOUND = f"id, {', '.join(PLAIN)}, settings"
SECRET_BYTES = 32
DIGEST = "digest"
"""The name of the secret that digests are keyed with."""


class KeySettings(msgspec.Struct, frozen=True):
    """What a key is set to, as its row holds it: one JSON text."""

    skills: KeySkills = KeySkills()
    upstreams: dict[str, str] = {}
    limits: KeyLimits = UNLIMITED


class Keys:
    """Implements KeyStore on a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def secret(self) -> bytes:
        """What digests are keyed with: 32 bytes, made at the first call and the same for every process from then on."""
        while not (found := self._database.rows("SELECT value FROM secret WHERE name = ?", (DIGEST,))):
            made = (DIGEST, secrets.token_bytes(SECRET_BYTES))
            self._database.insert(Insert("secret", ("name", "value"), [made]))  # whoever comes first made it for all
        return bytes(found[0][0])

    def add_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key. Raises StoreError when its id or digest is there already."""
        marks = ", ".join("?" * (len(PLAIN) + 3))
        self._database.change(
            f"INSERT INTO api_key (digest, {FOUND}) VALUES ({marks})",
            (digest, held(key.id), *(held(getattr(key, name)) for name in PLAIN), _settings(key)),
        )

    def key_by(self, digest: bytes) -> Key | None:
        """The key with that digest, a revoked one too; None when there is none."""
        found = self._found("WHERE digest = ?", digest)
        return found[0] if found else None

    def keys(self, tenant: str | None = None) -> list[Key]:
        """All keys, or those of one tenant, the newest first."""
        order = "ORDER BY created DESC, id DESC"
        return self._found(order) if tenant is None else self._found(f"WHERE tenant = ? {order}", held(tenant))

    def set_skills(self, id: str, change: Callable[[Key], KeySkills]) -> Key | None:
        """Set a key's skills to what `change` makes of the key, and give it back; None when there is none.

        A revoked key is left as it is. Where another changes the key meanwhile `change` is asked anew, so that no
        change is lost; what it raises ends it.
        """
        while rows := self._database.rows(f"SELECT {FOUND} FROM api_key WHERE id = ?", (held(id),)):
            key, read = _key_of(rows[0]), rows[0][-1]
            if key.revoked is not None:
                return key
            now = msgspec.structs.replace(key, skills=change(key))
            if self._database.change(
                "UPDATE api_key SET settings = ? WHERE id = ? AND settings = ? AND revoked IS NULL",
                (_settings(now), held(id), read),
            ):
                return now
        return None

    def revoke_key(self, id: str, time: float) -> Key | None:
        """Mark the key as revoked, unless it is already, and give it back; None when there is none."""
        self._database.change("UPDATE api_key SET revoked = COALESCE(revoked, ?) WHERE id = ?", (time, held(id)))
        found = self._found("WHERE id = ?", held(id))
        return found[0] if found else None

    def _found(self, which: str, *values: Any) -> list[Key]:
        return [_key_of(row) for row in self._database.rows(f"SELECT {FOUND} FROM api_key {which}", values)]


def _settings(key: Key) -> str:
    try:
        return msgspec.json.encode(KeySettings(key.skills, key.upstreams, key.limits)).decode()
    except UnicodeEncodeError as error:
        raise StoreError(f"key {key.id!r} has a text that is no Unicode: {error.reason}") from error


def _key_of(row: tuple[Any, ...]) -> Key:
    id, *plain, settings = row
    try:
        read = msgspec.json.decode(settings, type=KeySettings)
    except msgspec.DecodeError as error:
        raise StoreError(f"the settings of key {id!r} can't be read: {error}: use a newer Foldpoint") from error
    rest = dict(zip(PLAIN, plain, strict=True))
    return Key(id=id, **rest, skills=read.skills, upstreams=read.upstreams, limits=read.limits)
