"""Request bodies with a content-encoding: folded as what they say, sent plain where they were changed."""

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from loopback import COMPACTED, Canned, gateway

from foldpoint.gateway.encodings import inflated
from foldpoint.gateway.serving import run

BODY = b'{"model":"m","messages":[{"role":"user","content":"' + b"a b c " * 60_000 + b'"}]}'
FOLDED = b'{"model":"m","messages":[]}'


def bare(content: bytes) -> bytes:
    """A deflate stream without its zlib wrapping."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


def members(content: bytes) -> bytes:
    """Two gzip members."""
    return gzip.compress(content[:1000]) + gzip.compress(content[1000:])


def br(content: bytes) -> bytes:
    return bytes(pytest.importorskip("brotli").compress(content))


def zstd(content: bytes) -> bytes:
    return bytes(pytest.importorskip("backports.zstd").compress(content))


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("X-Gzip", gzip.compress),
    ("gzip", members),
    ("deflate", zlib.compress),
    ("deflate", bare),
    ("br", br),
    ("zstd", zstd),
]


async def sent(engine: Canned, body: bytes, encoding: str, path: str = "/v1/messages", **settings: Any) -> list[Any]:
    """[body, content-encodings, content-lengths] as the provider got them, then our verdict and reason."""
    async with gateway(engine, **settings) as it:
        headers = {"content-encoding": encoding}
        async with it.client.post(it.url + path, data=body, headers=headers) as answer:
            assert answer.status == 200
            said = [answer.headers.get(f"x-ace-trajectory-compaction{of}") for of in ("", "-reason")]
        got = it.provider.got[0]
        return [got.body, got.values("content-encoding"), got.values("content-length"), *said]


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_an_encoded_body_is_folded_and_sent_plain(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    """The engine reads the plain body; what it makes of it goes with a length of its own and no encoding."""
    engine = Canned(FOLDED)
    got = run(sent(engine, pack(BODY), encoding))
    assert got == [FOLDED, [], [str(len(FOLDED))], "compacted", "fold_moved"]
    assert engine.asked[0][0] == BODY


def test_a_body_that_stays_goes_as_it_came() -> None:
    """What is not folded is the client's own bytes, encoding included."""
    packed = gzip.compress(BODY)
    got = run(sent(Canned(), packed, "gzip"))
    assert got == [packed, ["gzip"], [str(len(packed))], "compacted", "fold_moved"]


def test_a_session_id_is_taken_out_of_an_encoded_body() -> None:
    """The rest is sent plain."""
    got = run(sent(Canned(), gzip.compress(b'{"session_id":"s","messages":[]}'), "gzip"))
    assert got[:2] == [b'{"messages":[]}', []]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(BODY)[:-5]),
        ("gzip", gzip.compress(BODY) + b"more"),
        ("deflate", zlib.compress(BODY) + b"more"),
        ("br", b"\xff\xff\xff"),
        ("zstd", b"{}"),
        ("compress", b"\x1f\x9d"),
        ("gzip, gzip", gzip.compress(gzip.compress(BODY))),
    ],
)
def test_a_body_that_cant_be_inflated_goes_as_it_came(encoding: str, body: bytes) -> None:
    """It is for the provider to refuse it; the receipt says that we could not read it."""
    engine = Canned(FOLDED)
    got = run(sent(engine, body, encoding))
    assert (got, engine.asked) == ([body, [encoding], [str(len(body))], "skipped", "unreadable"], [])


def test_a_body_that_grows_over_the_limit_goes_as_it_came() -> None:
    """A small body may inflate to gigabytes: we stop at the limit for bodies and pass it on."""
    bomb = gzip.compress(bytes(4 << 20))
    engine = Canned(FOLDED)
    got = run(sent(engine, bomb, "gzip", max_body_bytes=1 << 20))
    assert (got, engine.asked) == ([bomb, ["gzip"], [str(len(bomb))], "skipped", "too_large"], [])


@pytest.mark.parametrize(("settings", "path"), [({"mode": "off"}, "/v1/messages"), ({}, "/v1/embeddings")])
def test_what_is_not_folded_is_not_inflated(settings: dict[str, Any], path: str) -> None:
    """A skill that is off, and a path without one, take the bytes as they are."""
    packed = gzip.compress(BODY)
    got = run(sent(Canned(FOLDED), packed, "gzip", path, **settings))
    assert got == [packed, ["gzip"], [str(len(packed))], None, None]


def test_in_shadow_the_encoded_body_is_untouched() -> None:
    """It is read to measure, and sent as it came."""
    packed = gzip.compress(BODY)
    engine = Canned(receipt=COMPACTED)
    got = run(sent(engine, packed, "gzip", mode="shadow"))
    assert (got[:2], engine.asked[0][0]) == ([packed, ["gzip"]], BODY)


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_inflating_stops_at_the_limit(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    """At the limit a body is whole, one byte over it is too large."""
    packed = pack(BODY)
    assert run(inflated(packed, encoding, len(BODY))) == BODY
    assert run(inflated(packed, encoding, len(BODY) - 1)) == "too_large"


def test_a_zstd_frame_may_not_ask_for_a_large_window() -> None:
    """A few bytes could demand gigabytes of memory."""
    library = pytest.importorskip("backports.zstd")
    options = {library.CompressionParameter.window_log: 24}
    packer = library.ZstdCompressor(options=options)
    packed = packer.compress(bytes(1 << 10)) + packer.flush()
    assert run(inflated(packed, "zstd", 1 << 30)) == "unreadable"


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("zstd", zstd)])
def test_a_body_is_made_of_few_members(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    """A great many empty ones would keep us busy for hours: behind each one the rest is copied."""
    assert run(inflated(pack(b"ab") * 64, encoding, 1000)) == b"ab" * 64
    assert run(inflated(pack(b"") * 65, encoding, 1000)) == "unreadable"
