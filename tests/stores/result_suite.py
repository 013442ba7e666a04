"""What every store must do with originals of results. A store's tests inherit this and give `store`, an empty one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from store_suite import fill, record

from foldpoint.stores import Original, Result, Store


def original(id: str = "c1", time: float = 10.0, **fields: Any) -> Original:
    """A result of tenant `t` in session `s`."""
    given = {"tenant": "t", "session": "s", "transcript": "x", "turn": 1, "name": "read", "texts": ("one\ntwo",)}
    return Original(id=id, time=time, **{**given, **fields})


def texts(store: Store, id: str = "c1", **asked: Any) -> tuple[str, ...] | None:
    """The texts of a result that there is."""
    found = store.result(**{"tenant": "t", "session": "s", "id": id, **asked})
    assert found is not None
    return found.texts


class ResultSuite:
    """One test for each thing that ResultStore promises."""

    def test_an_original_comes_back_as_it_went_in(self, store: Store) -> None:
        """Every text, whatever is in it."""
        odd = ("a\0b", "", "日本\r\n", "x" * 100_000)
        store.keep([original(texts=odd, name="read — é")])
        assert store.result("t", "s", "c1") == Result("c1", "s", "x", 1, "read — é", 10.0, 100_010, odd)

    def test_what_is_there_is_written_once(self, store: Store) -> None:
        """Twice the same changes nothing, and equal texts in other places are the same original."""
        store.keep([original(), original("c2"), original()])
        store.keep([original(), original("c3", session="other")])
        assert texts(store) == texts(store, "c2") == texts(store, "c3", session="other") == ("one\ntwo",)
        assert store.purge_results(11.0, 12.0) == 1

    def test_a_tenant_sees_its_own_alone(self, store: Store) -> None:
        """Nor is what one tenant forgets forgotten for another."""
        store.keep([original(), original(tenant="u", time=99.0)])
        assert store.result("v", "s", "c1") is None
        assert store.result("t", "s", "c2") is None
        assert store.result("t", "other", "c1") is None
        store.purge_results(50.0, 60.0)
        assert (texts(store), texts(store, tenant="u")) == (None, ("one\ntwo",))

    def test_of_a_repeated_id_the_newest(self, store: Store) -> None:
        """Unless a turn is asked for."""
        store.keep([original(turn=1, texts=("old",)), original(turn=4, texts=("new",))])
        store.keep([original(turn=2, time=5.0, texts=("older",))])
        assert texts(store) == ("new",)
        assert (texts(store, turn=1), texts(store, turn=2)) == (("old",), ("older",))
        assert store.result("t", "s", "c1", 3) is None

    def test_what_is_forgotten_is_known_to_have_been(self, store: Store) -> None:
        """Where and when it was seen, how long it was, and when it went."""
        store.keep([original(), original("new", 30.0, texts=("new",))])
        assert store.purge_results(20.0, 25.0) == 1
        assert store.result("t", "s", "c1") == Result("c1", "s", "x", 1, "read", 10.0, 7, None, 25.0)
        assert texts(store, "new") == ("new",)
        assert store.purge_results(20.0, 26.0) == 0

    def test_a_forgotten_one_that_comes_again_is_there_again(self, store: Store) -> None:
        """From its new time on."""
        store.keep([original()])
        store.purge_results(20.0, 25.0)
        store.keep([original(time=30.0)])
        assert texts(store) == ("one\ntwo",)
        assert store.purge_results(29.0, 35.0) == 0
        assert store.purge_results(31.0, 35.0) == 1

    def test_a_session_that_goes_on_keeps_its_originals(self, store: Store) -> None:
        """Its time is that of the newest request of a session in which it was seen."""
        store.keep([original(), original("c2", session="ended", texts=("gone",))])
        fill(store, record("r1", 10.0), record("r2", 90.0), record("r3", 90.0, tenant="u", session="ended"))
        assert store.purge_results(50.0, 51.0) == 1
        assert (texts(store), texts(store, "c2", session="ended")) == (("one\ntwo",), None)
        assert store.purge_results(90.0, 91.0) == 0
        assert store.purge_results(91.0, 92.0) == 1

    def test_a_session_that_resumes_a_transcript_has_its_results(self, store: Store) -> None:
        """Its own come first; another transcript's are not its own."""
        store.keep(
            [original(), original("c2", transcript="y"), original("c3"), original("c3", session="new", texts=("own",))]
        )
        fill(store, record("r1", 10.0, session="new", transcript="x"))
        assert texts(store, session="new") == ("one\ntwo",)
        assert texts(store, "c3", session="new") == ("own",)
        assert store.result("t", "new", "c2") is None
        assert store.result("u", "new", "c1") is None

    def test_names_of_any_length_and_kind(self, store: Store) -> None:
        """Ids, sessions, names and transcripts come from outside."""
        long, odd = "i" * 50_000, "a/b\0?#%2F \udc80é"
        store.keep([original(long, session=long, name=long, transcript=long), original(odd, session=odd, name=odd)])
        found = store.result("t", long, long)
        assert found is not None
        assert (len(found.name), len(found.transcript)) == (256, 256)
        assert texts(store, odd, session=odd) == ("one\ntwo",)

    def test_many_at_once(self, store: Store) -> None:
        """More than one statement takes; those that are there are found among them."""
        many = [original(f"c{n}", texts=(f"text {n}",)) for n in range(2_500)]
        store.keep(many[::2])
        store.keep(many)
        assert [texts(store, f"c{n}") for n in (0, 1, 2_499)] == [("text 0",), ("text 1",), ("text 2499",)]
        assert store.purge_results(11.0, 12.0) == 2_500

    def test_several_write_and_forget_at_once(self, store: Store) -> None:
        """None waits for another in a ring, nothing is lost, and each is forgotten once."""
        together = threading.Barrier(4)

        def write(part: int) -> None:
            together.wait(20)
            for n in range(5):
                some = [original(f"c{i}", 10.0 + n, texts=(f"text {i}",)) for i in range(60)]
                store.keep(some[::-1] if part % 2 else some)

        def purge(part: int) -> int:
            together.wait(20)
            return store.purge_results(50.0, 51.0)

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(write, range(4)))
            assert {texts(store, f"c{i}") for i in range(60)} == {(f"text {i}",) for i in range(60)}
            assert sum(threads.map(purge, range(4))) == 60
