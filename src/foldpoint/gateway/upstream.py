"""The way to the providers: one pool of connections, one retry where none came about, every failure named."""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Protocol
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from .failures import Failure
from .headers import Field, lines_of, raw_of, text
from .line import LONGEST_HEADER, MOST_HEADERS, Line, Reply, asked
from .silence import Silence

CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30.0
NAMES_SECONDS = 60
PROBES = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
"""Seconds to the first probe, between two, and how many: a provider that vanished is given up a minute later."""
ADDED_BY_CLIENT = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

Body = bytes | Callable[[], AsyncIterator[bytes]]


class Address(Protocol):
    """What a provider's settings say of where it is."""

    @property
    def base_url(self) -> str: ...


class Place:
    """Where a provider is, and what each request to it says the same way. Make it where a loop runs.

    `name` is its address as it may be told: without the user and password in it.
    """

    def __init__(self, base: str) -> None:
        url = URL(base)
        self.base = base
        self.name = str(url.with_user(None))
        self.proxy = proxy_of(base)
        self.direct = self.proxy is None and url.user is None
        self.request = aiohttp.ClientRequest("GET", url, loop=asyncio.get_running_loop())
        self.host = raw_of(self.request.headers[aiohttp.hdrs.HOST])

    def head(self, method: str, target: str, fields: list[Field]) -> bytes:
        """A request's head as it stands on the wire."""
        path = raw_of(joined(self.base, target).raw_path_qs)
        return b"%b %b HTTP/1.1\r\nHost: %b\r\n%b\r\n" % (method.encode(), path, self.host, lines_of(fields))


class Upstreams:
    """All providers by name. Use as an async context manager; it holds the connections.

    A body that is read whole goes on a `Line`; a streamed one, and what needs a proxy or a user's name, through the
    session of aiohttp.
    """

    def __init__(self, addresses: Mapping[str, Address], timeout_seconds: float) -> None:
        self._bases = {name: address.base_url.rstrip("/") for name, address in addresses.items()}
        self._timeout = timeout_seconds or None
        self._connecting = aiohttp.ClientTimeout(connect=min(CONNECT_SECONDS, self._timeout or CONNECT_SECONDS))

    async def __aenter__(self) -> "Upstreams":
        self._places = {name: Place(base) for name, base in self._bases.items()}
        self._connector = connector()
        self._session = session(self._connector)
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._session.close()

    def address(self, name: str, target: str) -> str:
        """The address of a provider's path."""
        return str(joined(self._bases[name], target))

    async def send(self, name: str, method: str, target: str, fields: list[Field], body: Body) -> Reply:
        """Send a request and wait for the answer's headers; the caller closes the answer.

        A streamed body is called once for each try. The provider's time counts from its last chunk.

        Raises:
            Failure: 502 where the provider can't be reached or breaks off, 504 where it stays silent.
        """
        place = self._places[name]
        base = place.name
        try:
            if isinstance(body, bytes) and place.direct:
                head = place.head(method, target, fields)
                connection = await self._connected(place)
                return await asked(connection, head, body, method == "HEAD", self._timeout)
            return await self._through_session(place, method, target, fields, body)
        except aiohttp.ConnectionTimeoutError:
            seconds = self._connecting.connect
            raise Failure(504, f"no connection to {base} within {seconds:g} s; {mend(name)}") from None
        except TimeoutError:
            raise Failure(504, f"{base} sent no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise Failure(502, f"cannot connect to {base}: {why(error)}; {mend(name)}") from None
        except aiohttp.ServerDisconnectedError:
            raise Failure(502, f"{base} closed the connection before it answered") from None
        except (aiohttp.ClientResponseError, HttpProcessingError) as error:
            raise Failure(502, f"the answer of {base} is not HTTP: {type(error).__name__}") from None
        except ValueError as error:
            raise Failure(502, f"the request cannot be written to {base}: {type(error).__name__}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise Failure(502, f"the request to {base} failed: {why(error)}") from None

    async def _connected(self, place: Place) -> Connection:
        """A connection, kept or new; tried again where none came about."""
        try:
            return await self._connect(place)
        except aiohttp.ConnectionTimeoutError:
            raise
        except aiohttp.ClientConnectorError:
            return await self._connect(place)

    async def _connect(self, place: Place) -> Connection:
        try:
            return await self._connector.connect(place.request, [], self._connecting)
        except TimeoutError:
            raise aiohttp.ConnectionTimeoutError from None

    async def _through_session(self, place: Place, method: str, target: str, fields: list[Field], body: Body) -> Reply:
        """The same by aiohttp's session; tried again where no connection came about: no byte was sent then."""
        async with asyncio.timeout(self._timeout) as timer:
            try:
                answer = await self._try(place, method, target, fields, body, timer)
            except aiohttp.ConnectionTimeoutError:
                raise
            except aiohttp.ClientConnectorError:
                answer = await self._try(place, method, target, fields, body, timer)
        silence = Silence(answer.content, self._timeout)
        silence.turn_to(answer.content)
        return Reply(
            answer.status,
            answer.reason or "",
            answer.raw_headers,
            answer.headers,
            answer.content,
            silence,
            answer.close,
        )

    async def _try(
        self, place: Place, method: str, target: str, fields: list[Field], body: Body, timer: asyncio.Timeout
    ) -> aiohttp.ClientResponse:
        return await self._session.request(
            method,
            joined(place.base, target),
            headers=[(text(name), text(value)) for name, value in fields],
            data=(body or None) if isinstance(body, bytes) else self._timed(body(), timer),
            allow_redirects=False,
            proxy=place.proxy,
            timeout=self._connecting,
        )

    async def _timed(self, chunks: AsyncIterator[bytes], timer: asyncio.Timeout) -> AsyncIterator[bytes]:
        """The chunks; with each one the provider's time begins anew, for until then it is the client that is slow."""
        clock = asyncio.get_running_loop().time
        async for chunk in chunks:
            if self._timeout is not None and not timer.expired():
                timer.reschedule(clock() + self._timeout)
            yield chunk


def connector() -> aiohttp.TCPConnector:
    """The connections to all providers."""
    made = aiohttp.TCPConnector(
        limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS, ttl_dns_cache=NAMES_SECONDS, socket_factory=probed
    )
    made._factory = partial(Line, loop=asyncio.get_running_loop())  # type: ignore[assignment]
    return made


def session(connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
    """A client session that changes nothing on the way: no decoding, no cookies, no headers of its own."""
    return aiohttp.ClientSession(
        connector=connector,
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


def why(error: aiohttp.ClientError | OSError) -> str:
    """What went wrong with a connection, in a few words that quote nothing."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is not known"
    if isinstance(error, (aiohttp.ClientSSLError, ssl.SSLError)):
        return f"TLS failed ({error})"
    number = error.os_error.errno if isinstance(error, aiohttp.ClientConnectorError) else getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) else type(error).__name__


def mend(name: str) -> str:
    """Where the address is set."""
    return f"see base_url in [upstreams.{name}]"
