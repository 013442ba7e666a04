"""Headers that a changed body needs."""

import pytest

from foldpoint.gateway.changes import UNCHANGED, Changes, changed


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ([(b"a", b"1")], [(b"a", b"1"), (b"anthropic-beta", b"new")]),
        ([(b"Anthropic-Beta", b"x, y"), (b"a", b"1")], [(b"Anthropic-Beta", b"x, y,new"), (b"a", b"1")]),
        (
            [(b"anthropic-beta", b"x"), (b"anthropic-beta", b"y")],
            [(b"anthropic-beta", b"x"), (b"anthropic-beta", b"y,new")],
        ),
        ([(b"anthropic-beta", b"x, new")], [(b"anthropic-beta", b"x, new")]),
        (
            [(b"anthropic-beta", b"new"), (b"anthropic-beta", b"y")],
            [(b"anthropic-beta", b"new"), (b"anthropic-beta", b"y")],
        ),
        ([(b"anthropic-beta", b"new-2")], [(b"anthropic-beta", b"new-2,new")]),
        ([(b"anthropic-beta", b" ")], [(b"anthropic-beta", b"new")]),
    ],
)
def test_a_beta_is_named_once(given: list[tuple[bytes, bytes]], sent: list[tuple[bytes, bytes]]) -> None:
    """Behind the client's own, which stay as they are."""
    assert changed(given, Changes(beta="new")) == sent


def test_a_plain_body_has_no_encoding() -> None:
    """The other headers stay in their order."""
    given = [(b"a", b"1"), (b"Content-Encoding", b"gzip"), (b"b", b"2")]
    assert changed(given, Changes(plain=True)) == [(b"a", b"1"), (b"b", b"2")]


def test_a_body_as_it_was_changes_nothing() -> None:
    """The very list."""
    given = [(b"content-encoding", b"gzip")]
    assert changed(given, UNCHANGED) is given
