"""`foldpoint keys` makes, lists and revokes keys, and the gateway serves by them."""

import json
import re
from pathlib import Path

import pytest
from commands import get, run, serving


def keys(*arguments: object, at: Path, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    ran = run("keys", *arguments, at=at, **more)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def test_a_key_from_its_making_to_its_end(tmp_path: Path) -> None:
    """It is shown once; afterwards how it begins, what it may do, and whether it is good."""
    code, said, _ = keys("create", "--name", "night", "--tenant", "a", "--requests-per-minute", 5, at=tmp_path)
    secret, id = re.fullmatch(
        r"(fp-\S{43})\n(key_\w{32}): this is the only time that the key is shown\n", said
    ).groups()  # type: ignore[union-attr]
    assert code == 0
    listed = json.loads(keys("list", "--json", at=tmp_path)[1])
    assert [(key["id"], key["tenant"], key["name"], key["shown"]) for key in listed] == [(id, "a", "night", secret[:9])]
    assert json.loads(keys("show", id, at=tmp_path)[1]) == listed[0]
    assert listed[0]["limits"]["requests_per_minute"] == 5
    assert keys("list", "--tenant", "b", "--json", at=tmp_path)[1] == "[]\n"
    assert keys("revoke", id, at=tmp_path) == (0, f"{id} is revoked\n", "")
    row = keys("list", at=tmp_path)[1].splitlines()[1].split()
    assert (row[0], row[1], row[2:5], row[-1]) == (id, f"{secret[:9]}…", ["a", "developer", "night"], "revoked")
    files = (tmp_path / ".local/share/foldpoint").glob("foldpoint.db*")
    assert secret.encode() not in b"".join(file.read_bytes() for file in files)


def test_everything_that_a_key_may_have(tmp_path: Path) -> None:
    """Values are read as their parameters are; as JSON with the secret."""
    code, said, _ = keys(
        "create", "--plan", "enterprise", "--mode", "agent_trajectory_compaction=shadow", "--param", "epoch_size=7",
        "--param", "horizon=adaptive", "--param", "pricing=false", "--upstream", "openai=env:TEAM", "--json",
        at=tmp_path,
    )  # fmt: skip
    key = json.loads(said)
    assert code == 0
    assert key["skills"] == {
        "skills": None,
        "modes": {"agent_trajectory_compaction": "shadow"},
        "params": {"agent_trajectory_compaction": {"epoch_size": 7, "horizon": "adaptive", "pricing": False}},
    }
    assert key["upstreams"] == {"openai": "env:TEAM"}
    assert key["secret"].startswith("fp-")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["create", "--param", "epoch_size=7"], 2, "skill_params is only configurable on the Enterprise plan"),
        (["create", "--plan", "enterprise", "--param", "epoch_size=1"], 2, "epoch_size must be >= 2"),
        (["create", "--plan", "enterprise", "--param", "epoch=1"], 2, "unknown field 'epoch'"),
        (["create", "--mode", "nothing=prod"], 2, "unknown skill 'nothing'"),
        (["create", "--tenant", "a/b"], 2, "tenant must be"),
        (["create", "--upstream", "openai=sk-secret"], 2, "upstreams.openai must be env:NAME or file:PATH"),
        (["create", "--upstream", "openai"], 2, "'openai' must be NAME=VALUE"),
        (["create", "--tokens-per-minute", "0"], 2, "limits.tokens_per_minute must be a whole number"),
        (["create", "--plan", "gold"], 2, "gold"),
        (["revoke", "key_x"], 1, "no key has the id 'key_x'; foldpoint keys list shows those there are"),
        (["show", "key_x"], 1, "no key has the id 'key_x'"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], code: int, said: str, tmp_path: Path) -> None:
    """2 for wrong use, 1 where there is no such key; nothing is kept."""
    ended, _, errors = keys(*arguments, at=tmp_path)
    assert (ended, said in errors) == (code, True), errors
    assert "sk-secret" not in errors
    assert keys("list", "--json", at=tmp_path)[1] == "[]\n"


def test_a_store_that_is_not_there_is_said(tmp_path: Path) -> None:
    """With its place, without its password."""
    away = "postgresql://me:hidden@127.0.0.1:1/x"
    code, _, errors = keys("list", at=tmp_path, FOLDPOINT_STORE__URL=away)
    assert (code, "127.0.0.1" in errors, "hidden" in errors) == (1, True, False), errors


def test_a_running_gateway_knows_the_key(tmp_path: Path) -> None:
    """One that was made while it runs, hashed with the secret of the configuration."""
    (tmp_path / "foldpoint.toml").write_text('[gateway]\nauth = "keys"\nkey_secret = "pepper"\n')
    with serving(at=tmp_path) as (_, said):
        secret = json.loads(keys("create", "--json", at=tmp_path)[1])["secret"]
        path = f"{said['address']}/api/v1/tenant/requests"
        assert get(path, authorization=f"Bearer {secret}") == {"requests": [], "cursor": None}
