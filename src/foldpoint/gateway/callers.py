"""Who a request is from: the key it brings, its tenant, and what is folded for it."""

import asyncio
import hmac
import logging
import os
from collections.abc import Callable, Container, Mapping

import msgspec
from aiohttp import web

from foldpoint.config import Settings
from foldpoint.config.load import resolved
from foldpoint.core.key import UNLIMITED, Key, KeyLimits
from foldpoint.core.key_skills import policy_of
from foldpoint.core.policy import Policy
from foldpoint.stores.base import StoreError

from .failures import Failure
from .headers import Field, Fields, raw_of
from .keyring import Keyring
from .modes import Folder
from .strays import PLACES, credentials, is_a_key, strays, token_of

LOCAL = "local"
NO_KEY = "this gateway wants a key: send fp-… as Authorization (Bearer), x-api-key, x-goog-api-key or api-key"
TWO_KEYS = "the request brings several keys of this gateway: send one"
OUTSIDE = "a key of this gateway stands in {place}, from where the provider would get it: send it as x-api-key alone"
RESERVED = "gateway.admin_key and telemetry.metrics_key are for this gateway alone, no provider may see them"
BAD_KEY = "the key is not known, or it was revoked: ask who runs this gateway for another one"
AWAY = "the key cannot be looked up at the moment, the store is away: try again"
MOST = 10_000
MOST_STRAYS = 8
log = logging.getLogger(__name__)
Engines = Callable[[Policy], Folder]


class Caller(msgspec.Struct, frozen=True):
    """Whose request it is, the policy and the engine that fold it, and our credentials of the key by provider.

    key: the one it brought; None where there was none, and none is wanted. A credential that is None can't be read.
    """

    tenant: str
    policy: Policy
    engine: Folder
    key: Key | None = None
    credentials: Mapping[str, str | None] = {}

    @property
    def key_id(self) -> str:
        """The key's id; nothing where there is none."""
        return self.key.id if self.key else ""

    @property
    def limits(self) -> KeyLimits:
        """What it may use up."""
        return self.key.limits if self.key else UNLIMITED

    def credential(self, upstream: str, configured: str | None) -> str | None:
        """Our key for a provider: that of the caller's key, else the configured one. Raises Failure."""
        if upstream not in self.credentials:
            return configured
        found = self.credentials[upstream]
        if found is None:
            raise Failure(502, f"the credential that your key names for {upstream} cannot be read; the log says why")
        return found


class Callers:
    """Tells who a request is from."""

    def __init__(self, settings: Settings, engines: Engines, keyring: Keyring) -> None:
        policy = settings.policy()
        self.configured = policy
        self._engines = engines
        self._keyring = keyring
        self._wanted = settings.gateway.auth == "keys"
        self._admin_key = settings.gateway.admin_key
        reserved = (settings.gateway.admin_key, settings.telemetry.metrics_key)
        self._reserved = [raw_of(secret) for secret in reserved if secret]
        self._anyone = Caller(LOCAL, policy, engines(policy))
        self._known: dict[str, Caller] = {}

    async def of(self, fields: Fields) -> Caller:
        """The caller with those headers.

        Raises:
            Failure: 401 for a key that is not good, or where one is wanted and none came; 503 where it can't be told.
        """
        secret = presented(fields)
        if secret is None:
            if self._wanted:
                raise Failure(401, NO_KEY)
            return self._anyone
        try:
            key = await self._keyring.key(secret)
        except StoreError:
            raise Failure(503, AWAY, seconds=1.0) from None
        if key is None or key.revoked is not None:
            raise Failure(401, BAD_KEY)
        return await self._caller(key)

    async def sending(self, fields: Fields, target: str) -> Caller:
        """The caller of a request for a provider, who gets no key of ours wherever in the head it may stand.

        Raises:
            Failure: as `of` does, and 401 where a key of ours would go on.
        """
        if self._reserved:
            brought = list(credentials(fields, target))
            if any(hmac.compare_digest(each, secret) for secret in self._reserved for each in brought):
                raise Failure(401, RESERVED)
        caller = await self.of(fields)
        if found := strays(fields, target):
            await self._none_is_ours(found)
        return caller

    async def _none_is_ours(self, found: Mapping[bytes, str]) -> None:
        """Refuse a request in which one of those is a key. Raises Failure."""
        try:
            for at, (secret, place) in enumerate(found.items()):
                if at == MOST_STRAYS or await self._keyring.key(secret) is not None:
                    raise Failure(401, OUTSIDE.format(place=place))
        except StoreError:
            raise Failure(503, AWAY, seconds=1.0) from None

    def is_admin(self, fields: Fields) -> bool:
        """Do the headers bring the admin key?"""
        return self._admin_key is not None and brings(fields, self._admin_key, PLACES)

    @property
    def administered(self) -> bool:
        """Is there an admin key?"""
        return self._admin_key is not None

    async def _caller(self, key: Key) -> Caller:
        """The caller of a key, made anew whenever the key was read anew."""
        known = self._known.get(key.id)
        if known is not None and known.key is key:
            return known
        if len(self._known) >= MOST:
            self._known.clear()
        policy = policy_of(self.configured, key.skills)
        credentials = await asyncio.to_thread(credentials_of, key) if key.upstreams else {}
        caller = Caller(key.tenant, policy, self._engines(policy), key, credentials)
        self._known[key.id] = caller
        return caller


def presented(fields: Fields) -> bytes | None:
    """The key of ours that the headers bring, or what looks like one. Raises Failure: 401 for several."""
    found = {token_of(value) for name, value in fields if is_a_key(name.lower(), value)}
    if len(found) > 1:
        raise Failure(401, TWO_KEYS)
    return found.pop() if found else None


def without_keys(fields: list[Field]) -> list[Field]:
    """The headers without keys of ours: no provider may see one."""
    return [(name, value) for name, value in fields if not is_a_key(name.lower(), value)]


def brings(fields: Fields, secret: str, places: Container[bytes]) -> bool:
    """Do the headers of these names bring the secret? To compare takes as long whatever they bring."""
    wanted = raw_of(secret)
    return any(hmac.compare_digest(token_of(value), wanted) for name, value in fields if name.lower() in places)


def credentials_of(key: Key) -> dict[str, str | None]:
    """What the key's references stand for; one that can't be read is said in the log, not to the caller.

    Blocks: a reference may name a file.
    """
    found: dict[str, str | None] = {}
    for upstream, written in key.upstreams.items():
        secret, wrong = resolved(written, os.environ)
        if wrong:
            log.error("credential of a key", extra={"key": key.id, "upstream": upstream, "fault": wrong})
        found[upstream] = None if wrong else secret
    return found


CALLERS = web.AppKey("callers", Callers)
KEYRING = web.AppKey("keyring", Keyring)
