"""Usage is read from a copy of the answer, wherever it is cut, in bounded memory."""

import gzip
import json
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.core.usage import Usage
from foldpoint.gateway.usage_copy import LONGEST_LINE, EventStreamCopy, UsageCopy


def headers(kind: str, encoding: str = "") -> dict[str, str]:
    return {"content-type": kind, "content-encoding": encoding}


def events(*values: object, end: str = "\n") -> bytes:
    return "".join(f"event: x{end}data: {json.dumps(value)}{end}{end}" for value in values).encode()


ANTHROPIC = events(
    {"type": "message_start", "message": {"usage": {"input_tokens": 9, "cache_creation_input_tokens": 100,
     "cache_read_input_tokens": 1000, "output_tokens": 1}}},
    {"type": "ping"},
    {"type": "content_block_delta", "delta": {"text": 'é "usage": {"output_tokens": 99999}'}},
    {"type": "message_delta", "usage": {"input_tokens": None, "output_tokens": 42}},
    {"type": "message_stop"},
)  # fmt: skip
CHAT = events(
    {"choices": [{"delta": {"content": "a"}}], "usage": None},
    {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 5,
     "prompt_tokens_details": {"cached_tokens": 900, "cache_write_tokens": 60}}},
) + b"data: [DONE]\n\n"  # fmt: skip
GEMINI = events(
    {"candidates": [{"content": {"parts": [{"text": 'a "usageMetadata": {"promptTokenCount": 1}'}]}}],
     "usageMetadata": {"promptTokenCount": 1000, "cachedContentTokenCount": 900, "totalTokenCount": 1000}},
    {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1000,
     "cachedContentTokenCount": 900, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "totalTokenCount": 1007}},
    end="\r\n",
)  # fmt: skip
RESPONSE = {"id": "resp_1", "usage": {"input_tokens": 1000, "output_tokens": 5, "input_tokens_details":
            {"cached_tokens": 900, "cache_write_tokens": 60}}}  # fmt: skip
RESPONSES = events(
    {"type": "response.created", "response": {"id": "resp_1", "usage": None}},
    {"type": "response.output_text.delta", "delta": 'é "usage": {"output_tokens": 99999}'},
    {"type": "response.completed", "response": RESPONSE},
)
BILLED = {
    "gemini": (GEMINI, Usage(input=100, cache_read=900, output=7)),
    "openai-responses": (RESPONSES, Usage(input=40, cache_read=900, cache_write=60, output=5)),
    "anthropic": (ANTHROPIC, Usage(input=9, cache_read=1000, cache_write=100, output=42)),
    "openai-chat": (CHAT, Usage(input=40, cache_read=900, cache_write=60, output=5)),
}


@pytest.mark.parametrize("surface", BILLED)
@given(cuts=st.lists(st.integers(0, 700)))
def test_a_stream_may_be_cut_anywhere(surface: str, cuts: list[int]) -> None:
    """Every cut gives the same usage."""
    stream, usage = BILLED[surface]
    copy = UsageCopy(surface, headers("text/event-stream; charset=utf-8"))
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    for start, end in pairwise(edges):
        copy.feed(stream[start:end])
    assert copy.usage() == usage


@pytest.mark.parametrize("surface", BILLED)
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("GZIP", gzip.compress), ("identity", bytes)],
)
def test_a_compressed_stream_is_inflated_for_the_copy(surface: str, encoding: str, packed: type[bytes]) -> None:
    """One byte at a time."""
    stream, usage = BILLED[surface]
    copy = UsageCopy(surface, headers("text/event-stream", encoding))
    for byte in packed(stream):
        copy.feed(bytes([byte]))
    assert copy.usage() == usage


def test_events_end_with_any_line_end() -> None:
    """Carriage return and line feed too, and the last line may have none."""
    stream = events({"usage": {"prompt_tokens": 3}}, end="\r\n") + b'data:{"usage": {"prompt_tokens": 8}}'
    copy = UsageCopy("openai-chat", headers("text/event-stream"))
    copy.feed(stream)
    assert copy.usage() == Usage(input=8)


@pytest.mark.parametrize(
    ("surface", "document", "usage"),
    [
        ("anthropic", {"content": [], "usage": {"input_tokens": 1, "output_tokens": 2}}, Usage(input=1, output=2)),
        ("openai-chat", {"usage": {"prompt_tokens": 5, "completion_tokens": 1}}, Usage(input=5, output=1)),
        ("openai-chat", {"usage": {"prompt_tokens": 5, "prompt_tokens_details": None}}, Usage(input=5)),
        ("openai-chat", {"usage": {"prompt_tokens": "5", "completion_tokens": -1}}, Usage()),
        ("openai-responses", RESPONSE, Usage(input=40, cache_read=900, cache_write=60, output=5)),
        ("openai-responses", {"usage": {"input_tokens": 7, "input_tokens_details": None}}, Usage(input=7)),
        ("openai-responses", {"object": "response.input_tokens", "input_tokens": 7}, None),
        ("openai-chat", {"usage": None}, None),
        ("openai-chat", {"error": {}}, None),
        ("anthropic", {"content": [{"input": {"usage": {"input_tokens": 9}}}]}, None),
        ("another", {"usage": {"input_tokens": 9}}, None),
        ("gemini", {"usageMetadata": {"promptTokenCount": 9, "toolUsePromptTokenCount": 3, "cachedContentTokenCount": 4,
         "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "totalTokenCount": 19}},
         Usage(input=8, cache_read=4, output=7)),
        ("gemini", [{"usageMetadata": {"promptTokenCount": 9}}, {"candidates": []}, 7,
         {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}}], Usage(input=9, output=2)),
        ("gemini", [], None),
        ("gemini", {"totalTokens": 9}, None),
        ("anthropic", {"usage": {"input_tokens": 2**63, "output_tokens": 10**40}}, Usage(input=10**12, output=10**12)),
    ],
)  # fmt: skip
def test_a_plain_answer(surface: str, document: object, usage: Usage | None) -> None:
    """The usage object at the top level, normalised; None where there is none."""
    body = json.dumps(document).encode()
    copy = UsageCopy(surface, headers("application/json"))
    copy.feed(body[:10])
    copy.feed(body[10:])
    assert copy.usage() == usage


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
def test_other_encodings_say_nothing(encoding: str) -> None:
    """No usage rather than a wrong one."""
    copy = UsageCopy("anthropic", headers("text/event-stream", encoding))
    copy.feed(ANTHROPIC)
    assert copy.usage() is None


def test_broken_compression_says_nothing() -> None:
    """And disturbs nobody."""
    copy = UsageCopy("anthropic", headers("text/event-stream", "gzip"))
    copy.feed(b"not gzip")
    copy.feed(b"at all")
    assert copy.usage() is None


def test_a_line_without_end_is_given_up() -> None:
    """What is held stays bounded, and the events behind it still count."""
    copy = EventStreamCopy()
    held = 0
    for _ in range(100):
        copy.feed(b"x" * 64_000)
        held = max(held, len(copy._line))
    copy.feed(b'data: {"usage": {"output_tokens": 1}}\n' + ANTHROPIC)
    assert copy.counts()["output_tokens"] == 42
    assert held <= LONGEST_LINE


@pytest.mark.parametrize("piece", [1_000, 300_000, 4_000_000])
def test_the_end_of_a_long_event_says_what_was_billed(piece: int) -> None:
    """A final event that repeats a long answer, and tools one of whose schemas has a `usage` too."""
    long = {"output": [{"encrypted_content": "A" * 1_000_000}], "tools": [{"usage": {"type": "string"}}], **RESPONSE}
    stream = events({"type": "response.completed", "response": {**long, "user": None, "metadata": {"usage": "x"}}})
    copy = UsageCopy("openai-responses", headers("text/event-stream"))
    for at in range(0, len(stream), piece):
        copy.feed(stream[at : at + piece])
    assert copy.usage() == BILLED["openai-responses"][1]


def test_a_bomb_is_inflated_piece_by_piece() -> None:
    """64 MiB of blanks in one chunk, with the usage at the end."""
    bomb = zlib.compress(b"\n" * (64 << 20) + ANTHROPIC)
    copy = UsageCopy("anthropic", headers("text/event-stream", "deflate"))
    copy.feed(bomb)
    assert copy.usage() == BILLED["anthropic"][1]


def test_a_plain_answer_over_the_limit_is_given_up() -> None:
    """Its usage is not known."""
    copy = UsageCopy("anthropic", headers("application/json"))
    copy.feed(b" " * (5 << 20))
    copy.feed(b'{"usage": {"input_tokens": 1}}')
    assert copy.usage() is None
