"""The spool hands records over in order, and forgets them only when they were taken."""

import random
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from store_suite import FULL, record

from foldpoint.stores import Kept, Spool, StoreError


def test_records_come_back_in_order(tmp_path: Path) -> None:
    """Whatever the batches were; bodies byte for byte; afterwards nothing waits."""
    spool = Spool(tmp_path / "sub" / "spool")
    spool.append([Kept(FULL, b"\xff\n{}"), Kept(record("b"))])
    spool.append([Kept(record("c"), b"")])
    taken: list[Kept] = []
    assert spool.replay(taken.extend) == 3
    assert taken == [Kept(FULL, b"\xff\n{}"), Kept(record("b")), Kept(record("c"), b"")]
    assert spool.empty()
    assert spool.replay(taken.extend) == 0


def test_what_was_not_taken_waits_on(tmp_path: Path) -> None:
    """A store that fails gets that batch again and none before it; another spool on the file (a restart) knows it."""
    path = tmp_path / "spool"
    Spool(path).append([Kept(record(str(n)), b"x") for n in range(1200)])
    taken: list[Kept] = []

    def fails(batch: list[Kept]) -> None:
        if taken:
            raise StoreError("down")
        taken.extend(batch)

    with pytest.raises(StoreError):
        Spool(path).replay(fails)
    assert len(taken) == 500
    Spool(path).append([Kept(record("1200"), b"x")])
    assert Spool(path).replay(taken.extend) == 701
    assert taken == [Kept(record(str(n)), b"x") for n in range(1201)]


def test_a_part_may_be_taken(tmp_path: Path) -> None:
    """Whole batches until it is that many; the rest waits."""
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record(str(n))) for n in range(1200)])
    taken: list[Kept] = []
    assert spool.replay(taken.extend, 600) == 1000
    assert not spool.empty()
    assert spool.replay(taken.extend, 600) == 200
    assert taken == [Kept(record(str(n))) for n in range(1200)]
    assert spool.empty()


def test_others_have_their_turn_between_two_batches(tmp_path: Path) -> None:
    """A process that shares the file adds to it while a long spool is replayed, and is not lost."""
    path = tmp_path / "spool"
    Spool(path).append([Kept(record(str(n))) for n in range(1000)])
    taken: list[Kept] = []
    others: list[Thread] = []

    def takes(batch: list[Kept]) -> None:
        taken.extend(batch)
        if not others:
            others.append(Thread(target=Spool(path).append, args=([Kept(record("other"))],)))
            others[0].start()

    Spool(path).replay(takes)
    others[0].join()
    Spool(path).replay(takes)
    assert [kept.record.id for kept in taken] == [*map(str, range(1000)), "other"]


def test_processes_that_share_it_hand_over_once_each(tmp_path: Path) -> None:
    """Two replay at once: all of it is taken, nothing twice, each in order."""
    path = tmp_path / "spool"
    Spool(path).append([Kept(record(f"{n:05}")) for n in range(5000)])
    parts: tuple[list[str], list[str]] = ([], [])

    def replays(part: list[str]) -> None:
        Spool(path).replay(lambda batch: part.extend(kept.record.id for kept in batch))

    threads = [Thread(target=replays, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(parts[0] + parts[1]) == [f"{n:05}" for n in range(5000)]
    assert [part == sorted(part) for part in parts] == [True, True]


def test_large_bodies_come_in_small_batches(tmp_path: Path) -> None:
    """What is in memory at once is bounded."""
    spool = Spool(tmp_path / "spool")
    body = random.Random(1).randbytes(3_000_000)
    spool.append([Kept(record(str(n)), body) for n in range(5)])
    batches: list[list[str]] = []
    spool.replay(lambda batch: batches.append([kept.record.id for kept in batch]))
    assert batches == [["0", "1", "2"], ["3", "4"]]


def test_a_full_disk_takes_nothing_of_a_batch(tmp_path: Path) -> None:
    """What was there before is whole, and there is room again for what fits."""
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("full_disk.py")), str(tmp_path)], capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == ("File too large\na c\n", "")


def test_a_line_cut_by_a_crash_is_passed_over(tmp_path: Path) -> None:
    """What stands behind it is not lost."""
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record("a")), Kept(record("b"))])
    spool.path.write_bytes(spool.path.read_bytes()[:-20])
    spool.append([Kept(record("c")), Kept(record("d"))])
    taken: list[Kept] = []
    spool.replay(taken.extend)
    assert [kept.record.id for kept in taken] == ["a", "c", "d"]


def test_a_long_spool_keeps_records_without_bodies(tmp_path: Path) -> None:
    """Past the limit."""
    spool = Spool(tmp_path / "spool", limit=100)
    for name in "ab":
        spool.append([Kept(record(name), b"x" * 2000)])
    taken: list[Kept] = []
    spool.replay(taken.extend)
    assert taken == [Kept(record("a"), b"x" * 2000), Kept(record("b"))]


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    """Conversations lie in it."""
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(FULL, b"x")])
    assert stat.S_IMODE(spool.path.stat().st_mode) == 0o600


def test_bodies_wait_compressed(tmp_path: Path) -> None:
    """An outage of hours fits on the disk."""
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record("a"), b"the same words again, " * 10_000)])
    assert spool.path.stat().st_size < 10_000


def test_a_body_that_is_broken_is_passed_over(tmp_path: Path) -> None:
    """With its record, as a line cut short; what stands behind it is not lost."""
    spool = Spool(tmp_path / "spool")
    spool.append([Kept(record("a"), b"x" * 100), Kept(record("b"), b"y")])
    lines = spool.path.read_bytes()
    begin = lines.index(b'"compressed":"') + len(b'"compressed":"')
    spool.path.write_bytes(lines[:begin] + b"AAAA" + lines[begin + 4 :])
    taken: list[Kept] = []
    spool.replay(taken.extend)
    assert taken == [Kept(record("b"), b"y")]
