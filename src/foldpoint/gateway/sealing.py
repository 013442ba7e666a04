"""Who vouches for a request to AWS: nobody has to, the client alone, or we with credentials of ours."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from foldpoint.config import Aws
from foldpoint.core.errors import FoldpointError

from .credentials import CREDENTIALS, FROM_BROWSERS
from .headers import Field, raw_of, text
from .sigv4 import Keys, Scope, is_signed, is_signed_with, scope_for, scope_of, signed
from .strays import is_a_key

NO_BOTOCORE = (
    "AWS credentials are set for [upstreams.bedrock], but botocore is missing: pip install 'foldpoint[bedrock]'"
)


class Asked(NamedTuple):
    """A client's request as it signed it: method, the URL it asked, its headers and its body."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes


class Seal(NamedTuple):
    """What vouches for a request. `fixed`: a signature of the client's, over the body as it is."""

    fixed: bool = False
    scope: Scope | None = None
    keys: Keys | None = None

    def on(self, method: str, url: str, fields: list[Field], content: object) -> list[Field]:
        """The headers that vouch for the content: signed anew where we hold keys, else as they are."""
        if self.scope is None or self.keys is None or not isinstance(content, bytes):
            return fields
        return signed(method, url, fields, content, self.scope, self.keys)


OPEN = Seal()
FIXED = Seal(fixed=True)


class Sealing:
    """Finds the seal of each request. Keys that were set for us serve every program that asks; keys that are merely in
    our environment serve a request that was signed with the same ones, so that nobody borrows them.

    Raises FoldpointError where keys were set and botocore is not installed.
    """

    def __init__(self, aws: Aws) -> None:
        self._lends = aws.lends
        try:
            self._source = credentials_of(aws)
        except ImportError:
            if aws.lends:
                raise FoldpointError(NO_BOTOCORE) from None
            self._source = None

    async def of(self, asked: Asked, base_url: str, known: bool = False) -> Seal:
        """The seal of a request. `known`: it brought a key of ours, so it may be of a page in a browser as well."""
        scope, has_signature = scope_of(asked.headers), is_signed(asked.headers)
        if not has_signature and (not self._lends or brings_credential(asked.headers)):
            return OPEN
        if has_signature and scope is None:
            return FIXED
        keys = await self._keys()
        if keys is None or (not known and is_of_browser(asked.headers)):
            return FIXED if has_signature else OPEN
        if self._lends:
            return Seal(scope=scope or scope_for(base_url), keys=keys)
        assert scope is not None, "only what is signed gets here"
        return Seal(scope=scope, keys=keys) if is_signed_with(keys, *asked, scope) else FIXED

    async def _keys(self) -> Keys | None:
        """The keys as they are now; a role's are fetched anew before they expire, off the loop."""
        if self._source is None:
            return None
        found: Keys
        if not hasattr(self._source, "refresh_needed"):
            found = self._source.get_frozen_credentials()
        else:
            found = await asyncio.to_thread(self._source.get_frozen_credentials)
        return found


def credentials_of(aws: Aws) -> Any:
    """botocore's credentials: the ones given, or what it finds for the profile; None where there are none."""
    if aws.access_key_id and aws.secret_access_key:
        from botocore.credentials import Credentials

        return Credentials(aws.access_key_id, aws.secret_access_key, aws.session_token or None)
    if not aws.profile:
        return None
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        found = Session(profile=aws.profile).get_credentials()
    except BotoCoreError as error:
        raise FoldpointError(f"upstreams.bedrock.aws_credentials: {error}") from None
    if found is None:
        raise FoldpointError(f"upstreams.bedrock.aws_credentials: the profile {aws.profile!r} has no credentials")
    return found


def brings_credential(headers: Mapping[str, str]) -> bool:
    """Does the client bring a key of its own?"""
    brought = [(name, raw_of(headers[text(name)])) for name in CREDENTIALS if text(name) in headers]
    return any(not is_a_key(name, value) for name, value in brought)


def is_of_browser(headers: Mapping[str, str]) -> bool:
    """Is it a page in a browser that asks?"""
    return any(name.decode() in headers for name in FROM_BROWSERS)
