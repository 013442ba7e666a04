"""The configuration said back: sources, masks, and a file to begin with that says the truth."""

import tomllib
from pathlib import Path

from foldpoint.config import load
from foldpoint.config.keys import SETTINGS
from foldpoint.config.show import rows, starter, table


def test_secrets_are_masked(tmp_path: Path) -> None:
    """A key that stands in the file, and a password in an address; where a key comes from is no secret."""
    path = tmp_path / "f.toml"
    path.write_text(
        '[upstreams.openai]\napi_key = "sk-plain"\nbase_url = "http://me:word@host/x"\n'
        '[upstreams.gemini]\napi_key = "env:KEY"\n'
    )
    shown = {row.key: row.value for row in rows(load(path, environ={"KEY": "sk-env"}))}
    assert shown["upstreams.openai.api_key"] == "********"
    assert shown["upstreams.openai.base_url"] == "http://me:********@host/x"
    assert shown["upstreams.gemini.api_key"] == "env:KEY"
    assert shown["upstreams.anthropic.api_key"] is None


def test_every_setting_is_a_row() -> None:
    """Key, value as the file would spell it, source, in columns."""
    text = table(rows(load(environ={"FOLDPOINT_GATEWAY__PORT": "5"})))
    lines = [line.split() for line in text.splitlines()]
    assert [line[0] for line in lines] == [setting.key for setting in SETTINGS]
    assert lines[0][1:] == ['"127.0.0.1"', "default"]
    assert lines[1][1:] == ["5", "env:FOLDPOINT_GATEWAY__PORT"]


def test_the_starter_sets_the_advised_horizon_and_nothing_else(tmp_path: Path) -> None:
    """It loads, and differs from the defaults in one value."""
    path = tmp_path / "f.toml"
    path.write_text(starter())
    loaded = load(path, environ={})
    assert [key for key, source in loaded.sources.items() if source != "default"] == [
        "skills.agent_trajectory_compaction.horizon"
    ]
    assert loaded.settings.policy().agent_trajectory_compaction.horizon == "adaptive"


def test_the_starter_names_every_setting_with_its_default_and_meaning() -> None:
    """With every line taken in and a value where there is room for one, it is a whole configuration."""
    text = starter().replace("=  # not set", "= 1  # not set")
    lines = [line.removeprefix("# ") for line in text.splitlines()[3:]]
    read = tomllib.loads("\n".join(lines))
    for setting in SETTINGS:
        at = read
        for word in setting.key.split("."):
            at = at[word]
        if setting.default is not None and setting.name != "horizon":
            assert (setting.key, at) == (setting.key, setting.default)
    assert all(setting.about in starter() for setting in SETTINGS)
