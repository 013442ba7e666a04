"""What else the openai SDK asks of the Responses API, through the gateway: held responses, counts, compaction."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
from loops import through

from foldpoint.core.receipt import HEADER
from foldpoint.gateway.serving import run
from foldpoint.lab.provider import Call, Provider, Script, Step

TURNS = 15
TOOLS: Any = [{"type": "custom", "name": "exec"}]
PLAY = Script(
    [Step(f"Step {n}.", (Call("exec", {"input": f"run {n}"}),), f"Thought {n}.") for n in range(TURNS)], Step("Done.")
)
OUTPUT = "the quick brown fox jumps over the lazy dog; " * 60


@contextlib.asynccontextmanager
async def asking(folder: Path) -> AsyncIterator[tuple[openai.AsyncOpenAI, Provider]]:
    """A client of the gateway, which folds, and the provider behind it."""
    async with through(folder, PLAY) as (url, provider, _):
        yield openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0), provider


def outputs(answer: Any) -> list[Any]:
    """The outputs of an answer's calls."""
    calls = [item for item in answer.output if item.type == "custom_tool_call"]
    return [{"type": "custom_tool_call_output", "call_id": call.call_id, "output": OUTPUT} for call in calls]


async def history(client: openai.AsyncOpenAI, turns: int) -> list[Any]:
    """A stateless conversation of so many turns."""
    given: list[Any] = [{"role": "user", "content": "Go on until you are done."}]
    for _ in range(turns):
        answer = await client.responses.create(model="gpt-5.1", input=given, tools=TOOLS, store=False)
        given += [item.model_dump(exclude_none=True) for item in answer.output] + outputs(answer)
    return given


def test_a_conversation_that_the_provider_holds(tmp_path: Path) -> None:
    """Every request sends what is new alone; it is passed on, and the responses can be read and deleted."""

    async def main() -> tuple[list[str], str, int]:
        async with asking(tmp_path) as (client, provider):
            create = client.responses.with_raw_response.create
            verdicts, answer, given = [], None, "Go on until you are done."
            for _ in range(TURNS + 1):
                more = {"previous_response_id": answer.id} if answer else {}
                raw = await create(model="gpt-5.1", input=given, tools=TOOLS, **more)  # type: ignore[call-overload]
                verdicts.append(f"{raw.headers[HEADER]} {raw.headers[HEADER + '-reason']}")
                answer = raw.parse()
                given = outputs(answer)
            assert (await client.responses.retrieve(answer.id)).output_text == "Done."
            await client.responses.delete(answer.id)
            with contextlib.suppress(openai.NotFoundError):
                await client.responses.retrieve(answer.id)
                raise AssertionError("it is still there")
            return verdicts, answer.output_text, provider.log.requests

    verdicts, said, requests = run(main())
    assert verdicts == ["skipped not_a_trajectory", *["skipped provider_state"] * TURNS]
    assert (said, requests) == ("Done.", TURNS + 1)


def test_what_is_counted_is_what_will_be_sent(tmp_path: Path) -> None:
    """`input_tokens` folds like the request that it counts."""

    async def main() -> tuple[int, int, int]:
        async with asking(tmp_path) as (client, provider):
            given = await history(client, 9)
            counted = await client.responses.input_tokens.count(model="gpt-5.1", input=given, tools=TOOLS)
            answer = await client.responses.create(model="gpt-5.1", input=given, tools=TOOLS)
            whole = openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="k", max_retries=0)
            unfolded = await whole.responses.input_tokens.count(model="gpt-5.1", input=given, tools=TOOLS)
            assert answer.usage is not None
            return counted.input_tokens, answer.usage.input_tokens, unfolded.input_tokens

    counted, billed, unfolded = run(main())
    assert counted == billed
    assert billed < unfolded * 0.7


def test_a_compaction_is_made_and_the_session_folds_again(tmp_path: Path) -> None:
    """The provider compacts, at its own path or in the list; what comes behind is folded, never the compaction."""

    async def main() -> tuple[list[str], str]:
        async with asking(tmp_path) as (client, provider):
            given = await history(client, 4)
            compacted = await client.responses.compact(model="gpt-5.1", input=given)
            given = [item.model_dump(exclude_none=True, warnings=False) for item in compacted.output]
            compaction, verdicts, answer = given[-1], [], None
            while answer is None or outputs(answer):
                create = client.responses.with_raw_response.create
                raw = await create(model="gpt-5.1", input=given, tools=TOOLS, store=False)
                verdicts.append(raw.headers[HEADER])
                answer = raw.parse()
                given += [item.model_dump(exclude_none=True) for item in answer.output] + outputs(answer)
            sent = provider.log.exchanges[-1].body.decode()
            assert sent.count(compaction["encrypted_content"]) == 1
            assert sent.index(compaction["encrypted_content"]) < sent.index("[trajectory summary]")
            assert provider.log.outcomes == {"answered": provider.log.requests}
            return verdicts, answer.output_text

    verdicts, said = run(main())
    assert said == "Done."
    assert verdicts[:6] == ["skipped", *["no_op"] * 5]
    assert set(verdicts[6:]) == {"compacted"}


def test_every_event_of_a_stream_arrives(tmp_path: Path) -> None:
    """From the first to the last, in order."""

    async def main() -> tuple[str, str, list[int]]:
        async with asking(tmp_path) as (client, _):
            stream = await client.responses.create(model="gpt-5.1", input="go", stream=True)
            events = [event async for event in stream]
            return events[0].type, events[-1].type, [event.sequence_number for event in events]

    first, last, numbers = run(asyncio.wait_for(main(), 30))
    assert (first, last) == ("response.created", "response.completed")
    assert numbers == list(range(len(numbers)))
