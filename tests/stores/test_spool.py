"""The spool hands records over in order, and forgets them only when they were taken."""

import stat
from pathlib import Path

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
    """A store that fails gets everything again; another spool on the file (a restart) has it too."""
    path = tmp_path / "spool"
    Spool(path).append([Kept(record(str(n))) for n in range(500)])
    batches: list[list[Kept]] = []

    def fails(batch: list[Kept]) -> None:
        batches.append(batch)
        if len(batches) == 2:
            raise StoreError("down")

    with pytest.raises(StoreError):
        Spool(path).replay(fails)
    taken: list[Kept] = []
    assert Spool(path).replay(taken.extend) == 500
    assert [kept.record.id for kept in taken] == [str(n) for n in range(500)]


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
