"""Requests of n turns on every surface, with results of many lengths."""

import json
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

PLACEHOLDER = "[long tool output stale/compacted]"
WORDS = [
    "alpha",
    "beta",
    "ERROR",
    "src/app/main.py:12",
    "12 rows",
    "ok",
    "\u00e9t\u00e9",
    '"quoted"',
    "7f3a9c",
    "\n",
    "line",
]
LENGTHS = (20, 299, 300, 301, 500, 900, 3_000)


class Made(NamedTuple):
    """A request body."""

    body: bytes


def made(surface: str, turns: int, rng: random.Random, lengths: Sequence[int] = LENGTHS) -> Made:
    """The request of that many turns; with the same `rng` a longer one begins as a shorter one does."""
    items = OPENING[surface]()
    for turn in range(1, turns + 1):
        ids = [f"call_{turn}_{number}" for number in range(rng.choice([1, 1, 1, 2, 3]))]
        results = [text(rng, rng.choice(lengths)) for _ in ids]
        items += TURN[surface](ids, results)
        if rng.random() < 0.15:
            SAYS[surface](items, f"note {turn}")
    body = {**BESIDE[surface], KEY[surface]: items}
    return Made(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())


def text(rng: random.Random, length: int) -> str:
    """A text of that many characters."""
    said = " ".join(rng.choices(WORDS, k=length))[:length]
    return said.ljust(length, "x")


def chat(ids: list[str], results: list[str]) -> list[Any]:
    calls = [{"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}} for id in ids]
    answers = [{"role": "tool", "tool_call_id": id, "content": said} for id, said in zip(ids, results, strict=True)]
    return [{"role": "assistant", "content": "Next.", "tool_calls": calls}, *answers]


def responses(ids: list[str], results: list[str]) -> list[Any]:
    calls = [{"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"} for id in ids]
    return [
        *calls,
        *[
            {"type": "function_call_output", "call_id": id, "output": said}
            for id, said in zip(ids, results, strict=True)
        ],
    ]


def anthropic(ids: list[str], results: list[str]) -> list[Any]:
    calls = [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in ids]
    answers = [
        {"type": "tool_result", "tool_use_id": id, "content": said} for id, said in zip(ids, results, strict=True)
    ]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]


def gemini(ids: list[str], results: list[str]) -> list[Any]:
    calls = [{"functionCall": {"id": id, "name": "read", "args": {}}} for id in ids]
    answers = [
        {"functionResponse": {"id": id, "name": "read", "response": {"output": said}}}
        for id, said in zip(ids, results, strict=True)
    ]
    return [{"role": "model", "parts": calls}, {"role": "user", "parts": answers}]


def bedrock(ids: list[str], results: list[str]) -> list[Any]:
    calls = [{"toolUse": {"toolUseId": id, "name": "read", "input": {}}} for id in ids]
    answers = [
        {"toolResult": {"toolUseId": id, "content": [{"text": said}]}} for id, said in zip(ids, results, strict=True)
    ]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]


def behind(items: list[Any], said: str) -> None:
    """A message of its own."""
    items.append({"role": "user", "content": said})


TURN = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
}
SAYS = {
    "openai-chat": behind,
    "openai-responses": behind,
    "anthropic": lambda items, said: items[-1]["content"].append({"type": "text", "text": said}),
    "gemini": lambda items, said: items[-1]["parts"].append({"text": said}),
    "bedrock": lambda items, said: items[-1]["content"].append({"text": said}),
}
OPENING = {
    "openai-chat": lambda: [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Begin."}],
    "openai-responses": lambda: [{"role": "user", "content": "Begin."}],
    "anthropic": lambda: [{"role": "user", "content": "Begin."}],
    "gemini": lambda: [{"role": "user", "parts": [{"text": "Begin."}]}],
    "bedrock": lambda: [{"role": "user", "content": [{"text": "Begin."}]}],
}
KEY = {
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
    "bedrock": "messages",
}
BESIDE: dict[str, dict[str, Any]] = {
    "openai-chat": {"model": "gpt-5"},
    "openai-responses": {"model": "gpt-5"},
    "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 9},
    "gemini": {},
    "bedrock": {},
}
