"""News of keys: a key that was changed is told to every process over a channel of Valkey."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from valkey.asyncio import Valkey

from .background import Background
from .line import Gone, Line
from .names import PREFIX

QUIET_SECONDS = 5.0
AGAIN_SECONDS = 0.5
TELLING = 5
"""Faults in a row, while Valkey is there, after which it is said."""
log = logging.getLogger("foldpoint.shared")


class ValkeyNews:
    """Tells of changed keys and listens: `forget` is called with each, `forget_all` whenever some may have been missed.

    `client` sends, `listener` has the connection on which news come; a connection on which nothing came for two times
    `quiet` seconds, not even an answer to a ping, is given up.
    """

    def __init__(
        self,
        client: Valkey,
        listener: Valkey,
        line: Line,
        database: int,
        forget: Callable[[str], None],
        forget_all: Callable[[], None],
        quiet: float = QUIET_SECONDS,
    ) -> None:
        self._client = client
        self._listener = listener
        self._line = line
        self._channel = f"{PREFIX}:{database}:keys"  # channels are not parted by databases
        self._forget = forget
        self._forget_all = forget_all
        self._quiet = quiet
        self._faults = 0
        self._listening = Background(self._listen)

    async def changed(self, key: str) -> None:
        """Say that the key is not what it was."""
        with suppress(Gone):
            await self._line.ask(lambda: self._client.publish(self._channel, key.encode("utf-8", "surrogatepass")))

    async def start(self) -> None:
        """Begin to listen."""
        await self._listening.start()

    async def close(self) -> None:
        """Listen no more."""
        await self._listening.close()

    async def _listen(self) -> None:
        """Hear again and again. The line says that Valkey is gone; here it is said that news alone do not come."""
        while True:
            try:
                await self._hear()
            except Exception as error:  # noqa: BLE001  whatever it is, it is tried again
                self._faults = self._faults + 1 if self._line.up else 0
                if self._faults == 1:
                    self._line.doubt()
                if self._faults == TELLING:
                    log.warning("news of keys do not come: changes are seen later", extra={"error": str(error)})
            await asyncio.sleep(AGAIN_SECONDS)

    async def _hear(self) -> None:
        """Listen as long as the connection lives."""
        quiet = False
        async with self._listener.pubsub() as channel:
            await channel.subscribe(self._channel)
            while True:
                message = await channel.get_message(timeout=self._quiet)
                if message is not None:
                    self._take(message)
                    quiet = False
                elif quiet:
                    raise TimeoutError("the connection is silent")
                else:
                    quiet = True
                    await channel.ping()

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            self._faults = 0
            self._forget_all()
        elif message["type"] == "message":
            self._forget(message["data"].decode("utf-8", "surrogatepass"))
