"""A blocking call in a thread of its own, which holds up neither the loop nor the end of the process."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")


async def in_thread(call: Callable[[], _T]) -> _T:
    """What the call gives or raises. Cancelled, the thread is left to itself."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()

    def settle(done: Callable[[], None]) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if future.done() else done())

    def work() -> None:
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001 (it is raised where the call is awaited)
            fault = RuntimeError("StopIteration") if isinstance(error, StopIteration) else error
            settle(lambda: future.set_exception(fault))
        else:
            settle(lambda: future.set_result(value))

    threading.Thread(target=work, name="tool", daemon=True).start()
    return await future
