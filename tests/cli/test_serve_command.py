"""`foldpoint serve` starts from a file or from nothing, says where it listens, and stops when told to."""

import signal
import socket
from pathlib import Path

import pytest
from commands import get, run, serving

from foldpoint.cli.serve import is_loopback


def test_it_serves_without_a_configuration(tmp_path: Path) -> None:
    """A store in the data directory, the lines a client needs, and an end at SIGTERM."""
    with serving(at=tmp_path) as (process, said):
        address = said["address"]
        assert said["event"] == "listening"
        assert said["hint"] == (
            "horizon is task (12 steps): for long sessions add --horizon adaptive, or run foldpoint config init"
        )
        assert said["client"] == [
            f"export ANTHROPIC_BASE_URL={address}/anthropic",
            f"export OPENAI_BASE_URL={address}/v1",
            f"export GOOGLE_GEMINI_BASE_URL={address}/gemini",
            f"export AWS_ENDPOINT_URL_BEDROCK_RUNTIME={address}/bedrock",
        ]
        assert get(f"{address}/readyz")["status"] == "ready"
        assert get(f"{address}/api/v1/tenant/requests") == {"requests": [], "cursor": None}
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert (tmp_path / ".local/share/foldpoint/foldpoint.db").exists()


def test_it_serves_from_a_file(tmp_path: Path) -> None:
    """An absolute store, all four upstreams."""
    upstreams = "".join(
        f'[upstreams.{name}]\nbase_url = "http://127.0.0.1:9"\n'
        for name in ("openai", "anthropic", "gemini", "bedrock")
    )
    (tmp_path / "f.toml").write_text(f'[store]\nurl = "sqlite:///{tmp_path}/x.db"\n{upstreams}')
    with serving("--config", "f.toml", "--mode", "shadow", at=tmp_path) as (_, said):
        assert "hint" not in said
        assert get(f"{said['address']}/livez") == {"status": "live"}
    assert (tmp_path / "x.db").exists()


def test_the_horizon_is_a_flag(tmp_path: Path) -> None:
    """With `adaptive` there is nothing to hint at."""
    with serving("--horizon", "adaptive", at=tmp_path) as (_, said):
        assert "hint" not in said


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.0.2.7", "::ffff:192.0.2.7", "gateway.example", "127.0.0.1.nip.io"]
)
def test_an_open_address_is_refused(host: str, tmp_path: Path) -> None:
    """Unless it is said to be wanted, or keys are asked for; where it came from is named."""
    ran = run("serve", "--port", "0", at=tmp_path, FOLDPOINT_GATEWAY__HOST=host)
    assert (ran.returncode, ran.stderr.decode()) == (
        2,
        f"foldpoint: env:FOLDPOINT_GATEWAY__HOST: gateway.host {host} lets other machines in, and whoever reaches the "
        'gateway may use it and read its records: set gateway.auth = "keys", or give --insecure if you trust all who '
        "reach it\n",
    )


@pytest.mark.parametrize(
    ("host", "listens", "client", "workers", "flag", "auth"),
    [
        ("0.0.0.0", "0.0.0.0", "127.0.0.1", "1", ["--insecure"], "pass_through"),
        ("0.0.0.0", "0.0.0.0", "127.0.0.1", "2", [], "keys"),
        ("::", "[::]", "[::1]", "2", ["--insecure"], "pass_through"),
        ("::", "[::]", "[::1]", "1", [], "keys"),
    ],
)
def test_an_open_address_may_be_wanted(
    host: str, listens: str, client: str, workers: str, flag: list[str], auth: str, tmp_path: Path
) -> None:
    """With --insecure, or where nobody is served without a key."""
    arguments = ["--host", host, "--workers", workers, *flag]
    with serving(*arguments, at=tmp_path, FOLDPOINT_GATEWAY__AUTH=auth) as (_, said):
        port = said["address"].rpartition(":")[2]
        assert said["address"] == f"http://{listens}:{port}"
        assert said["client"][1] == f"export OPENAI_BASE_URL=http://{client}:{port}/v1"
        assert get(f"http://{client}:{port}/livez") == {"status": "live"}


@pytest.mark.parametrize(("host", "workers"), [("localhost", "1"), ("localhost", "2"), ("::1", "1"), ("::1", "2")])
def test_this_machine_alone_may_reach_it_without_keys(host: str, workers: str, tmp_path: Path) -> None:
    """In one process and in several."""
    with serving("--host", host, "--workers", workers, at=tmp_path) as (_, said):
        assert get(f"{said['address']}/livez") == {"status": "live"}


@pytest.mark.parametrize("host", ["LocalHost", "localhost.", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_names_of_this_machine(host: str) -> None:
    """Whatever the family and the case."""
    assert is_loopback(host)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_port_that_is_taken_is_said(workers: int, tmp_path: Path) -> None:
    """Exit 1 and the address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--port", port, "--workers", workers, at=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.decode().startswith(f"foldpoint: cannot listen on 127.0.0.1:{port}: ")


@pytest.mark.parametrize("workers", [1, 3])
def test_a_store_that_cannot_be_opened_is_said(workers: int, tmp_path: Path) -> None:
    """Exit 1 and the file, once and for all workers."""
    (tmp_path / "x.db").write_bytes(b"something else entirely" * 100)
    store = {"FOLDPOINT_STORE__URL": f"sqlite:///{tmp_path}/x.db"}
    ran = run("serve", "--port", "0", "--workers", workers, at=tmp_path, **store)
    assert (ran.returncode, ran.stderr.decode()) == (
        1,
        f"foldpoint: {tmp_path}/x.db: file is not a database: choose another store.url or move the file away\n",
    )


def test_a_wrong_setting_is_wrong_use(tmp_path: Path) -> None:
    """Exit 2 before anything listens; flags are checked like the rest."""
    ran = run("serve", "--port", "70000", "--config", "none.toml", at=tmp_path)
    assert (ran.returncode, ran.stderr.decode().splitlines()) == (
        2,
        [
            "foldpoint: --port must be >= 0 and <= 65535",
            "foldpoint: none.toml: cannot be read: No such file or directory",
        ],
    )
