"""`foldpoint config` says what holds and why, and writes a file to begin with."""

import json
from pathlib import Path

from commands import run

from foldpoint.config.show import starter


def test_show_finds_the_file_where_we_stand(tmp_path: Path) -> None:
    """Every value with its source."""
    (tmp_path / "foldpoint.toml").write_text("[gateway]\nport = 4700\n")
    ran = run("config", "show", at=tmp_path, FOLDPOINT_STORE__MESSAGES="off")
    lines = [line.split() for line in ran.stdout.decode().splitlines()]
    assert ran.returncode == 0
    assert ["gateway.port", "4700", "foldpoint.toml:2"] in lines
    assert ["store.messages", '"off"', "env:FOLDPOINT_STORE__MESSAGES"] in lines
    assert ["store.shared", '""', "default"] in lines


def test_show_as_json(tmp_path: Path) -> None:
    """The same, for programs; secrets masked."""
    (tmp_path / "other.toml").write_text('[upstreams.openai]\napi_key = "sk-x"\n')
    said = json.loads(run("config", "show", "--json", "--config", "other.toml", at=tmp_path).stdout)
    assert said["upstreams.openai.api_key"] == {"value": "********", "source": "other.toml:2"}
    assert said["skills.agent_trajectory_compaction.payback_turns"] == {"value": None, "source": "default"}


def test_a_wrong_file_is_wrong_use(tmp_path: Path) -> None:
    """Exit 2, every problem on a line of its own."""
    (tmp_path / "foldpoint.toml").write_text("[gateway]\nprot = 1\nhost = 2\n")
    ran = run("config", "show", at=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().splitlines() == [
        "foldpoint: foldpoint.toml:2: unknown key 'prot' in [gateway] (did you mean 'port'?)",
        "foldpoint: foldpoint.toml:3: gateway.host must be text in quotes",
    ]


def test_init_writes_once(tmp_path: Path) -> None:
    """What is there stays."""
    first = run("config", "init", at=tmp_path)
    assert (first.returncode, first.stdout) == (0, b"wrote foldpoint.toml\n")
    assert (tmp_path / "foldpoint.toml").read_text() == starter()
    (tmp_path / "foldpoint.toml").write_text("mine")
    second = run("config", "init", "foldpoint.toml", at=tmp_path)
    assert (second.returncode, second.stderr) == (
        1,
        b"foldpoint: foldpoint.toml is there already: remove it, or name another file\n",
    )
    assert (tmp_path / "foldpoint.toml").read_text() == "mine"
