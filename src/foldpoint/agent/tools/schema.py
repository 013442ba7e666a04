"""The arguments of a tool: the JSON Schema that a model is told, and the check of what it gives."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from foldpoint.agent.ports import Outcome

_Call = TypeVar("_Call", bound=msgspec.Struct)


def object_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of the struct, an object at its top; other structs it refers to stand in `$defs`."""
    schema = msgspec.json.schema(kind)
    parts = schema.pop("$defs")
    own = parts.pop(kind.__name__)
    own.pop("title", None)
    own.pop("description", None)
    return {**own, "$defs": parts} if parts else own


def arguments_of(kind: type[_Call], arguments: Mapping[str, Any]) -> _Call | Outcome:
    """The arguments as the struct, or the outcome that says what is wrong with them."""
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        return Outcome(f"[the arguments do not fit: {error}]", failed=True)
