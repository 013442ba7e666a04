"""What every store must do. A store's tests inherit this and give `store`, an empty one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from foldpoint.core.record import Record
from foldpoint.core.usage import Usage
from foldpoint.stores import Kept, RecordStore, Savings, Sums
from foldpoint.stores.base import BadCursor

DAY = 86_400.0
FULL = Record(
    id="full",
    time=1_700_000_000.123456,
    tenant="t",
    key="k",
    session="s",
    transcript="x",
    surface="anthropic",
    model="claude",
    mode="prod",
    verdict="compacted",
    reason="fold_moved",
    strategy="epoch",
    sealed=4,
    total=6,
    messages_before=13,
    messages_after=6,
    bytes_before=900,
    bytes_after=500,
    tokens_before=300,
    tokens_after=170,
    tokens_saved=130,
    tokens_would_save=130,
    checkpoint="0123456789ab",
    write_tokens=77,
    held=1,
    overhead_us=812,
    upstream_ms=12.5,
    status=200,
    usage=Usage(1, 2, 3, 4),
    cost=0.5,
    cost_without=0.75,
    messages_compacted_count=6,
)


def record(id: str, time: float = 0.0, **fields: Any) -> Record:
    """A record of tenant `t` in session `s`."""
    return Record(id=id, time=time, **{"tenant": "t", "session": "s", **fields})


def fill(store: RecordStore, *records: Record) -> None:
    """Add records without bodies."""
    store.add([Kept(one) for one in records])


def ids(records: list[Record]) -> list[str]:
    """Their ids, in order."""
    return [one.id for one in records]


class StoreSuite:
    """One test for each thing that RecordStore promises."""

    def test_a_record_comes_back_as_it_went_in(self, store: RecordStore) -> None:
        """Every field, and the folded body byte for byte."""
        store.add([Kept(FULL, b'{"messages":[\xff]}'), Kept(record("bare"))])
        assert store.request("t", "full", messages=True) == Kept(FULL, b'{"messages":[\xff]}')
        assert store.request("t", "full") == Kept(FULL)
        assert store.request("t", "bare", messages=True) == Kept(record("bare"))

    def test_an_id_is_written_once(self, store: RecordStore) -> None:
        """A batch that was replayed changes nothing, and what is new in it is written."""
        store.add([Kept(record("a", status=200), b"first")])
        store.add([Kept(record("a", status=500), b"second"), Kept(record("b"))])
        assert store.request("t", "a", messages=True) == Kept(record("a", status=200), b"first")
        assert ids(store.requests("t").records) == ["b", "a"]

    def test_a_tenant_sees_its_own_alone(self, store: RecordStore) -> None:
        """No way of asking gives a record of another tenant."""
        store.add([Kept(record("mine")), Kept(record("theirs", tenant="u"), b"{}")])
        assert ids(store.requests("t").records) == ["mine"]
        assert store.request("t", "theirs", messages=True) is None
        assert [one.sums.requests for one in store.sessions("t")] == [1]
        assert ids(store.session("t", "s")) == ["mine"]
        assert store.savings("t")[0].sums.requests == 1
        assert store.requests("nobody").records == store.sessions("nobody") == store.savings("nobody") == []

    def test_records_come_newest_first(self, store: RecordStore) -> None:
        """By time, and by id where the time is the same."""
        fill(store, record("b", 2.0), record("d", 1.0), record("c", 2.0), record("a", 3.0))
        assert ids(store.requests("t").records) == ["a", "c", "b", "d"]

    def test_records_are_chosen(self, store: RecordStore) -> None:
        """By session, verdict and time, alone and together."""
        fill(
            store,
            record("a", 1.0, verdict="compacted"),
            record("b", 2.0, verdict="no_op"),
            record("c", 3.0, verdict="compacted", session="other"),
        )
        assert ids(store.requests("t", session="s").records) == ["b", "a"]
        assert ids(store.requests("t", verdict="compacted").records) == ["c", "a"]
        assert ids(store.requests("t", since=2.0).records) == ["c", "b"]
        assert ids(store.requests("t", session="s", verdict="compacted", since=2.0).records) == []

    def test_pages_hold_every_record_once_while_others_come_in(self, store: RecordStore) -> None:
        """A cursor is a place, not a number: what is written meanwhile moves nothing."""
        fill(store, *(record(f"{n:02}", float(n // 3)) for n in range(10)))
        seen, cursor = [], None
        for turn in range(4):
            page = store.requests("t", limit=3, cursor=cursor)
            seen.append(ids(page.records))
            cursor = page.cursor
            fill(store, record(f"new{turn}", 100.0))
        assert seen == [["09", "08", "07"], ["06", "05", "04"], ["03", "02", "01"], ["00"]]
        assert cursor is None

    def test_a_last_page_that_is_full_says_so(self, store: RecordStore) -> None:
        """No cursor to an empty page."""
        fill(store, record("a"), record("b"))
        assert store.requests("t", limit=2).cursor is None

    @pytest.mark.parametrize("cursor", ["", "x", "!!!", "bm90IGEgdGltZQ", "bmFuIGE", "\udc80"])
    def test_a_foreign_cursor_is_refused(self, store: RecordStore, cursor: str) -> None:
        """Not an error of the store."""
        with pytest.raises(BadCursor):
            store.requests("t", cursor=cursor)

    def test_sessions_with_their_figures(self, store: RecordStore) -> None:
        """Newest first; transcripts are counted, costs only where both are known."""
        fill(
            store,
            record("a", 1.0, transcript="x", tokens_before=10, tokens_after=4, tokens_saved=6, verdict="compacted"),
            record("b", 3.0, transcript="y", tokens_before=5, tokens_after=5, usage=Usage(1, 2, 3, 4), cost=1.0),
            record("c", 2.0, session="older", cost=1.0, cost_without=3.0),
        )
        first, second = store.sessions("t")
        assert (first.session, first.first, first.last, first.transcripts) == ("s", 1.0, 3.0, 2)
        assert first.sums == Sums(2, 1, 15, 9, 6, 0, 1, 2, 3, 4)
        assert (second.session, second.sums) == ("older", Sums(requests=1, priced=1, cost=1.0, cost_without=3.0))
        assert [one.session for one in store.sessions("t", limit=1)] == ["s"]

    def test_a_session_is_told_from_its_beginning(self, store: RecordStore) -> None:
        """Oldest first; of a long one the newest records."""
        fill(store, *(record(str(n), float(n)) for n in range(5)), record("x", session="other"))
        assert ids(store.session("t", "s")) == ["0", "1", "2", "3", "4"]
        assert ids(store.session("t", "s", limit=2)) == ["3", "4"]
        assert store.session("t", "none") == []

    def test_savings_by_model_session_and_day(self, store: RecordStore) -> None:
        """One row for each, the newest first, and one of all."""
        fill(
            store,
            record("a", 0.0, model="m", tokens_saved=1),
            record("b", DAY - 1, model="n", tokens_saved=2),
            record("c", DAY, model="m", tokens_saved=4, session="z"),
        )
        saved = {
            by: [(row.name, row.sums.tokens_saved) for row in store.savings("t", by)]
            for by in ("model", "session", "day")
        }
        assert saved == {
            "model": [("m", 5), ("n", 2)],
            "session": [("z", 4), ("s", 3)],
            "day": [("1970-01-02", 4), ("1970-01-01", 3)],
        }
        assert store.savings("t") == [Savings("all", Sums(requests=3, tokens_saved=7))]

    def test_bodies_are_forgotten_and_records_are_not(self, store: RecordStore) -> None:
        """Only what is older goes."""
        store.add([Kept(record("old", 1.0), b"x"), Kept(record("new", 2.0), b"y")])
        assert store.purge(2.0) == 1
        assert store.request("t", "old", messages=True) == Kept(record("old", 1.0))
        assert store.request("t", "new", messages=True) == Kept(record("new", 2.0), b"y")

    def test_odd_values_are_held(self, store: RecordStore) -> None:
        """Texts that are no Unicode (a header may carry them) or hold NUL, and numbers past all that is counted."""
        odd = record("odd\0", session="s\0", model="a\udc80b\0ü", usage=Usage(10**30, 0, 0, 0))
        store.add([Kept(odd, b"\0")])
        kept = store.request("t", "odd\0", messages=True)
        assert kept is not None
        assert (kept.record.id, kept.record.session, kept.record.model) == ("odd?", "s?", "a?b?ü")
        assert kept.messages == b"\0"
        assert ids(store.session("t", "s\0")) == ids(store.requests("t", session="s\udc80").records) == ["odd?"]
        assert kept.record.usage == Usage(10**12, 0, 0, 0)

    def test_odd_numbers_spoil_no_sum(self, store: RecordStore) -> None:
        """However many records claim more tokens than there are."""
        for many in (10**30, 2**63 - 1):
            usage = Usage(many, many, many, many)
            fill(store, *[record(f"{many} {at}", 1.0, usage=usage, tokens_saved=many, held=-many) for at in range(20)])
        (sums,) = [row.sums for row in store.savings("t")]
        assert (sums.requests, sums.input, sums.tokens_saved) == (40, 40 * 10**12, 40 * 10**12)
        assert [one.sums for one in store.sessions("t")] == [row.sums for row in store.savings("t", "model")] == [sums]

    def test_a_batch_is_whole_however_long_it_is(self, store: RecordStore) -> None:
        """More rows than one statement may hold, one with odd values, one that is there already."""
        fill(store, record("000", 0.0, status=1))
        odd = record("100", 100.0, transcript="x\udcff", held=1 << 70)
        batch = [odd if number == 100 else record(f"{number:03}", float(number)) for number in range(2500)]
        store.add([Kept(one, b"body") for one in batch])
        page = store.requests("t", limit=3000).records
        assert sorted(ids(page)) == sorted(f"{number:03}" for number in range(2500))
        first, odd = page[-1], page[-101]
        assert (first.id, first.status, odd.transcript, odd.held) == ("000", 1, "x?", 10**12)
        kept = [store.request("t", name, messages=True) for name in ("099", "100", "2499")]
        assert [one.messages for one in kept if one is not None] == [b"body"] * 3

    def test_many_bodies_are_forgotten_at_once(self, store: RecordStore) -> None:
        """More than go with one statement."""
        store.add([Kept(record(f"{n:04}", float(n)), b"x") for n in range(2500)])
        assert store.purge(2400.0) == 2400
        assert store.purge(2400.0) == 0

    def test_threads_that_purge_at_once_forget_each_body_once(self, store: RecordStore) -> None:
        """As replicas do."""
        store.add([Kept(record(f"{n:04}", float(n)), b"x") for n in range(2500)])
        with ThreadPoolExecutor(4) as threads:
            forgotten = list(threads.map(store.purge, [3000.0] * 4))
        assert sum(forgotten) == 2500

    def test_threads_share_a_store(self, store: RecordStore) -> None:
        """Writers and readers at once; nothing is lost."""

        def work(name: str) -> None:
            for n in range(20):
                fill(store, record(f"{name}{n:02}"))
                store.requests("t")

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.requests("t", limit=1000).records) == 80

    def test_a_store_that_is_there_answers(self, store: RecordStore) -> None:
        """`ping` says nothing."""
        store.ping()
