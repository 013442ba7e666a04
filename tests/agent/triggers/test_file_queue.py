"""A directory as a queue: in order, none lost, none twice."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from foldpoint.agent.triggers.files import MOST_BYTES, FileQueue, FileTrigger, QueueError


def given(
    directory: Path, count: int, then: Callable[[FileTrigger], Awaitable[None]] | None = None
) -> list[FileTrigger]:
    """The first triggers that a new queue gives, each handed to `then`."""

    async def taken() -> list[FileTrigger]:
        found = []
        async with asyncio.timeout(20):
            async for trigger in FileQueue(directory, poll_seconds=0.01):
                if then:
                    await then(trigger)
                found.append(trigger)
                if len(found) == count:
                    break
        return found

    return asyncio.run(taken())


def tree(directory: Path) -> list[str]:
    """All files, by path."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("[!.]*") if path.is_file())


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    """Their text without white space around it; files that are being written are left alone."""
    for name in ("b", "a.txt", ".hidden", "c.tmp", "d~"):
        (tmp_path / name).write_text(f" {name}\n")
    assert [trigger.text for trigger in given(tmp_path, 2)] == ["a.txt", "b"]


def test_done_and_failed_are_moved(tmp_path: Path) -> None:
    """A failed one with its reason; a name that is taken gets a number."""

    async def end(trigger: FileTrigger) -> None:
        await (trigger.failed("no key") if trigger.text == "bad" else trigger.done())

    FileQueue(tmp_path)
    (tmp_path / "done/a.txt").write_text("earlier")
    (tmp_path / "a.txt").write_text("good")
    (tmp_path / "b.txt").write_text("bad")
    given(tmp_path, 2, end)
    assert tree(tmp_path) == ["done/a.2.txt", "done/a.txt", "failed/b.txt", "failed/b.txt.reason"]
    assert (tmp_path / "failed/b.txt.reason").read_text() == "no key\n"


def test_what_was_not_finished_comes_again_under_its_id(tmp_path: Path) -> None:
    """As after a crash; put there anew, it is another."""
    (tmp_path / "a").write_text("x")
    first, again = given(tmp_path, 1)[0].id, given(tmp_path, 1)[0].id
    os.utime(tmp_path / "a", ns=(1, 1))
    assert (first, first.startswith("a:")) == (again, True)
    assert given(tmp_path, 1)[0].id != first


def test_file_put_there_later_is_found(tmp_path: Path) -> None:
    """While the queue waits."""

    async def more(trigger: FileTrigger) -> None:
        await trigger.done()
        if trigger.text == "one":
            (tmp_path / ".next").write_text("two")
            (tmp_path / ".next").rename(tmp_path / "next")

    (tmp_path / "a").write_text("one")
    assert [trigger.text for trigger in given(tmp_path, 2, more)] == ["one", "two"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff", "it is not UTF-8: invalid start byte at byte 0\n"),
        (b" \n", "it is empty\n"),
        (b"x" * (MOST_BYTES + 1), "it is longer than 1048576 bytes\n"),
    ],
)
def test_file_that_is_no_trigger_fails(tmp_path: Path, data: bytes, reason: str) -> None:
    """And the next one comes."""
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "b").write_text("x")
    assert [trigger.text for trigger in given(tmp_path, 1)] == ["x"]
    assert (tmp_path / "failed/a.reason").read_text() == reason


def test_pipe_does_not_hang_it(tmp_path: Path) -> None:
    """Nor any other file that is no regular one."""
    os.mkfifo(tmp_path / "a")
    (tmp_path / "b").write_text("x")
    assert [trigger.text for trigger in given(tmp_path, 1)] == ["x"]
    assert (tmp_path / "failed/a.reason").read_text() == "it is no regular file\n"


def test_queue_is_worked_on_by_one(tmp_path: Path) -> None:
    """A second one is refused, until the first has left."""
    (tmp_path / "a").write_text("x")

    async def second(_: FileTrigger) -> None:
        with pytest.raises(QueueError) as caught:
            await anext(aiter(FileQueue(tmp_path)))
        assert str(caught.value) == f"another process works on the triggers of {tmp_path}"

    assert [trigger.text for trigger in given(tmp_path, 1, second)] == ["x"]
    assert [trigger.text for trigger in given(tmp_path, 1)] == ["x"]


def test_directory_that_cant_be_made_is_an_error(tmp_path: Path) -> None:
    """With its path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(QueueError) as caught:
        FileQueue(tmp_path / "file/queue")
    assert str(caught.value) == f"{tmp_path}/file/queue can't be a queue of triggers: Not a directory"
