"""What every log of conversations promises; `log` and `again` (the same log, opened by somebody else) are fixtures."""

import msgspec
import pytest

from foldpoint.core.conversation import Row, ToolCall
from foldpoint.stores import Conversations, StoreError

FULL = Row(
    1, "assistant", "é ✓", (ToolCall("a", "shell", '{"n":1}'),), "c", "shell", True, "anthropic", b"\x00{}", 1.5, "t"
)


class ConversationSuite:
    """The promises."""

    def test_rows_are_read_as_they_were_written(self, log: Conversations, again: Conversations) -> None:
        """Every field, also by another process, and each row vouches for those before it."""
        one = log.current("it")
        second = Row(2, "user", "Go on.")
        log.append(one, FULL)
        log.append(one, second)
        assert (again.rows(one), again.verify(one)) == ([FULL, second], 2)

    def test_a_second_writer_is_refused(self, log: Conversations, again: Conversations) -> None:
        """A row whose number is taken, or that leaves a gap, is not written."""
        one = log.current("it")
        log.append(one, FULL)
        for seq in (1, 3):
            with pytest.raises(StoreError, match=f"message {seq} is there already or does not follow"):
                again.append(one, Row(seq, "user", "Me, too."))
        assert log.rows(one) == [FULL]

    def test_a_reset_leaves_what_was(self, log: Conversations, again: Conversations) -> None:
        """The new conversation is the present one, the old one has its rows; agents have their own."""
        first = log.current("it")
        log.append(first, FULL)
        second = log.reset("it")
        assert (again.current("it"), again.conversations("it")) == (second, [first, second])
        assert (again.rows(first), again.rows(second)) == ([FULL], [])
        assert again.current("other") not in (first, second)

    def test_what_was_begun_is_known(self, log: Conversations, again: Conversations) -> None:
        """By the row that asks and the call; beginning it twice is no fault."""
        one = log.current("it")
        for _ in range(2):
            log.start(one, 1, "0:a")
        log.start(one, 2, "0:a")
        assert (again.started(one), again.started(log.reset("it"))) == ({(1, "0:a"), (2, "0:a")}, set())

    def test_one_holds_a_conversation(self, log: Conversations, again: Conversations) -> None:
        """A second one is refused, another conversation is free, and what was let go can be held."""
        with log.hold("one"):
            with pytest.raises(StoreError, match="conversation one is run by"), again.hold("one"):
                pass
            with again.hold("two"):
                pass
        with again.hold("one"):
            pass

    def test_long_rows_come_back(self, log: Conversations, again: Conversations) -> None:
        """A result of some megabytes is in the log as it was."""
        row = msgspec.structs.replace(FULL, content="line ✓\n" * 500_000)
        log.append("one", row)
        assert again.rows("one") == [row]

    def test_a_call_with_an_odd_id_is_known_to_have_begun(self, log: Conversations, again: Conversations) -> None:
        """NUL and what is no Unicode are the same `?` in the row and in the mark."""
        log.append("one", Row(1, "assistant", "", (ToolCall("a\0\ud800", "x\0", "{\ud800}"),)))
        (call,) = again.rows("one")[0].calls
        log.start("one", 1, f"0:{call.id}")
        assert (call, again.started("one")) == (ToolCall("a??", "x?", "{?}"), {(1, "0:a??")})

    def test_a_whole_second_is_a_time(self, log: Conversations, again: Conversations) -> None:
        """It is vouched for as the database gives it back."""
        log.append("one", Row(1, "user", "Go.", created_at=3))
        assert again.verify("one") == 1

    def test_rows_that_changed_places_are_seen(self, log: Conversations) -> None:
        """The first of the two is named."""
        for seq in range(1, 5):
            log.append("one", Row(seq, "user", str(seq)))
        for now, then in ((2, -1), (3, 2), (-1, 3)):
            log._database.change("UPDATE message SET seq = ? WHERE seq = ?", (then, now))
        with pytest.raises(StoreError, match="message 2 is missing or is not as it was written"):
            log.verify("one")

    def test_calls_that_cannot_be_read_are_named(self, log: Conversations) -> None:
        """Where somebody changed them by hand."""
        log.append("one", FULL)
        log._database.change("UPDATE message SET calls = ?", ("{",))
        with pytest.raises(StoreError, match="conversation one: message 1 is missing or is not as it was written"):
            log.rows("one")
