"""What the guide shows works, and everything in deploy/ speaks of settings and commands that there are."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from charts import loaded, manifests
from dockerfile import ROOT

from foldpoint.config import load
from foldpoint.config.keys import KNOWN
from foldpoint.config.sources import PREFIX

PAGE = ROOT / "docs" / "guides" / "deploy.md"
GUIDE = PAGE.read_text()
FENCES = re.findall(r"^```(\w+) (\w+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
SETTING = re.compile(r"\b(?:gateway|store|telemetry|upstreams\.\w+)\.(?!md\b)[a-z]\w+")
FILES = [
    path for path in sorted((ROOT / "deploy").rglob("*")) if path.is_file() and path.suffix not in (".json", ".lock")
]


def fences(mark: str) -> list[str]:
    """What stands in the fences with that mark."""
    return [text for _, marked, text in FENCES if marked == mark]


def test_the_secrets_of_the_compose_file_are_made(tmp_path: Path) -> None:
    """All of them, closed to others by their folder, and the addresses are ones that config takes."""
    subprocess.run(["sh", "-ec", fences("secrets")[0]], cwd=tmp_path, check=True)
    made = tmp_path / "deploy" / "secrets"
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
    assert sorted(path.name for path in made.iterdir()) == sorted(compose["secrets"])
    assert (made.stat().st_mode & 0o777, {path.stat().st_mode & 0o777 for path in made.iterdir()}) == (0o700, {0o644})
    environ = {"FOLDPOINT_STORE__URL": f"file:{made}/store_url", "FOLDPOINT_STORE__SHARED": f"file:{made}/shared_url"}
    store = load(environ=environ).settings.store
    assert store.url == f"postgresql://foldpoint:{(made / 'postgres_password').read_text()}@postgres:5432/foldpoint"
    assert store.shared == f"valkey://:{(made / 'valkey_password').read_text()}@valkey:6379/0"


@pytest.mark.parametrize("text", fences("values"), ids=["for a team", "small"])
def test_the_values_render(text: str, tmp_path: Path) -> None:
    """To a gateway that knows its settings."""
    values = yaml.safe_load(text)
    assert "Deployment" in [made["kind"] for made in manifests(values)]
    assert loaded(values, tmp_path).settings.gateway.auth == "keys"


def test_the_figures_are_those_that_were_measured() -> None:
    """Each stands on the page of measurements, too."""
    measured = (ROOT / "docs" / "design" / "speed-and-cost.md").read_text()
    figures = ["0.60–0.85", "1.8–2.5", "2.4–5.8", "95 MB", "117–134 MB"]
    assert [figure for figure in figures if figure not in GUIDE or figure not in measured] == []


def test_every_file_that_the_guide_names_is_there() -> None:
    """Links, and paths in commands."""
    links = [PAGE.parent / link for link in re.findall(r"\]\(([^)#:]+)\)", GUIDE)]
    paths = [ROOT / path for path in re.findall(r"\bdeploy/[\w./-]*\w", GUIDE) if not path.startswith("deploy/secrets")]
    assert [path for path in [*links, *paths] if not path.exists() and path.name != "foldpoint"] == []


@pytest.mark.parametrize("path", [PAGE, *FILES], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_setting_that_is_named_is_one(path: Path) -> None:
    """By its dotted key and by its variable."""
    text = path.read_text()
    keys = {".".join(key) for key in KNOWN}
    variables = {PREFIX + "__".join(key).upper() for key in KNOWN}
    assert [key for key in SETTING.findall(text) if key not in keys and not key.endswith(".md")] == []
    assert [name for name in re.findall(r"FOLDPOINT_[A-Z_]+", text) if name not in variables | {PREFIX}] == []


@pytest.mark.parametrize("path", [PAGE, *FILES], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_that_is_named_is_one(path: Path) -> None:
    """`foldpoint serve`, `foldpoint keys create`, …: it answers for itself."""
    from foldpoint.cli.app import COMMANDS

    named = re.findall(r"(?:bin/|-- |exec foldpoint |CONTAINER |`)foldpoint ([a-z]+)", path.read_text())
    assert [word for word in named if word not in COMMANDS] == []
