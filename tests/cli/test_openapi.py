"""The document of the API says what is true: schemathesis asks everything it names, and much that it does not."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import get, run, serving

EXCLUDED = "positive_data_acceptance"
"""A cursor, a time and a whole number such as 1.0 can't be told by a schema; wrong ones are refused."""
RUN = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running gateway that wants keys, and a key."""
    folder = tmp_path_factory.mktemp("api")
    (folder / "foldpoint.toml").write_text('[gateway]\nauth = "keys"\nadmin_key = "admin"\n')
    made = run("keys", "create", "--plan", "enterprise", "--json", at=folder)
    with serving(at=folder) as (_, said):
        yield said["address"], json.loads(made.stdout)["secret"]


@pytest.mark.parametrize("who", ["admin", "key"])
def test_every_answer_is_one_that_the_document_names(api: tuple[str, str], who: str, tmp_path: Path) -> None:
    """No 5xx, no status, type or shape that is not written down; what is not allowed is refused."""
    address, key = api
    which = "--include-path-regex" if who == "admin" else "--exclude-path-regex"
    arguments = [
        "run", f"{address}/openapi.json", "--header", f"Authorization: Bearer {'admin' if who == 'admin' else key}",
        which, "dev_keys", "--checks", "all", "--exclude-checks", EXCLUDED, "--max-examples", "15", "--seed", "4",
    ]  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-1000:]
    assert re.search(r"[1-9]\d* generated", ran.stdout)


def test_the_document_names_every_path(api: tuple[str, str]) -> None:
    """And of each what it is for."""
    paths = get(f"{api[0]}/openapi.json")["paths"]
    assert {path: sorted(methods) for path, methods in paths.items()} == {
        "/api/v1/tenant/requests": ["get"],
        "/api/v1/tenant/request/{id}": ["get"],
        "/api/v1/tenant/sessions": ["get"],
        "/api/v1/tenant/session/{id}": ["get"],
        "/api/v1/tenant/ring": ["get"],
        "/api/v1/tenant/savings": ["get"],
        "/api/v1/session/{session}/result/{id}": ["get"],
        "/api/v1/dev_key/skills": ["get", "post"],
        "/api/v1/dev_keys": ["get", "post"],
        "/api/v1/dev_keys/{id}": ["delete"],
        "/livez": ["get"],
        "/readyz": ["get"],
    }
