"""The way to the providers: one client session, one retry where no connection came about, every failure named."""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from .failures import Failure
from .headers import Pairs

CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30.0
NAMES_SECONDS = 60
LONGEST_HEADER = 64 * 1024
MOST_HEADERS = 256
PROBES = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
"""Seconds to the first probe, between two, and how many: a provider that vanished is given up a minute later."""
ADDED_BY_CLIENT = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

Body = Callable[[], bytes | AsyncIterator[bytes] | None]


class Address(Protocol):
    """What a provider's settings say of where it is."""

    @property
    def base_url(self) -> str: ...


class Upstreams:
    """All providers by name. Use as an async context manager; it holds the connections."""

    def __init__(self, addresses: Mapping[str, Address], timeout_seconds: float) -> None:
        self._bases = {name: address.base_url.rstrip("/") for name, address in addresses.items()}
        self._proxies = {name: proxy_of(base) for name, base in self._bases.items()}
        self._timeout = timeout_seconds or None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Upstreams":
        self._session = session()
        return self

    async def __aexit__(self, *exception: object) -> None:
        if self._session is not None:
            await self._session.close()

    def address(self, name: str, target: str) -> str:
        """The address of a provider's path."""
        return str(joined(self._bases[name], target))

    async def send(self, name: str, method: str, target: str, headers: Pairs, body: Body) -> aiohttp.ClientResponse:
        """Send a request and wait for the answer's headers; the caller closes the answer.

        `body` is called once for each try. A streamed body calls `progress` of ours by being read: the time counts from
        the last chunk.

        Raises:
            Failure: 502 where the provider can't be reached or breaks off, 504 where it stays silent.
        """
        base = self._bases[name]
        try:
            async with asyncio.timeout(self._timeout) as timer:
                return await self._tried_twice(name, method, joined(base, target), headers, body, timer)
        except aiohttp.ConnectionTimeoutError:
            raise Failure(504, f"no connection to {base} within {CONNECT_SECONDS:.0f} s; {mend(name)}") from None
        except TimeoutError:
            raise Failure(504, f"{base} sent no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise Failure(502, f"cannot connect to {base}: {why(error)}; {mend(name)}") from None
        except aiohttp.ServerDisconnectedError:
            raise Failure(502, f"{base} closed the connection before it answered") from None
        except aiohttp.ClientResponseError as error:
            raise Failure(502, f"the answer of {base} is not HTTP: {error.message}") from None
        except ValueError as error:
            raise Failure(502, f"the request cannot be written to {base}: {type(error).__name__}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise Failure(502, f"the request to {base} failed: {error}") from None

    async def _tried_twice(
        self, name: str, method: str, url: URL, headers: Pairs, body: Body, timer: asyncio.Timeout
    ) -> aiohttp.ClientResponse:
        """Try again where no connection came about: no byte was sent then."""
        try:
            return await self._try(name, method, url, headers, body(), timer)
        except aiohttp.ConnectionTimeoutError:
            raise
        except aiohttp.ClientConnectorError:
            return await self._try(name, method, url, headers, body(), timer)

    async def _try(
        self,
        name: str,
        method: str,
        url: URL,
        headers: Pairs,
        data: bytes | AsyncIterator[bytes] | None,
        timer: asyncio.Timeout,
    ) -> aiohttp.ClientResponse:
        assert self._session is not None, "enter Upstreams before sending"
        streamed = data is not None and not isinstance(data, bytes)
        return await self._session.request(
            method,
            url,
            headers=headers,
            data=self._timed(data, timer) if streamed else data,  # type: ignore[arg-type]
            allow_redirects=False,
            proxy=self._proxies[name],
        )

    async def _timed(self, chunks: AsyncIterator[bytes], timer: asyncio.Timeout) -> AsyncIterator[bytes]:
        """The chunks; with each one the provider's time begins anew, for until then it is the client that is slow."""
        clock = asyncio.get_running_loop().time
        async for chunk in chunks:
            if self._timeout is not None and not timer.expired():
                timer.reschedule(clock() + self._timeout)
            yield chunk


def session() -> aiohttp.ClientSession:
    """A client session that changes nothing on the way: no decoding, no cookies, no headers of its own."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS, ttl_dns_cache=NAMES_SECONDS, socket_factory=probed
        ),
        timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=ADDED_BY_CLIENT,
        auto_decompress=False,
        max_line_size=LONGEST_HEADER,
        max_field_size=LONGEST_HEADER,
        max_headers=MOST_HEADERS,
    )


def probed(address: aiohttp.AddrInfoType) -> socket.socket:
    """A socket that finds out whether its other end is still there (as far as the platform can be told how)."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in PROBES:
        if hasattr(socket, option):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made


def joined(base: str, target: str) -> URL:
    """The address of a provider's path, escapes kept; a version that both base and path name is said once."""
    version = "/" + target[1:].partition("/")[0]
    if version.startswith("/v") and base.endswith(version):
        base = base[: -len(version)]
    return URL(base + target, encoded=True)


def proxy_of(base: str) -> str | None:
    """The proxy that the environment (`HTTPS_PROXY`, `NO_PROXY`) names for an address; none for loopback."""
    url = URL(base)
    host = url.host or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(url.scheme)


def why(error: aiohttp.ClientConnectorError) -> str:
    """What kept the connection from coming about, in a few words."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is not known"
    if isinstance(error, (aiohttp.ClientSSLError, ssl.SSLError)):
        return f"TLS failed ({error})"
    return os.strerror(error.os_error.errno) if error.os_error.errno else str(error)


def mend(name: str) -> str:
    """Where the address is set."""
    return f"see base_url in [upstreams.{name}]"
