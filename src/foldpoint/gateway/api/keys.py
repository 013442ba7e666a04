"""The admin API (keys are made, listed and revoked) and what a key sets of its own skills."""

import asyncio
import time
from http import HTTPStatus

from aiohttp import web

from foldpoint.core.key import Key
from foldpoint.core.key_skills import effective, policy_of, saved
from foldpoint.core.new_key import asked

from ..callers import BAD_KEY, CALLERS, KEYRING
from ..minting import minted
from ..state import NEWS, STORE
from .guard import Refused, caller_of, json_of, key_of
from .shapes import Keys, KeyView, NewKey, Skills, key_view


async def create(request: web.Request) -> NewKey:
    """Make a key. Its secret is in the answer and nowhere else."""
    key, secret = minted(asked(await json_of(request)))
    digest = await request.app[KEYRING].digest(secret.encode())
    await asyncio.to_thread(request.app[STORE].add_key, key, digest)
    return NewKey(view(request, key), secret)


async def listed(request: web.Request) -> Keys:
    """All keys, or those of one tenant, revoked ones too."""
    found = await asyncio.to_thread(request.app[STORE].keys, request.query.get("tenant"))
    return Keys([view(request, key) for key in found])


async def revoke(request: web.Request) -> KeyView:
    """Revoke a key. It stays in the list."""
    id = request.match_info["id"]
    key = await asyncio.to_thread(request.app[STORE].revoke_key, id, time.time())
    if key is None:
        raise Refused(HTTPStatus.NOT_FOUND, f"no key has the id {id!r}")
    await told(request, id)
    return view(request, key)


async def skills(request: web.Request) -> Skills:
    """What the key folds by."""
    return Skills(**effective(caller_of(request).policy))


async def set_skills(request: web.Request) -> Skills:
    """Set what the key folds by, all of what is asked for or nothing."""
    id, given = key_of(request).id, await json_of(request)
    now = await asyncio.to_thread(request.app[STORE].set_skills, id, lambda key: saved(key, given))
    if now is None or now.revoked is not None:
        raise Refused(HTTPStatus.UNAUTHORIZED, BAD_KEY)
    await told(request, id)
    return Skills(**effective(policy_of(request.app[CALLERS].configured, now.skills)))


async def told(request: web.Request, id: str) -> None:
    """Let every process know that the key is not what it was."""
    request.app[KEYRING].forget(id)
    await request.app[NEWS].changed(id)


def view(request: web.Request, key: Key) -> KeyView:
    """A key as it is said."""
    return key_view(key, effective(policy_of(request.app[CALLERS].configured, key.skills)))
