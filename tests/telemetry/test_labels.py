"""Labels are closed or bounded, whatever clients send."""

import pytest

from foldpoint.core.receipt import REASONS
from foldpoint.pricing.catalog import ROWS, known_name
from foldpoint.surfaces import SURFACES as READ
from foldpoint.telemetry.labels import SURFACES, Bounded, Reasons, closed, models_of, outcome_of


def test_every_surface_has_its_label() -> None:
    """One that is added must not be counted as `other`."""
    assert set(SURFACES) == set(READ)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (0, "client_left"), (499, "client_left"), (200, "ok"), (304, "ok"), (400, "client_error"),
        (401, "client_error"), (429, "rate_limited"), (500, "server_error"), (529, "server_error"),
    ],
)  # fmt: skip
def test_how_a_request_ended(status: int, outcome: str) -> None:
    """By the status that the client got."""
    assert outcome_of(status) == outcome


def test_a_closed_set() -> None:
    """What is not in it is other, what is empty is unknown."""
    assert [closed(value, {"a"}) for value in ("a", "b", "")] == ["a", "other", "unknown"]


def test_the_first_values_have_their_own_label() -> None:
    """The bound holds, and those that had one keep it; long ones are cut."""
    some = Bounded(2)
    assert [some.of(value) for value in ("a", "b", "c", "a", "d")] == ["a", "b", "other", "a", "other"]
    assert Bounded(1).of("x" * 300) == "x" * 100


def test_reasons_are_the_list_and_checks() -> None:
    """Whatever is called a check can't make labels without end."""
    reasons = Reasons()
    assert [reasons.of(reason) for reason in REASONS] == list(REASONS)
    assert [reasons.of(reason) for reason in ("check:orphans", "made up")] == ["check:orphans", "other"]
    assert len({reasons.of(f"check:{number}") for number in range(500)}) == 32


def test_made_up_models_are_one_label() -> None:
    """A model has the name of its row in the price table, dates and regions included; all others share one."""
    label = models_of(known_name)
    made_up = {
        label(f"{beginning}{number}") for number in range(2_500) for beginning in ("m-", "gpt-", "claude-", "x" * 200)
    }
    assert made_up <= {*ROWS, "other"}
    assert {label(f"claude-sonnet-4-5-{number}") for number in range(10_000)} == {"claude-sonnet-4-5"}
    assert [label(model) for model in ("us.anthropic.claude-opus-4-5-v1:0", "")] == ["claude-opus-4-5", "unknown"]
