"""The arguments of a tool: the JSON Schema that a model is told, and the check of what it gives."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from foldpoint.agent.ports import Outcome

_Call = TypeVar("_Call", bound=msgspec.Struct)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def object_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of the struct, an object at its top; other structs it refers to stand in `$defs`."""
    schema = msgspec.json.schema(kind)
    parts = schema.pop("$defs")
    own: dict[str, Any] = parts.pop(kind.__name__)
    own.pop("title", None)
    own.pop("description", None)
    return {**own, "$defs": parts} if parts else own


def arguments_of(kind: type[_Call], arguments: Mapping[str, Any]) -> _Call | Outcome:
    """The arguments as the struct, or the outcome that says what is wrong with them."""
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        return Outcome(f"[the arguments do not fit: {error}]", failed=True)


def call_of(function: Callable[..., Any], name: str) -> tuple[type[msgspec.Struct], str]:
    """The parameters of a function as a struct, and its description.

    Raises TypeError for parameters that a call by name can't fill, and for types that have no schema.
    """
    description, told = _docstring(inspect.getdoc(function) or "")
    hints = get_type_hints(function, include_extras=True)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _NAMED:
            raise TypeError(f"parameter {parameter} can't be given by name")
        kind = hints.get(parameter.name, Any)
        if parameter.name in told:
            kind = Annotated[kind, Meta(description=told[parameter.name])]
        plain = parameter.default is parameter.empty
        fields.append((parameter.name, kind) if plain else (parameter.name, kind, parameter.default))
    title = re.sub(r"\W", "_", name).strip("_") or "call"
    return msgspec.defstruct(f"{title}_call", fields, kw_only=True, forbid_unknown_fields=True), description


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the section `Args:`, and that section by parameter."""
    head, _, rest = text.partition("\nArgs:\n")
    told: dict[str, str] = {}
    name = ""
    for line in re.split(r"\n(?=\S)", rest)[0].splitlines():
        entry = re.match(r" {1,4}(\w+)(?: *\([^)]*\))?: +(.*)", line)
        if entry:
            name = entry[1]
            told[name] = entry[2].strip()
        elif name and line.strip():
            told[name] += f" {line.strip()}"
    described = re.split(r"\n(?:Returns|Raises|Yields|Examples?):\n", head)[0]
    return described.strip(), told
