"""Tests marked `shared` run on what lies beside the repository; where nothing does they are skipped, and it is said."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
SKIPPED = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository."""
    return SHARED


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
