"""The OpenAPI document: made from the table of paths and the types of their answers."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Protocol

import msgspec

from foldpoint import __version__

from .shapes import Faults

JSON, TEXT = "application/json", "text/plain"
REFERENCES = "#/components/schemas/{name}"
WANTED: Mapping[str, tuple[HTTPStatus, ...]] = {
    "anyone": (),
    "tenant": (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
    "key": (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
    "admin": (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
}
"""What the guard may answer to whom it does not let in."""
SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "a key made by `foldpoint keys create`"},
    "admin": {"type": "http", "scheme": "bearer", "description": "what gateway.admin_key says"},
}
ABOUT = (
    "Records, keys and probes of a Foldpoint gateway. Paths of providers (/v1/…, /anthropic/…, /gemini/…, /bedrock/…) "
    "are theirs: requests and answers pass in the provider's own format."
)


class Described(Protocol):
    """A path as the document needs it."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def who(self) -> str: ...
    @property
    def answers(self) -> type: ...
    @property
    def status(self) -> HTTPStatus: ...
    @property
    def query(self) -> dict[str, dict[str, Any]]: ...
    @property
    def inside(self) -> dict[str, dict[str, Any]]: ...
    @property
    def body(self) -> dict[str, Any] | None: ...
    @property
    def text(self) -> bool: ...
    @property
    def faults(self) -> tuple[HTTPStatus, ...]: ...


def of(paths: Iterable[Described]) -> dict[str, Any]:
    """The document of these paths."""
    described = list(paths)
    types = dict.fromkeys([Faults, *(each.answers for each in described)])
    _, schemas = msgspec.json.schema_components(types, ref_template=REFERENCES)
    listed: dict[str, dict[str, Any]] = {}
    for each in described:
        listed.setdefault(each.path, {})[each.method.lower()] = operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Foldpoint", "version": __version__, "description": ABOUT},
        "paths": listed,
        "components": {"schemas": schemas, "securitySchemes": SCHEMES},
    }


def operation(each: Described) -> dict[str, Any]:
    """One method of one path."""
    faults = sorted({*each.faults, *WANTED[each.who]})
    said: dict[str, Any] = {
        "summary": each.about,
        "operationId": f"{each.method.lower()}{each.path.translate(_PLAIN)}",
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": schema} for name, schema in each.inside.items()),
            *({"name": name, "in": "query", "schema": schema} for name, schema in each.query.items()),
        ],
        "responses": {
            str(int(each.status)): {"description": each.about, "content": content(each.answers, each.text)},
            **{str(int(fault)): {"description": fault.phrase, "content": content(Faults)} for fault in faults},
        },
    }
    if each.who in SCHEMES:
        said["security"] = [{each.who: []}]
    elif each.who == "tenant":
        said["security"] = [{}, {"key": []}]
    if each.body is not None:
        said["requestBody"] = {"required": True, "content": {JSON: {"schema": each.body}}}
    return said


def content(type_: type, text: bool = False) -> dict[str, Any]:
    """JSON of a type; `text`: or plain text."""
    said: dict[str, Any] = {JSON: {"schema": {"$ref": REFERENCES.format(name=type_.__name__)}}}
    return {**said, TEXT: {"schema": {"type": "string"}}} if text else said


_PLAIN = str.maketrans({"/": "_", "{": "", "}": ""})
