"""The page on the agent says what holds: its quick start works, its table has the settings and their defaults."""

import json
import re
from pathlib import Path

from living import agent, logged, provider

from foldpoint.agent.settings import PLAIN, TABLES

PAGE = (Path(__file__).parents[2] / "docs/guides/agent.md").read_text()


def fence(kind: str) -> str:
    """The block of that kind."""
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_quick_start_works(tmp_path: Path) -> None:
    """Its files as they stand there but for the port: the command runs, the answer is said, the log verifies."""
    with provider(tmp_path, json.loads(fence("json script.json"))) as address:
        file = tmp_path / "agent.toml"
        file.write_text(fence("toml agent.toml").replace("http://127.0.0.1:4700", address))
        done = agent(file, "run", "--trigger", "Write a note.")
        shown = agent(file, "show", "--verify")
    assert (done.returncode, "The note says hello." in done.stdout) == (0, True), done.stderr
    assert (tmp_path / "note.txt").read_text() == "hello\n"
    assert "verified: 4" in shown.stdout
    assert [row["role"] for row in logged(file)] == ["user", "assistant", "tool", "assistant"]


def test_every_setting_is_on_the_page() -> None:
    """Each key and table."""
    table = PAGE.partition("## Settings")[2].partition("## Commands")[0]
    assert [name for name in (*PLAIN, *TABLES) if not re.search(rf"`\[?{name}\b", table)] == []
