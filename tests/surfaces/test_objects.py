"""Messages of frameworks as bytes, and back."""

from typing import Any

import pytest

from foldpoint.surfaces.objects import as_item, as_object


class Dumped:
    """A message as pydantic has them."""

    def model_dump(self, *, mode: str, exclude_none: bool) -> dict[str, Any]:
        """The message as a dict."""
        return {"role": "user", "mode": mode, "exclude_none": exclude_none}


@pytest.mark.parametrize(
    ("message", "item"),
    [
        ({"role": "user", "content": "é"}, '{"role":"user","content":"é"}'.encode()),
        ({"n": 12345678901234567890}, b'{"n":12345678901234567890}'),
        ({"n": 1.0}, b'{"n":1.0}'),
        ({"content": "\ud83d"}, rb'{"content":"\ud83d"}'),
        ({"content": None}, b'{"content":null}'),
    ],
)
def test_a_message_is_compact_json(message: object, item: bytes) -> None:
    """Texts unescaped, 20-digit integers whole, half a surrogate as its escape."""
    assert as_item(message) == item


def test_a_pydantic_model_is_what_it_dumps() -> None:
    """As JSON, and without the fields that are not set."""
    assert as_item(Dumped()) == b'{"role":"user","mode":"json","exclude_none":true}'


def test_a_pydantic_model_inside_a_list_is_dumped_too() -> None:
    """Blocks may be models where the message is a dict."""
    assert as_item({"content": [Dumped()]}) == b'{"content":[{"role":"user","mode":"json","exclude_none":true}]}'


def test_a_model_with_half_a_surrogate_is_dumped_too() -> None:
    """The way for half surrogates takes models as well."""
    assert as_item(["\ud83d", Dumped()]) == rb'["\ud83d",{"role":"user","mode":"json","exclude_none":true}]'


def test_what_is_no_json_is_named() -> None:
    """The error names the type and says what to hand over."""
    with pytest.raises(TypeError, match="a object in a message is no JSON; hand over dicts"):
        as_item({"content": object()})


def test_an_item_is_read_back() -> None:
    """Bytes become the message again, big integers and half surrogates included."""
    assert as_object(rb'{"n":12345678901234567890123,"t":"\ud83d"}') == {"n": 12345678901234567890123, "t": "\ud83d"}
