"""`foldpoint demo` as a person runs it: real processes, a simulated provider, loopback only."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foldpoint.lab.sessions import bodies, shipped

COMMAND = [sys.executable, "-c", "from foldpoint.cli import main; main()", "demo"]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the last request of a shipped session, a body of another surface, and a file that is none."""
    folder = tmp_path_factory.mktemp("logs")
    *_, last = bodies(shipped()[1])
    (folder / "webhooks.json").write_bytes(last)
    (folder / "other.json").write_text('{"prompt":"x"}')
    (folder / "broken.json").write_text("{")
    return folder


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)


def test_a_recorded_session_is_replayed_down_both_ways(logs: Path) -> None:
    """The fold sends and costs less, every step is answered, and what is skipped is named."""
    done = run("--logs", str(logs), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (session,) = found["sessions"]
    assert (session["name"], session["surface"], session["steps"], session["stopped"]) == (
        "webhooks",
        "openai-chat",
        23,
        "",
    )
    assert session["folds"] > 0
    assert session["folded"]["tokens_sent"] < session["direct"]["tokens_sent"]
    assert session["folded"]["cost_usd"] < session["direct"]["cost_usd"]
    assert session["saved"] == pytest.approx(1 - session["folded"]["cost_tokens"] / session["direct"]["cost_tokens"])
    assert session["folded"]["gateway_ms"]["p50"] > 0
    assert [skipped["name"] for skipped in found["skipped"]] == ["broken.json", "other.json"]
    assert found["policy"]["horizon"] == "adaptive"


def test_a_policy_and_a_model_can_be_given(logs: Path, tmp_path: Path) -> None:
    """In shadow nothing is folded; another model has another price."""
    policy = tmp_path / "foldpoint.toml"
    policy.write_text('[skills.agent_trajectory_compaction]\nmode = "shadow"\n')
    done = run(
        "--logs",
        str(logs / "webhooks.json"),
        "--json",
        "--policy",
        str(policy),
        "--model",
        "gpt-4o",
        "--horizon",
        "task",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (session,) = found["sessions"]
    assert (session["model"], session["saved"]) == ("gpt-4o", 0.0)
    assert session["direct"]["cost_usd"] == pytest.approx(session["direct"]["cost_tokens"] * 2.5 / 1e6)
    assert (found["policy"]["mode"], found["policy"]["horizon"]) == ("shadow", "task")


def test_the_table_fits_a_terminal_and_says_how_to_go_on(logs: Path) -> None:
    """80 columns; the closing lines name the variable of each provider."""
    done = run(str(logs))
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    variables = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
    for words in ("direct", "folded", *variables, "other.json", "broken.json"):
        assert words in done.stdout


def test_wrong_use_is_2_and_nothing_to_replay_is_1(logs: Path) -> None:
    """A path that is not there is named."""
    missing = run("--logs", str(logs / "nowhere"))
    assert (missing.returncode, "nowhere" in missing.stderr) == (2, True)
    nothing = run("--logs", str(logs / "other.json"))
    assert (nothing.returncode, "neither messages" in nothing.stderr) == (1, True)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_started_is_ended_when_it_is_stopped(number: int) -> None:
    """The provider and the gateway go with the demo."""
    demo = subprocess.Popen(COMMAND, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while len(started := children(demo.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        demo.send_signal(number)
        demo.wait(30)
        assert len(started) == 2
        assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
    finally:
        demo.kill()
        demo.wait()


def children(pid: int) -> list[int]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1] == str(pid):
                found.append(int(entry))
        except OSError:
            continue
    return found
