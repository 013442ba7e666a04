"""A client of Valkey for what requests wait for: commands asked for at the same time travel together."""

import asyncio
from typing import Any

from valkey.asyncio import ConnectionPool, Valkey

PATIENCE_SECONDS = 0.1
Asked = tuple[tuple[Any, ...], dict[str, Any], asyncio.Future[Any]]


class Batched(Valkey):
    """Sends at once what is asked for, and what is asked for meanwhile with the next sending.

    A sending that is not answered within `patience` seconds ends with TimeoutError, and with it everything that waits:
    nobody waits longer for a Valkey that is silent, however many ask.
    """

    def __init__(self, pool: ConnectionPool, patience: float = PATIENCE_SECONDS) -> None:
        super().__init__(connection_pool=pool)
        self._patience = patience
        self._asked: list[Asked] = []
        self._sender: asyncio.Task[None] | None = None

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """What the command gives."""
        answer = asyncio.get_running_loop().create_future()
        self._asked.append((args, options, answer))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_all())
        return await answer

    async def end(self) -> None:
        """Ask nothing more; what waits hears that."""
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.wait({self._sender})

    async def _send_all(self) -> None:
        sent: list[Asked] = []
        try:
            while self._asked:
                sent, self._asked = self._asked, []
                for answered, one in zip(await self._within(self._send(sent)), sent, strict=True):
                    _answer(one, answered)
        except BaseException as error:
            for one in (*sent, *self._asked):
                _answer(one, error if isinstance(error, Exception) else ConnectionError("closed"))
            self._asked = []
            if not isinstance(error, Exception):
                raise
        finally:
            self._sender = None

    async def _send(self, asked: list[Asked]) -> list[Any]:
        async with self.pipeline(transaction=False) as sending:
            for args, options, _ in asked:
                sending.execute_command(*args, **options)
            answers: list[Any] = await sending.execute(raise_on_error=False)
            return answers

    async def _within(self, sending: Any) -> list[Any]:
        """Its answers. A loop that stood still for as long looks again: the answer may lie there."""
        task = asyncio.ensure_future(sending)
        loop = asyncio.get_running_loop()
        end = loop.time() + self._patience
        try:
            done, _ = await asyncio.wait({task}, timeout=self._patience)
            if not done and loop.time() > end + self._patience / 2:
                done, _ = await asyncio.wait({task}, timeout=self._patience)
            if not done:
                raise TimeoutError(f"no answer in {self._patience:g} seconds")
            answers: list[Any] = task.result()
            return answers
        finally:
            if not task.done():
                task.add_done_callback(_looked_at)
                task.cancel()


def _answer(asked: Asked, answer: Any) -> None:
    future = asked[2]
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


def _looked_at(sending: asyncio.Future[Any]) -> None:
    """Take note of how it ended, so that nobody is told that its fault went unseen."""
    if not sending.cancelled():
        sending.exception()
