"""What the gateway's own end of a connection to a provider does beyond passing requests on."""

import asyncio
from collections.abc import Callable

import pytest
from loopback import Got, gateway, plain

from foldpoint.gateway.serving import run

MIB = 1 << 20


def interim(status: bytes) -> Callable[[Got, asyncio.StreamWriter], object]:
    """An answer behind one that is none yet."""

    async def answer(got: Got, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 %b\r\nx-early: 1\r\n\r\n" % status)
        await writer.drain()
        await asyncio.sleep(0.01)
        await plain(b"late")(got, writer)

    return answer


@pytest.mark.parametrize("status", [b"100 Continue", b"103 Early Hints"])
def test_an_interim_answer_is_passed_over(status: bytes) -> None:
    """The client gets the one that counts."""

    async def main() -> tuple[int, bytes, str | None]:
        async with gateway() as it:
            it.provider.answer = interim(status)  # type: ignore[assignment]
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as answer:
                return answer.status, await answer.read(), answer.headers.get("x-early")

    assert run(main()) == (200, b"late", None)


@pytest.mark.parametrize(("method", "lengths"), [("POST", ["0"]), ("DELETE", ["0"]), ("GET", [])])
def test_a_method_that_may_have_a_body_says_that_it_has_none(method: str, lengths: list[str]) -> None:
    """Some providers refuse a POST without a length."""

    async def main() -> list[str]:
        async with gateway() as it:
            host, port = it.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(f"{method} /v1/files/x HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n".encode())
            await reader.read()
            writer.close()
            return it.provider.got[0].values("content-length")

    assert run(main()) == lengths


def test_a_connection_that_still_sends_the_last_body_is_not_used_again() -> None:
    """A provider may answer before it has read everything: the next request goes another way."""
    connections = 0

    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}")
        await over.wait()
        writer.close()

    over = asyncio.Event()

    async def main() -> list[int]:
        server = await asyncio.start_server(early, "127.0.0.1", 0)
        statuses = []
        async with gateway(at=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as it:
            for _ in range(2):
                async with it.client.post(it.url + "/v1/embeddings", data=b"x" * (32 * MIB)) as answer:
                    statuses.append(answer.status)
            over.set()
        return statuses

    assert (run(main()), connections) == ([413, 413], 2)


def test_a_name_and_password_in_the_address_are_sent() -> None:
    """As basic credentials, as every client does."""

    async def main() -> tuple[list[str], bytes]:
        async with gateway() as outer, gateway(at=outer.provider.url.replace("http://", "http://u:p@")) as it:
            async with it.client.post(it.url + "/v1/messages", data=b"{}") as answer:
                await answer.read()
            return outer.provider.got[0].values("authorization"), outer.provider.got[0].body

    assert run(main()) == (["Basic dTpw"], b"{}")


def test_a_key_of_several_lines_is_refused() -> None:
    """It would end a header and begin another; the message names the setting, not the key."""

    async def main() -> tuple[int, str, int]:
        async with gateway(api_key="one\ntwo") as it, it.client.get(it.url + "/v1/models") as answer:
            return answer.status, (await answer.json())["error"]["message"], len(it.provider.got)

    message = "foldpoint: our key for openai is not one line of text: give the key alone"
    assert run(main()) == (502, message, 0)
