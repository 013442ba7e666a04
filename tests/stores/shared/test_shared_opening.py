"""What is shared is opened from an address; none that is wrong stops a gateway, and no password is told."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import valkey as client
from certified import certify, encrypted
from sharing import logged, sharing, started

from foldpoint.core.key import KeyLimits
from foldpoint.stores import StoreError
from foldpoint.stores.shared.address import address_of
from servers import PASSWORD, QUOTED, Valkey, valkey

WITHOUT = """
import sys
sys.modules["valkey"] = None
from pathlib import Path
from foldpoint.stores.shared import open_shared
print(open_shared("", Path(sys.argv[1]), 1, None).name)
try:
    open_shared("valkey://127.0.0.1", Path(sys.argv[1]), 1, None)
except Exception as error:
    print(type(error).__name__, error)
"""


@contextmanager
def guarded() -> Iterator[Valkey]:
    """A Valkey that wants a password."""
    with valkey() as server:
        with client.Valkey.from_url(server.url) as asked:
            asked.config_set("requirepass", PASSWORD)
        yield server
        with client.Valkey.from_url(server.url, password=PASSWORD) as asked:
            asked.config_set("requirepass", "")


def said_of(url: str, folder: Path) -> tuple[bool, list[dict[str, object]]]:
    """Whether it goes on alone, though it admits, and all that is logged of it."""

    async def main() -> bool:
        shared = sharing(url, folder)
        async with started(shared):
            assert shared.name == "valkey"
            assert await shared.limiter.admit("k", KeyLimits(requests_per_minute=5), "a") is None
            return shared.failing

    with logged() as lines:
        failing = asyncio.run(main())
    return failing, [vars(line) for line in lines]


def test_the_homes(tmp_path: Path) -> None:
    """By the address, and by the number of workers."""
    assert [sharing("", tmp_path, n).name for n in (1, 2)] == ["memory", "workers"]
    assert sharing("valkey://127.0.0.1:1", tmp_path, 2).name == "valkey"


@pytest.mark.parametrize("scheme", ["valkey", "redis"])
def test_a_password(tmp_path: Path, scheme: str) -> None:
    """And a database; of the password nothing is told, nor of one that is wrong."""
    with guarded() as server:
        host = f"127.0.0.1:{server.port}"
        good = said_of(f"{scheme}://:{QUOTED}@{host}/3", tmp_path)
        wrong = said_of(f"{scheme}://default:{QUOTED}wrong@{host}/3", tmp_path)
        none = said_of(f"{scheme}://{host}/3", tmp_path)
    assert good == (False, [])
    for failing, lines in (wrong, none):
        assert failing
        assert [line["place"] for line in lines] == [f"{scheme}://{host}/3"]
        assert PASSWORD not in str(lines)
        assert QUOTED not in str(lines)
    assert "invalid" in str(wrong[1][0]["error"])
    assert "Authentication required" in str(none[1][0]["error"])


def test_a_database_that_is_not_there(valkey_server: Valkey, tmp_path: Path) -> None:
    """It goes on alone and says why."""
    failing, lines = said_of(valkey_server.url.removesuffix("/0") + "/99", tmp_path)
    assert failing
    assert [line["error"] for line in lines] == ["DB index is out of range"]


def test_tls_to_a_plain_port(valkey_server: Valkey, tmp_path: Path) -> None:
    """The same."""
    failing, lines = said_of(valkey_server.url.replace("valkey:", "valkeys:"), tmp_path)
    assert failing
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("host", "options", "fault"),
    [
        ("localhost", "ssl_ca_certs={}", ""),
        ("localhost", "", "certificate verify failed"),
        ("127.0.0.1", "ssl_ca_certs={}", "certificate is not valid for '127.0.0.1'"),
        ("127.0.0.1", "ssl_ca_certs={}&ssl_check_hostname=false", ""),
    ],
)
def test_tls(valkey_server: Valkey, tmp_path: Path, host: str, options: str, fault: str) -> None:
    """With a certificate that is good for the host, unless it is said that another will do."""
    certificate = certify("localhost", tmp_path)

    async def main() -> bool:
        async with encrypted(valkey_server.port, certificate) as port:
            shared = sharing(f"valkeys://{host}:{port}/0?{options.format(certificate)}", tmp_path)
            async with started(shared):
                return shared.failing

    with logged() as lines:
        assert asyncio.run(main()) is bool(fault)
    assert [fault in line.error for line in lines] == [True] * bool(fault)  # type: ignore[attr-defined]


def test_a_server_that_takes_the_connection_and_never_answers(tmp_path: Path) -> None:
    """The same, and the start is over all the same."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async def main() -> bool:
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        async with server:
            shared = sharing(f"valkey://127.0.0.1:{server.sockets[0].getsockname()[1]}", tmp_path)
            async with started(shared):
                assert await shared.limiter.admit("k", KeyLimits(requests_per_minute=5), "a") is None
                return shared.failing

    with logged() as lines:
        assert asyncio.run(main())
    assert [line.levelname for line in lines] == ["ERROR"]


def test_a_valkey_that_is_full(tmp_path: Path) -> None:
    """It answers, but takes nothing: that is gone, too, and said once."""
    with valkey() as server:
        with client.Valkey.from_url(server.url) as asked:
            asked.config_set("maxmemory", 1)
        failing, lines = said_of(server.url, tmp_path)
    assert failing
    assert ["OOM" in str(line["error"]) or "maxmemory" in str(line["error"]) for line in lines] == [True]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:6379",
        "valkey://",
        "valkey://127.0.0.1:6379/zero",
        "valkey://127.0.0.1:6379/0/1",
        "valkey://:secret/word@127.0.0.1:6379",
        "valkey://:secret#word@127.0.0.1:6379",
        "valkey://:secret?word@127.0.0.1:6379",
        "valkey://user:secret@127.0.0.1:word",
        "valkey://user:secret@127.0.0.1/0?socket_timeout=word",
        "valkey://user:secret@127.0.0.1/0?unknown=word",
        "secret word",
    ],
)
def test_addresses_that_are_none(tmp_path: Path, url: str) -> None:
    """Are told as such, and nothing of what may be a password with it."""
    with pytest.raises(StoreError, match=r"store\.shared") as raised:
        sharing(url, tmp_path)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_how_an_address_is_shown() -> None:
    """Without user and password."""
    address = address_of("rediss://me:pass%40word@cache.example:7000/4?ssl_ca_certs=/ca.pem")
    assert address.shown == "rediss://cache.example:7000/4"
    assert (address.database, address.tls, address.password) == (4, True, "pass@word")
    assert address.told(ValueError("no pass@word here")) == "no *** here"
    assert repr(address) == "Address('rediss://cache.example:7000/4')"
    assert address_of("valkey://cache.example").shown == "valkey://cache.example:6379/0"


def test_a_package_that_is_missing(tmp_path: Path) -> None:
    """Without an address it is not needed; with one it is said how to get it."""
    ran = subprocess.run([sys.executable, "-c", WITHOUT, tmp_path], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "memory",
        "StoreError store.shared: the package that speaks with Valkey is missing: pip install 'foldpoint[valkey]'",
    ]
