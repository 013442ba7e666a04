"""`foldpoint agent` as a person uses it: a task with real commands, and what can go wrong around it."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from living import agent, agent_file, command, logged, provider, step

LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
"""
"""No file may get longer: what a full disk does to a log."""
SHELL = "[tools.shell]\ntimeout_seconds = 60\n"
BROKEN = "def mean(values):\n    return sum(values) / len(value)\n"
TEST = """from stats import mean


def test_mean():
    assert mean([1, 2, 3]) == 2


def test_none():
    assert mean([]) == 0
"""
MEND = "cat > stats.py <<'END'\ndef mean(values):\n    return sum(values) / len(values) if values else 0\nEND\n"


@pytest.mark.parametrize(
    ("surface", "plain"),
    [("anthropic", False), ("openai-chat", False), ("openai-chat", True), ("openai-responses", False)],
    ids=["anthropic", "openai-chat", "in plain text", "openai-responses"],
)
def test_it_repairs_a_project(tmp_path: Path, surface: str, plain: bool) -> None:
    """Sees the tests fail, looks, mends, sees them pass: with real commands, on every surface, also in plain text."""
    (tmp_path / "stats.py").write_text(BROKEN)
    (tmp_path / "test_stats.py").write_text(TEST)
    quick = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"
    tests = {"command": f"{quick} {sys.executable} -m pytest -q -p no:cacheprovider test_stats.py 2>&1 | tail -20"}
    commands = [tests, {"command": "cat stats.py"}, {"command": MEND}, tests]
    steps = [step("Next.", ("shell", each)) for each in commands] + [step("It passes now.")]
    if plain:
        blocks = ["```tool\n" + json.dumps({"name": "shell", "arguments": each}) + "\n```" for each in commands]
        steps = [step(f"Next.\n\n{block}") for block in blocks] + [step("It passes now.")]
    more = ("disable_native_tools = true\n" if plain else "") + SHELL
    with provider(tmp_path, steps) as address:
        done = agent(agent_file(tmp_path, address, more, surface), "run", "--trigger", "The tests fail. Mend it.")
    assert done.returncode == 0, done.stderr
    assert "It passes now." in done.stdout
    results = [row["content"] for row in logged(tmp_path / "agent.toml") if row["role"] == "tool"]
    assert "2 failed" in results[0]
    assert "len(value)" in results[1]
    assert "2 passed" in results[3]


def test_show_log_and_reset(tmp_path: Path) -> None:
    """Where it stands, every message, and a new conversation that leaves the old one where it is."""
    with provider(tmp_path, [step("Hello."), step("Again.")]) as address:
        file = agent_file(tmp_path, address)
        assert agent(file, "run", "--trigger", "Hi.").stdout.strip() == "Hello."
        shown = agent(file, "show", "--verify").stdout
        assert "messages: 2" in shown
        assert "verified: 2" in shown
        first = shown.partition("conversation: ")[2].split()[0]
        assert agent(file, "log").stdout.split() == ["1", "user", "Hi.", "2", "assistant", "Hello."]
        assert agent(file, "reset").stdout.strip() != first
        assert agent(file, "log").stdout == ""
        assert "Hello." in agent(file, "log", "--conversation", first).stdout


def test_two_processes_on_one_conversation(tmp_path: Path) -> None:
    """The second one hears which process has it; the first one ends as it should."""
    steps = [step("Wait.", ("shell", {"command": "touch running; sleep 3"})), step("Done.")]
    with provider(tmp_path, steps) as address:
        file = agent_file(tmp_path, address, SHELL)
        first = subprocess.Popen(command(file, "run", "--trigger", "Go."), cwd=tmp_path, stdout=subprocess.PIPE)
        until(lambda: (tmp_path / "running").exists())
        second = agent(file, "run", "--trigger", "Me, too.")
        assert (second.returncode, f"is run by process {first.pid}" in second.stderr) == (1, True)
        assert first.communicate(timeout=30)[0].strip() == b"Wait.Done."
    assert [row["role"] for row in logged(file)] == ["user", "assistant", "tool", "assistant"]


def test_a_command_that_hangs_prints_too_much_or_writes_binary(tmp_path: Path) -> None:
    """Each is a result that says so; the agent goes on in little memory."""
    commands = ["sleep 100", f"{sys.executable} -c \"print('y' * 100_000_000)\"", "head -c 4000 /dev/urandom"]
    steps = [
        step("Next.", ("shell", {"command": each, "timeout_seconds": 20 if at else 1}))
        for at, each in enumerate(commands)
    ]
    with provider(tmp_path, [*steps, step("Done.")]) as address:
        done = agent(agent_file(tmp_path, address, SHELL), "run", "--trigger", "Go.")
    assert done.returncode == 0, done.stderr
    hung, long, binary = [row["content"] for row in logged(tmp_path / "agent.toml") if row["role"] == "tool"]
    assert "1 s" in hung
    assert len(long) < 100_000
    assert "binary" in binary


def test_a_stop_leaves_a_log_that_goes_on(tmp_path: Path) -> None:
    """SIGTERM stops the command that runs; the next run says that it was interrupted, and ends the task."""
    steps = [step("Wait.", ("shell", {"command": "touch running; sleep 60; touch never"})), step("Done.")]
    with provider(tmp_path, steps) as address:
        file = agent_file(tmp_path, address, SHELL)
        first = subprocess.Popen(command(file, "run", "--trigger", "Go."), cwd=tmp_path, stderr=subprocess.PIPE)
        until(lambda: (tmp_path / "running").exists())
        first.send_signal(signal.SIGTERM)
        said = first.communicate(timeout=30)[1]
        assert (first.returncode, b"the next run goes on" in said) == (1, True)
        assert agent(file, "run").stdout.strip() == "Done."
    assert "interrupted" in logged(file)[2]["content"] or "stopped while this call ran" in logged(file)[2]["content"]
    assert not (tmp_path / "never").exists()


def test_triggers_from_files_and_over_http(tmp_path: Path) -> None:
    """Both are worked on one after another; a trigger that was done lies in done/."""
    with provider(tmp_path, [step("One."), step("Two.")]) as address:
        file = agent_file(tmp_path, address, "[triggers]\nport = 0\n")
        (tmp_path / "triggers").mkdir()
        (tmp_path / "triggers" / "a.txt").write_text("First.")
        watching = subprocess.Popen(
            command(file, "run", "--watch"), cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        try:
            assert watching.stderr is not None
            door = next(line for line in watching.stderr if "triggers are taken" in line).split()[-1]
            asked = urllib.request.Request(
                door, json.dumps({"text": "Second."}).encode(), {"content-type": "application/json"}
            )
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=20) as answer:
                assert answer.status == 202
            until(lambda: len(logged(file)) == 4)
        finally:
            watching.send_signal(signal.SIGTERM)
            watching.wait(20)
    assert [row["content"] for row in logged(file)] == ["First.", "One.", "Second.", "Two."]


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """The log says that there is no room and where; what was written stays, and it goes on when there is."""
    steps = [step("Read.", ("shell", {"command": "head -c 60000 /dev/zero | tr '\\0' x"})) for _ in range(8)]
    with provider(tmp_path, [*steps, step("Done.")]) as address:
        file = agent_file(tmp_path, address, SHELL)
        full = command(file, "run", "--trigger", "Go.")
        full[2] = LIMITED + full[2]
        done = subprocess.run(full, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1
        assert "conversations.db" in done.stderr
        before = logged(file)
        assert 0 < len(before) < 18
        assert agent(file, "run").returncode == 0
    rows = logged(file)
    assert rows[: len(before)] == before
    assert rows[-1]["content"] == "Done."
    assert "verified: " in agent(file, "show", "--verify").stdout


def test_a_corrupt_log_is_refused(tmp_path: Path) -> None:
    """Said with the file and the mend; nothing is written over it."""
    with provider(tmp_path, [step("One.")]) as address:
        file = agent_file(tmp_path, address)
        (tmp_path / "conversations.db").write_bytes(b"no database at all, but long enough" * 100)
        done = agent(file, "run", "--trigger", "Go.")
    assert done.returncode == 1
    assert "conversations.db" in done.stderr
    assert (tmp_path / "conversations.db").read_bytes().startswith(b"no database at all")


def test_bad_settings_are_named_with_their_lines(tmp_path: Path) -> None:
    """Each with its line and the nearest right key; exit 2."""
    file = tmp_path / "agent.toml"
    file.write_text('name = ""\nmodell = "m"\n[tools.shel]\n[skills.tool_output_cap]\nmax_chars = 3\n')
    done = agent(file, "run", "--trigger", "Go.")
    assert done.returncode == 2
    for wanted in (
        "agent.toml:2: unknown key 'modell' (did you mean 'model'?)",
        "agent.toml:1: name: ",
        "agent.toml:3: unknown key 'shel' in [tools] (did you mean 'shell'?)",
        "agent.toml:5: max_chars must be 0 or >= 200",
        "model must be set",
    ):
        assert wanted in done.stderr


def until(holds: object, seconds: float = 30) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)
