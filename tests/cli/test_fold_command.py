"""`foldpoint fold`: the folded body on stdout, the receipt beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import MAIN, environment, run

from foldpoint import Policy, fold

ADAPTIVE = '[gateway]\nport = 1\n[skills.agent_trajectory_compaction]\nhorizon = "adaptive"\nepoch_size = 3\n'


def transcript(turns: int) -> bytes:
    """An Anthropic request body with that many answered turns, each with a long result."""
    messages: list[object] = [{"role": "user", "content": "count the orders"}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"toolu_{turn}", "name": "query", "input": {"page": turn}}
        rows = " ".join(f"row{turn}-{n}" for n in range(900))
        result = {"type": "tool_result", "tool_use_id": f"toolu_{turn}", "content": rows}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages}).encode()


def test_it_folds_like_the_library(tmp_path: Path) -> None:
    """The same bytes, by the file's policy; the receipt is JSON on stderr."""
    body = transcript(30)
    (tmp_path / "body.json").write_bytes(body)
    (tmp_path / "foldpoint.toml").write_text(ADAPTIVE)
    ran = run("fold", "body.json", "--surface", "anthropic", "--policy", "foldpoint.toml", at=tmp_path)
    expected = fold(body, "anthropic", Policy.from_file(tmp_path / "foldpoint.toml"))
    receipt = json.loads(ran.stderr)
    assert (ran.returncode, ran.stdout == expected.body) == (0, True)
    assert (receipt["verdict"], receipt["sealed"]) == ("compacted", expected.receipt.sealed)
    assert len(ran.stdout) < len(body)


def test_nothing_to_fold_is_the_body_itself(tmp_path: Path) -> None:
    """Read from stdin; the receipt in a file."""
    body = b'{"messages": [ {"role":"user","content":"\\u00e9"} ], "x": 1.0}\n'
    ran = run("fold", "-", "--surface", "openai-chat", "--receipt", "r.json", at=tmp_path, stdin=body)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, body, b"")
    assert json.loads((tmp_path / "r.json").read_bytes())["verdict"] == "skipped"


def test_a_body_that_cannot_be_read_goes_through(tmp_path: Path) -> None:
    """Byte for byte."""
    ran = run("fold", "-", "--surface", "anthropic", "--receipt", "-", at=tmp_path, stdin=b"\xffno json")
    assert (ran.returncode, ran.stdout) == (0, b"\xffno json")
    assert json.loads(ran.stderr)["reason"] == "unreadable"


def test_the_environment_sets_the_policy(tmp_path: Path) -> None:
    """As it does for the gateway."""
    mode = {"FOLDPOINT_SKILLS__AGENT_TRAJECTORY_COMPACTION__MODE": "shadow"}
    ran = run("fold", "-", "--surface", "anthropic", at=tmp_path, stdin=transcript(30), **mode)
    assert ran.stdout == transcript(30)
    assert json.loads(ran.stderr)["verdict"] == "would_compact"


def test_wrong_use(tmp_path: Path) -> None:
    """Exit 2, what and where; nothing on stdout."""
    (tmp_path / "bad.toml").write_text("[skills.agent_trajectory_compaction]\nepoch_size = 1\n")
    said = {
        "surface": run("fold", "-", "--surface", "antropic", at=tmp_path),
        "file": run("fold", "no.json", "--surface", "anthropic", at=tmp_path),
        "policy": run("fold", "-", "--surface", "anthropic", "--policy", "bad.toml", at=tmp_path),
        "missing": run("fold", "-", at=tmp_path),
    }
    assert {name: (ran.returncode, ran.stdout) for name, ran in said.items()} == dict.fromkeys(said, (2, b""))
    assert b"no surface is called 'antropic' (did you mean 'anthropic'?)" in said["surface"].stderr
    assert b"no.json cannot be read: No such file or directory" in said["file"].stderr
    assert b"bad.toml:2: skills.agent_trajectory_compaction.epoch_size must be >= 2" in said["policy"].stderr
    assert b"--surface" in said["missing"].stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="writes to /dev/full")
def test_a_full_disk_and_a_closed_pipe_are_said(tmp_path: Path) -> None:
    """Exit 1 and one line, no traceback."""
    reader, pipe = os.pipe()
    os.close(reader)
    for out, why in ((os.open("/dev/full", os.O_WRONLY), b"No space left on device"), (pipe, b"Broken pipe")):
        command = [sys.executable, "-c", MAIN, "fold", "-", "--surface", "anthropic"]
        ran = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(tmp_path),
            input=b"{}",
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(out)
        assert (ran.returncode, ran.stderr) == (1, b"foldpoint: stdout does not take the folded body: " + why + b"\n")


def test_the_model_may_stand_in_the_path(tmp_path: Path) -> None:
    """A Gemini body says no model: over the price band of the one that the path names a fold is made unasked."""
    contents: list[object] = [{"role": "user", "parts": [{"text": "count the orders"}]}]
    for turn in range(100):
        said = {"output": f"{turn} " * 4_000}
        contents.append({"role": "model", "parts": [{"functionCall": {"name": "query", "args": {}}}]})
        contents.append({"role": "user", "parts": [{"functionResponse": {"name": "query", "response": said}}]})
    (tmp_path / "body.json").write_text(json.dumps({"contents": contents}))
    (tmp_path / "foldpoint.toml").write_text(
        "[skills.agent_trajectory_compaction]\nexpected_task_steps = 1\ntoken_watermark = 0\n"
    )
    given = ("fold", "body.json", "--surface", "gemini", "--policy", "foldpoint.toml")
    ways: list[tuple[str, ...]] = [(), ("--path", "/v1beta/models/gemini-2.5-pro:generateContent")]
    ran = [run(*given, *way, at=tmp_path) for way in ways]
    assert [json.loads(one.stderr)["verdict"] for one in ran] == ["no_op", "compacted"]
