"""Requests for JSON and nothing else: where a script has none to say, the answer is a small value of the schema.

Agents ask so in passing, for a title or for the model to take, and ask again where the answer is no JSON.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from .reply import Reply

PATHS = (
    ("output_config", "format", "schema"),
    ("response_format", "json_schema", "schema"),
    ("text", "format", "schema"),
    ("generationConfig", "responseJsonSchema"),
    ("generationConfig", "responseSchema"),
)
"""Where Messages, chat completions, Responses and Gemini say the schema of an answer."""
USUAL: Mapping[str, Any] = {"string": "none", "integer": 1, "number": 1, "boolean": False, "null": None, "array": []}
DEEPEST = 16

Schema = Mapping[str, Any]


def structured(body: Mapping[str, Any], given: Reply) -> Reply:
    """The answer; a value of the schema in its place where the request wants JSON, has no tools, and it is no JSON."""
    schema = None if body.get("tools") else wanted(body)
    if schema is None or is_json(given.text):
        return given
    return Reply(msgspec.json.encode(value(schema, schema)).decode())


def wanted(body: Mapping[str, Any]) -> Schema | None:
    """The schema that the request asks for."""
    for path in PATHS:
        found: Any = body
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping):
            return found
    return None


def is_json(text: str) -> bool:
    """Is it one JSON value?"""
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def value(schema: Schema, root: Schema, depth: int = 0) -> Any:
    """A value of a schema: its constant, its first choice, or what is required of it."""
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]
    inner = referred(schema, root)
    if inner is not None:
        return value(inner, root, depth + 1) if depth < DEEPEST else None
    kind = str(kinds(schema)[0]).lower()
    if kind == "object":
        members = schema.get("properties") or {}
        return {name: value(members.get(name, {}), root, depth + 1) for name in schema.get("required") or ()}
    return schema.get("minimum", USUAL.get(kind))


def referred(schema: Schema, root: Schema) -> Schema | None:
    """The schema that stands for this one: a definition, or the first of several."""
    if str(schema.get("$ref", "")).startswith("#/$defs/"):
        found = (root.get("$defs") or {}).get(schema["$ref"].removeprefix("#/$defs/"))
        return found if isinstance(found, Mapping) else None
    several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    return several[0] if several else None


def kinds(schema: Schema) -> list[Any]:
    """The types of a schema, at least one."""
    kind = schema.get("type") or ("object" if "properties" in schema else "string")
    return kind if isinstance(kind, list) else [kind]
