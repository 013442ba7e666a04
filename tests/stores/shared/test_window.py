"""How much is used, and when it is worth to ask again."""

import math

from hypothesis import given
from hypothesis import strategies as st

from foldpoint.stores.shared.window import SOON, Window

left = st.floats(0, 60, allow_subnormal=False)
counts = st.integers(0, 10_000)


def test_the_former_minute_counts_by_its_share() -> None:
    """15 of its 60 seconds still lie inside."""
    assert Window(40, 15.0, 3, 75.0).used == 13.0


def test_it_waits_for_the_former_minute_to_slide_out() -> None:
    """40 in the former minute, 3 in this one, 8 allowed: less than 5 of the 40 must be left, those of 7.5 seconds."""
    assert Window(40, 15.0, 3, 75.0).wait(8) == 15.0 - 7.5 + SOON


def test_it_waits_for_this_minute_to_become_the_former() -> None:
    """15 seconds until this minute ends; then the 10 must shrink to less than 8."""
    assert Window(0, 15.0, 10, 75.0).wait(8) == 15.0 + 12.0 + SOON


def test_nothing_is_waited_for_where_there_is_room() -> None:
    """Less than the limit is used."""
    assert Window(40, 15.0, 3, 75.0).wait(14) == 0.0


def test_nothing_allowed_is_never_worth_it() -> None:
    """A minute, and then another."""
    assert Window(0, 0.0, 0, 60.0).wait(0) == 60.0


@given(counts, left, counts, st.integers(1, 10_000))
def test_after_the_wait_there_is_room(previous: int, rest: float, current: int, limit: int) -> None:
    """And just before it there is none."""
    window = Window(previous, rest, current, rest + 60)
    wait = window.wait(limit)
    assert later(window, wait).used < limit
    if wait > 2 * SOON:
        assert later(window, wait - 2 * SOON).used >= limit or math.isclose(
            later(window, wait).used, limit, rel_tol=1e-3
        )


def later(window: Window, seconds: float) -> Window:
    """The window so many seconds later, when nothing else came in."""
    turn = window.current_left - 60
    if seconds < turn:
        return Window(window.previous, window.previous_left - seconds, window.current, window.current_left - seconds)
    rest = 60 - (seconds - turn)
    return Window(window.current, max(rest, 0.0), 0, rest + 60)
