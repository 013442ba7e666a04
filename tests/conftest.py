"""Tests marked `shared` run on what lies beside the repository; where nothing does they are skipped, and it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from servers import Postgres, Valkey

SHARED = Path(__file__).resolve().parents[2] / "shared"
SKIPPED = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository."""
    return SHARED


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A Postgres for all tests of the run; a test takes a `database()` of it, and never stops it."""
    from servers import postgres

    with postgres() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Valkey]:
    """A Valkey for all tests of the run, which never stop it."""
    from servers import valkey

    with valkey() as server:
        yield server


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs the folder where there is none."""
    marked = [item for item in items if item.get_closest_marker("shared")]
    config.stash[SKIPPED] = 0 if SHARED.is_dir() else len(marked)
    if config.stash[SKIPPED]:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=f"{SHARED} is not there"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say once how many tests did not run."""
    if skipped := config.stash.get(SKIPPED, 0):
        terminalreporter.write_line(
            f"{skipped} tests were skipped: they need {SHARED}, which is not there", yellow=True
        )
    for reason, count in sorted(other_reasons(terminalreporter).items()):
        terminalreporter.write_line(f"{count} tests were skipped: {reason}", yellow=True)


def other_reasons(terminalreporter: pytest.TerminalReporter) -> Counter[str]:
    """Why else tests did not run, and how many for each reason."""
    told = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr]
    return Counter(reason.removeprefix("Skipped: ") for reason in told if str(SHARED) not in reason)
