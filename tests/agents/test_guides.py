"""The guides and the agents that follow them belong together."""

import re
from pathlib import Path

from guides import ADDRESS, FENCE, GUIDES, follow
from installing import LOCKS
from roster import AGENTS

COMPACT = ("claude-code", "run-compact")
"""Run by `test_compaction_by_the_client`."""


def test_every_command_of_a_guide_is_run_by_a_test() -> None:
    """And no test follows commands that no guide has."""
    shown = {
        (page.stem, tag)
        for page in GUIDES.glob("*.md")
        for tag, _ in FENCE.findall(page.read_text())
        if tag.startswith("run")
    }
    assert shown == {(agent.client, agent.run) for agent in AGENTS} | {COMPACT}


def test_a_guide_names_the_version_that_was_tried() -> None:
    """The one in the lock."""
    missing = []
    for client in {agent.client for agent in AGENTS}:
        lock = LOCKS / f"{client}.in"
        wanted = lock.read_text() if lock.exists() else (LOCKS / client / "package.json").read_text()
        versions = re.findall(r'(?:==|": ")(\d[\w.]*)', wanted)
        page = (GUIDES / f"{client}.md").read_text()
        missing += [(client, version) for version in versions if not re.search(rf"\b{re.escape(version)}\b", page)]
    assert missing == []


def test_the_files_of_a_guide_are_written_with_another_address(tmp_path: Path) -> None:
    """A fence with a path is a file of the home folder or of the project; the commands come back."""
    home, project = tmp_path / "home", tmp_path / "project"
    commands = follow("codex", "run", home, project, "http://127.0.0.1:9")
    assert commands.startswith("codex exec --skip-git-repo-check")
    assert 'base_url = "http://127.0.0.1:9/v1"' in (home / ".codex/config.toml").read_text()
    assert ADDRESS not in commands
