"""The command line says what there is, and what is missing."""

import subprocess
import sys
from pathlib import Path

from commands import environment, run, without
from typer.main import get_command

from foldpoint import __version__
from foldpoint.cli.app import COMMANDS, application

LAZY = """
import sys
from foldpoint.cli.app import application
application("")
print(sorted({"aiohttp", "sqlite3", "pygments", "genai_prices"} & set(sys.modules)))
"""


def test_help_names_every_command(tmp_path: Path) -> None:
    """With what each is for."""
    ran = run("--help", at=tmp_path)
    assert ran.returncode == 0
    text = ran.stdout.decode()
    for name, command in COMMANDS.items():
        assert f"{name} " in text
        assert command.about in text


def test_every_command_has_its_module() -> None:
    """It registers under its name, and is no placeholder."""
    for name in COMMANDS:
        found = get_command(application(name)).commands  # type: ignore[attr-defined]
        assert set(found) == set(COMMANDS)
        assert found[name].params or hasattr(found[name], "commands")


def test_help_imports_no_command(tmp_path: Path) -> None:
    """So that it is quick, and works without their extras."""
    ran = subprocess.run([sys.executable, "-c", LAZY], env=environment(tmp_path), capture_output=True, check=True)
    assert ran.stdout == b"[]\n"


def test_a_wrong_command_is_wrong_use(tmp_path: Path) -> None:
    """Exit 2, with the nearest right one."""
    ran = run("serv", at=tmp_path)
    assert ran.returncode == 2
    assert b"Did you mean 'serve'" in ran.stderr


def test_without_the_cli_extra_it_says_which(tmp_path: Path) -> None:
    """No traceback."""
    ran = run("serve", at=tmp_path, main=without("typer"))
    assert (ran.returncode, ran.stderr) == (
        1,
        b"foldpoint: the command line needs its extra: pip install 'foldpoint[cli]'\n",
    )


def test_without_the_gateway_extra_serve_says_which(tmp_path: Path) -> None:
    """And `fold`, `config` and `--help` work."""
    bare = without("aiohttp", "uvloop", "uuid_utils")
    ran = run("serve", at=tmp_path, main=bare)
    assert (ran.returncode, ran.stderr) == (2, b"foldpoint: `serve` needs aiohttp: pip install 'foldpoint[gateway]'\n")
    assert run("config", "show", at=tmp_path, main=bare).returncode == 0
    assert run("fold", "-", "--surface", "anthropic", at=tmp_path, main=bare, stdin=b"{}").stdout == b"{}"


def test_completion_knows_the_options_of_a_command(tmp_path: Path) -> None:
    """In bash, without running anything."""
    ran = run(at=tmp_path, _FOLDPOINT_COMPLETE="complete_bash", COMP_WORDS="foldpoint serve --in", COMP_CWORD="2")
    assert ran.stdout.split() == [b"--insecure"]


def test_the_version(tmp_path: Path) -> None:
    """That of the package."""
    assert run("--version", at=tmp_path).stdout.decode() == f"foldpoint {__version__}\n"


def test_without_the_gateway_extra_demo_says_what_it_needs_once(tmp_path: Path) -> None:
    """Before it starts anything."""
    ran = run("demo", at=tmp_path, main=without("aiohttp"))
    assert (ran.returncode, ran.stderr) == (2, b"foldpoint: `demo` needs aiohttp: pip install 'foldpoint[all]'\n")
