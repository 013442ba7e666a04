"""Requests for JSON are answered with JSON, whatever the script says."""

import asyncio
from typing import Any

import aiohttp
import pytest

from foldpoint.lab.provider import Provider, Script, Step
from foldpoint.lab.provider.reply import Reply
from foldpoint.lab.provider.structured import structured

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "score": {"type": "INTEGER", "minimum": 3},
        "kind": {"enum": ["bug", "wish"]},
        "parts": {"type": "array", "items": {"type": "string"}},
        "owner": {"$ref": "#/$defs/Owner"},
        "left": {"type": "string"},
        "due": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    },
    "required": ["title", "score", "kind", "parts", "owner", "due"],
    "$defs": {"Owner": {"type": ["object", "null"], "properties": {"age": {"type": "number"}}, "required": ["age"]}},
}
VALUE = '{"title":"none","score":3,"kind":"bug","parts":[],"owner":{"age":1},"due":null}'
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    "chat": {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}},
    "responses": {"text": {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}}},
    "gemini": {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}},
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_answer_is_a_value_of_the_schema(body: dict[str, Any]) -> None:
    """What is required is there, with its constant, its least or its first choice."""
    assert structured(body, Reply("Next is part 1.")) == Reply(VALUE)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_json_of_the_script_is_kept(body: dict[str, Any]) -> None:
    """The script knows better."""
    assert structured(body, Reply('{"title":"mine"}')) == Reply('{"title":"mine"}')


def test_a_request_with_tools_or_without_a_schema_gets_the_scripts_answer() -> None:
    """An agent's loop goes on as written."""
    given = Reply("Next is part 1.")
    assert structured(BODIES["chat"] | {"tools": [{"type": "function"}]}, given) is given
    assert structured({"response_format": {"type": "text"}}, given) is given


def test_a_schema_that_holds_itself_ends() -> None:
    """Somewhere deep down."""
    schema = {"$ref": "#/$defs/Self", "$defs": {"Self": {"$ref": "#/$defs/Self"}}}
    body = {"text": {"format": {"type": "json_schema", "name": "x", "schema": schema}}}
    assert structured(body, Reply("no")) == Reply("null")


def test_the_server_answers_so() -> None:
    """Over HTTP, too."""

    async def main() -> str:
        async with Provider(answers=Script([Step("Next is part 1.")])) as provider, aiohttp.ClientSession() as client:
            body = {"model": "gpt-5.1", "messages": [{"role": "user", "content": "Title?"}], **BODIES["chat"]}
            async with client.post(f"{provider.url}/v1/chat/completions", json=body) as answer:
                return str((await answer.json())["choices"][0]["message"]["content"])

    assert asyncio.run(main()) == VALUE
