"""Google's SDK runs a tool loop through the gateway, at the Gemini API's paths and at Vertex's."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials
from loops import SCHEMA, TASK, TURNS, Loop, Run, part, ran, through

from foldpoint.gateway.serving import run

TOOL = types.FunctionDeclaration(name="read_file", description="Read a file.", parameters_json_schema=SCHEMA)
CONFIG = types.GenerateContentConfig(
    system_instruction="You read.",
    tools=[types.Tool(function_declarations=[TOOL])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
WAYS = {
    "gemini-2.5-pro": ("", "v1beta", False),  # calls without ids
    "gemini-3.8-flash": ("/gemini", "v1", False),  # calls with ids, signatures demanded
    "gemini-3-pro-preview": ("/gemini", "v1beta1", True),  # Vertex
}


def client_of(url: str, model: str) -> genai.Client:
    """The SDK, pointed at the gateway."""
    prefix, version, vertex = WAYS[model]
    options = types.HttpOptions(base_url=url + prefix, api_version=version)
    if vertex:
        return genai.Client(
            vertexai=True,
            project="p",
            location="l",
            credentials=Credentials("token"),  # type: ignore[no-untyped-call]
            http_options=options,
        )
    return genai.Client(api_key="any", http_options=options)


async def answered(client: genai.Client, model: str, contents: list[Any], streamed: bool) -> tuple[Any, dict[str, str]]:
    """The content that the model says, and the headers of the answer."""
    if not streamed:
        answer = await client.aio.models.generate_content(model=model, contents=contents, config=CONFIG)
        return answer.candidates[0].content, dict(answer.sdk_http_response.headers)  # type: ignore[index,union-attr,arg-type]
    chunks = [chunk async for chunk in await stream(client, model, contents)]
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts or ()]
    text = "".join(part.text or "" for part in parts)
    said = [types.Part(text=text)] if text else []
    content = types.Content(role="model", parts=said + [part for part in parts if part.function_call])
    return content, dict(chunks[0].sdk_http_response.headers)


async def stream(client: genai.Client, model: str, contents: list[Any]) -> AsyncIterator[Any]:
    """The chunks of a streamed answer."""
    return await client.aio.models.generate_content_stream(model=model, contents=contents, config=CONFIG)


async def gemini_loop(url: str, model: str, streamed: bool) -> Loop:
    """The loop from the task to the last words; the tokens are counted on the way."""
    client, headers = client_of(url, model), []
    contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=TASK)])]
    while True:
        content, given = await answered(client, model, contents, streamed)
        headers.append({name.lower(): value for name, value in given.items()})
        contents.append(content)
        calls = [part.function_call for part in content.parts if part.function_call]
        if not calls:
            await client.aio.aclose()
            return "".join(part.text or "" for part in content.parts), headers
        answers = [
            types.FunctionResponse(id=call.id, name=call.name, response={"output": part(call.args["path"])})
            for call in calls
        ]
        contents.append(types.Content(role="user", parts=[types.Part(function_response=one) for one in answers]))


@pytest.mark.parametrize("model", WAYS)
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_a_tool_loop_ends_as_it_should_and_is_folded(model: str, streamed: bool, tmp_path: Path) -> None:
    """Every request is valid to the provider, folds happen, and the records say what was billed."""

    async def main() -> Run:
        async with through(tmp_path) as (url, provider, app):
            return await ran(gemini_loop(url, model, streamed), provider, app)

    loop = run(main())
    loop.check()
    assert {(record.surface, record.model) for record in loop.records} == {("gemini", model)}
    assert all(record.cost for record in loop.records)


def test_tokens_are_counted_of_what_will_be_sent(tmp_path: Path) -> None:
    """Of a folded conversation countTokens says fewer than the provider says of it directly."""

    async def main() -> tuple[int, int]:
        async with through(tmp_path) as (url, provider, _):
            contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=TASK)])]
            for number in range(TURNS):
                name, args = "read_file", {"path": f"part_{number}.txt"}
                call, said = types.FunctionCall(name=name, args=args), {"output": part(args["path"])}
                contents.append(types.Content(role="model", parts=[types.Part(function_call=call)]))
                answer = types.Part(function_response=types.FunctionResponse(name=name, response=said))
                contents.append(types.Content(role="user", parts=[answer]))
            counts = []
            for base in (url, provider.url):
                client = client_of(base, "gemini-2.5-pro")
                counted = await client.aio.models.count_tokens(model="gemini-2.5-pro", contents=contents)
                counts.append(counted.total_tokens or 0)
                await client.aio.aclose()
            return counts[0], counts[1]

    folded, whole = run(main())
    assert folded * 2 < whole


def test_the_sdk_reads_errors_of_ours(tmp_path: Path) -> None:
    """As an error of Google's, with the message that names us."""

    async def main() -> tuple[int, str | None, str]:
        async with through(tmp_path) as (url, provider, _):
            await provider.runner.cleanup()
            client = client_of(url, "gemini-2.5-pro")
            with pytest.raises(genai.errors.APIError) as raised:
                await client.aio.models.generate_content(model="gemini-2.5-pro", contents="hi")
            await client.aio.aclose()
            return raised.value.code, raised.value.status, str(raised.value.message).partition(" to ")[0]

    assert run(main()) == (502, "UNAVAILABLE", "foldpoint: cannot connect")
