"""Runs a program in a session of its own, reads what it prints, and stops all of its group."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence

import msgspec

LINGER = 0.5
"""Seconds that output is still read after the program ended, while something else holds its pipe."""
LOOK = 0.02
"""Seconds between two looks whether the group is gone."""


class Ended(msgspec.Struct, frozen=True):
    """How it ended. code: negative for a signal; None when time ran out; left: it left processes, now stopped."""

    code: int | None
    left: bool = False


async def run(
    program: Sequence[str],
    directory: str,
    environ: Mapping[str, str],
    take: Callable[[bytes], None],
    seconds: float,
    grace: float,
) -> Ended:
    """Run it, its input closed and its output and errors in one stream, handed to `take` as they come.

    After `seconds`, and when the call is cancelled, every process of its group gets SIGTERM, and SIGKILL
    after `grace` seconds. Raises OSError or ValueError where it can't be started.
    """
    loop = asyncio.get_running_loop()
    reading, writing = os.pipe()
    stream = _Stream(take)
    transport, _ = await loop.connect_read_pipe(lambda: stream, os.fdopen(reading, "rb", 0))
    try:
        process = await _started(program, directory, environ, writing)
        return await _ended(process, stream, seconds, grace)
    finally:
        transport.close()


class _Stream(asyncio.Protocol):
    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self.over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()


async def _started(
    program: Sequence[str], directory: str, environ: Mapping[str, str], writing: int
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *program,
            cwd=directory,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    finally:
        os.close(writing)


async def _ended(process: asyncio.subprocess.Process, stream: _Stream, seconds: float, grace: float) -> Ended:
    """Wait for it, and stop what is left of its group, whatever happens."""
    code = None
    left = False
    try:
        code = await asyncio.wait_for(process.wait(), seconds)
        await _over(stream)
        left = _signalled(process.pid, 0)
    except TimeoutError:
        pass
    finally:
        await _stopped(process.pid, grace)
    await process.wait()
    await _over(stream)
    return Ended(code, left)


async def _over(stream: _Stream) -> None:
    """Wait for the end of the output, but not for those that hold the pipe without being of the group."""
    try:
        await asyncio.wait_for(stream.over.wait(), LINGER)
    except TimeoutError:
        return


async def _stopped(group: int, grace: float) -> None:
    """Stop every process of the group; cancelled meanwhile, at once."""
    loop = asyncio.get_running_loop()
    end = loop.time() + grace
    try:
        alive = _signalled(group, signal.SIGTERM)
        while alive and loop.time() < end:
            await asyncio.sleep(LOOK)
            alive = _signalled(group, 0)
    finally:
        _signalled(group, signal.SIGKILL)


def _signalled(group: int, number: int) -> bool:
    """Send the signal to the group; whether there was one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
