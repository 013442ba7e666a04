"""AWS's binary event streams: relayed byte for byte, usage read from a copy wherever they are cut."""

import json
import struct
from base64 import b64encode
from binascii import crc32
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Canned, gateway, streamed

from foldpoint.core.usage import Usage
from foldpoint.gateway.frames import KIND, LONGEST_FRAME, Frames
from foldpoint.gateway.serving import run
from foldpoint.gateway.usage_copy import UsageCopy


def frame(kind: str, payload: bytes) -> bytes:
    """One frame with one header."""
    header = bytes([len(":event-type")]) + b":event-type\x07" + struct.pack("!H", len(kind)) + kind.encode()
    prelude = struct.pack("!II", 16 + len(header) + len(payload), len(header))
    head = prelude + struct.pack("!I", crc32(prelude)) + header + payload
    return head + struct.pack("!I", crc32(head))


def event(kind: str, value: object) -> bytes:
    """An event of Converse's."""
    return frame(kind, json.dumps(value).encode())


def chunk(value: object) -> bytes:
    """An event of Anthropic's, as InvokeModel wraps it."""
    return frame("chunk", json.dumps({"bytes": b64encode(json.dumps(value).encode()).decode(), "p": "abc"}).encode())


CONVERSE = b"".join(
    (
        event("messageStart", {"role": "assistant"}),
        event("contentBlockDelta", {"delta": {"text": 'é "usage": {"outputTokens": 99999}'}, "contentBlockIndex": 0}),
        event("messageStop", {"stopReason": "end_turn"}),
        event(
            "metadata",
            {
                "usage": {
                    "inputTokens": 9,
                    "outputTokens": 42,
                    "totalTokens": 1151,
                    "cacheReadInputTokens": 1000,
                    "cacheWriteInputTokens": 100,
                },
                "metrics": {"latencyMs": 1},
            },
        ),
    )
)
INVOKE = b"".join(
    (
        chunk(
            {
                "type": "message_start",
                "message": {
                    "usage": {"input_tokens": 9, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000}
                },
            }
        ),
        frame("chunk", b"not JSON"),
        chunk({"type": "message_delta", "usage": {"output_tokens": 42}}),
        chunk({"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 9}}),
    )
)
BILLED = Usage(input=9, cache_read=1000, cache_write=100, output=42)
STREAMS = {"bedrock": CONVERSE, "anthropic": INVOKE}


def usage(surface: str, *pieces: bytes) -> Usage | None:
    """What a copy that is fed the pieces says."""
    copy = UsageCopy(surface, {"content-type": KIND})
    for piece in pieces:
        copy.feed(piece)
    return copy.usage()


@pytest.mark.parametrize("surface", STREAMS)
@given(cuts=st.lists(st.integers(0, 700)))
def test_a_stream_may_be_cut_anywhere(surface: str, cuts: list[int]) -> None:
    """Every cut gives the same usage."""
    stream = STREAMS[surface]
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    assert usage(surface, *(stream[start:end] for start, end in pairwise(edges))) == BILLED


@pytest.mark.parametrize(
    ("path", "surface"), [("converse-stream", "bedrock"), ("invoke-with-response-stream", "anthropic")]
)
def test_a_stream_is_relayed_byte_for_byte(path: str, surface: str) -> None:
    """The client gets the provider's bytes; the record says what was billed."""
    stream = STREAMS[surface]
    pieces = [stream[at : at + 7] for at in range(0, len(stream), 7)]

    async def main() -> tuple[bytes, str, Usage | None]:
        async with gateway(Canned()) as it:
            it.provider.answer = streamed(*pieces, head=f"HTTP/1.1 200 OK\r\ncontent-type: {KIND}\r\n")
            async with it.client.post(f"{it.url}/bedrock/model/m/{path}", data=b"{}") as answer:
                got = await answer.read(), answer.headers["content-type"]
            return (*got, (await it.recorder.first()).usage)

    assert run(main()) == (stream, KIND, BILLED)


def test_a_plain_answer_of_converse() -> None:
    """Its usage object, whether a model counts cached tokens as input or not."""
    told = {"outputTokens": 2, "cacheReadInputTokens": 30, "cacheWriteInputTokens": 4}
    for input_tokens, total in ((5, 41), (39, 41)):
        copy = UsageCopy("bedrock", {"content-type": "application/json"})
        copy.feed(json.dumps({"usage": {"inputTokens": input_tokens, "totalTokens": total, **told}}).encode())
        assert copy.usage() == Usage(input=5, cache_read=30, cache_write=4, output=2)


@pytest.mark.parametrize("broken", [b"x" * 99, CONVERSE[:90] + b"x" + CONVERSE[91:], b"\0" * 40 + CONVERSE])
def test_a_broken_stream_says_nothing(broken: bytes) -> None:
    """No usage rather than a wrong one, and no fault."""
    assert usage("bedrock", broken, CONVERSE) is None


def test_a_long_frame_is_given_up() -> None:
    """What is held stays bounded."""
    reader = Frames()
    prelude = struct.pack("!II", 16 << 20, 0)
    stream = prelude + struct.pack("!I", crc32(prelude)) + b"x" * (4 << 20)
    assert list(reader.events(stream)) == []
    assert len(reader._buffer._data) < LONGEST_FRAME + (64 << 10)


def test_many_frames_at_once() -> None:
    """All of them are read."""
    assert len(list(Frames().events(event("contentBlockDelta", {"delta": {"text": "a"}}) * 5_000))) == 5_000
