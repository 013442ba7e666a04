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
                for answered, one in zip(await self._answers(sent), sent, strict=True):
                    _answer(one, answered)
        except BaseException as error:
            for one in (*sent, *self._asked):
                _answer(one, error if isinstance(error, Exception) else ConnectionError("closed"))
            self._asked = []
            if not isinstance(error, Exception):
                raise
        finally:
            self._sender = None

    async def _answers(self, asked: list[Asked]) -> list[Any]:
        """What comes back for these. Raises TimeoutError."""
        task = self._sender
        assert task is not None
        alarm = Alarm(task, self._patience)
        try:
            async with self.pipeline(transaction=False) as sending:
                for args, options, _ in asked:
                    sending.execute_command(*args, **options)
                answers: list[Any] = await sending.execute(raise_on_error=False)
                return answers
        except asyncio.CancelledError:
            if alarm.rang and not task.uncancel():
                raise TimeoutError(f"no answer in {self._patience:g} s") from None
            raise
        finally:
            alarm.off()


class Alarm:
    """Cancels a task when its time is over, by a look at the clock that a loop which stood still cannot miss.

    The last fifth of the time begins when the loop sees that the rest is over: an answer that lay there while nothing
    ran is read by then.
    """

    def __init__(self, task: asyncio.Task[None], seconds: float) -> None:
        self.rang = False
        self._task = task
        self._last = seconds / 5
        self._timer = task.get_loop().call_later(seconds - self._last, self._nearly)

    def off(self) -> None:
        """It need not ring any more."""
        self._timer.cancel()

    def _nearly(self) -> None:
        self._timer = self._task.get_loop().call_later(self._last, self._ring)

    def _ring(self) -> None:
        self.rang = True
        self._task.cancel()


def _answer(asked: Asked, answer: Any) -> None:
    future = asked[2]
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
