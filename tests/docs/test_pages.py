"""What pages say of files and settings holds."""

import re
from pathlib import Path

import pytest

from foldpoint.config import load

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SETTINGS = [
    (page.stem, fence)
    for page in PAGES
    for fence in re.findall(r"^```toml\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_that_a_page_names_is_there(page: Path) -> None:
    """No dead link."""
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(("page", "fence"), SETTINGS, ids=[page for page, _ in SETTINGS])
def test_settings_in_a_guide_are_taken(page: str, fence: str, tmp_path: Path) -> None:
    """As they stand there, where the files and variables that they name hold something."""
    secret = tmp_path / "secret"
    secret.write_text("something")
    written = tmp_path / "foldpoint.toml"
    written.write_text(re.sub(r"file:/[\w/]+", f"file:{secret}", fence))
    environ = dict.fromkeys(re.findall(r"env:(\w+)", fence), "something")
    assert load(written, environ=environ).path == written
