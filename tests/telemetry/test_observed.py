"""What clients and providers send can't break an exporter."""

import math

from hypothesis import given
from hypothesis import strategies as st
from seen import seen

from foldpoint.core.usage import Usage
from foldpoint.telemetry.observed import LONGEST, MOST, cleaned

ANY_TEXT = st.text(st.characters(), max_size=600)


def test_what_is_plain_is_left_alone() -> None:
    """The same object, at no cost."""
    one = seen()
    assert cleaned(one) is one


@given(ANY_TEXT, ANY_TEXT, st.integers(), st.integers(), st.floats())
def test_anything_can_be_written_down(model: str, key: str, tokens: int, billed: int, ms: float) -> None:
    """Texts are Unicode and bounded, whole numbers and sums of them fit in 64 bits, every figure is a number."""
    one = cleaned(
        seen(
            model=model,
            session=key,
            key=key,
            tokens_before=tokens,
            usage=Usage(billed, billed, billed, billed),
            upstream_ms=ms,
        )
    )
    record = one.record
    for text in (record.model, record.session, one.key):
        assert len(text.encode()) <= 4 * LONGEST
    assert record.model[:5] == model[:5].encode("utf-8", "replace").decode()
    assert record.usage is not None
    assert max(abs(record.tokens_before), abs(record.usage.prompt)) < 2**63
    assert math.isfinite(record.upstream_ms)


def test_a_trace_header_that_is_too_long_is_none() -> None:
    """Cut it would say something else."""
    one = cleaned(seen(traceparent="0" * 513, tracestate="a=" + "b" * 600))
    assert (one.traceparent, one.tracestate) == ("", "")


def test_figures_are_bounded() -> None:
    """To what is said of them."""
    one = cleaned(seen(usage=Usage(10**30, -(10**30), 3, 4), cost=math.inf))
    assert one.record.usage == Usage(MOST, -MOST, 3, 4)
    assert one.record.cost == 0.0


def test_times_of_a_request() -> None:
    """Reckoned from the record, or back from when it ended."""
    assert (seen().end, seen().seconds) == (1001.004, 1.004)
    assert seen(ended=1005.0).end == 1005.0
