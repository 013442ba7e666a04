"""Spans: stretches of one body."""

from foldpoint.core.span import Spans

SPANS = Spans(b"[10,200,3]", [1, 4, 8], [3, 7, 9])


def test_an_item_is_the_bodys_bytes() -> None:
    """Item i is what stands between its start and its end."""
    assert SPANS[1] == b"200"


def test_items_count_from_the_end_too() -> None:
    """A negative place counts from the end."""
    assert SPANS[-1] == b"3"


def test_a_slice_is_a_list() -> None:
    """A slice is the items' bytes in order."""
    assert SPANS[1:] == [b"200", b"3"]


def test_spans_are_counted_and_walked() -> None:
    """Spans have a length and an order."""
    assert (len(SPANS), list(SPANS)) == (3, [b"10", b"200", b"3"])
