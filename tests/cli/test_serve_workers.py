"""`foldpoint serve --workers N` as a command: what it shows, what it leaves, and how it ends where it can't begin."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import MAIN, environment, run, serving

SECRET = "sk-not-to-be-seen-0123456789"


def workers_of(parent: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def test_nothing_secret_is_on_a_command_line(tmp_path: Path) -> None:
    """The settings go to the workers on another way, and with what the file and the flags say."""
    (tmp_path / "f.toml").write_text(f'[gateway]\nworkers = 2\n[upstreams.openai]\napi_key = "{SECRET}"\n')
    with serving("--config", "f.toml", "--horizon", "adaptive", at=tmp_path) as (process, said):
        assert "hint" not in said
        pids = [process.pid, *workers_of(process.pid)]
        lines = [subprocess.check_output(["ps", "-o", "args=", "-p", str(pid)], text=True) for pid in pids]
    assert (len(lines), SECRET in "".join(lines)) == (3, False)


def test_modules_beside_it_are_not_taken_for_others(tmp_path: Path) -> None:
    """A worker imports nothing from the folder that it is started in."""
    for name in ("aiohttp", "json", "foldpoint"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not me')\n")
    command = [sys.executable, "-P", "-c", MAIN, "serve", "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["event"] == "listening"
    process.terminate()
    assert process.wait(20) == 0
    process.stdout.close()


def test_the_workers_figures_have_a_folder_while_they_run(tmp_path: Path) -> None:
    """One of its own, in the place that is named for it; none where there are no figures."""
    place = tmp_path / "figures"
    place.mkdir()
    with serving("--workers", "2", at=tmp_path, PROMETHEUS_MULTIPROC_DIR=str(place)):
        during = [path.name.startswith("foldpoint-metrics-") for path in place.iterdir()]
    off = {"PROMETHEUS_MULTIPROC_DIR": str(place), "FOLDPOINT_TELEMETRY__METRICS": "false"}
    with serving("--workers", "2", at=tmp_path, **off):
        without_figures = list(place.iterdir())
    assert (during, without_figures, list(place.iterdir())) == ([True], [], [])


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """Exit 1, and both mends."""
    ran = run("serve", "--port", "0", "--workers", "2", at=tmp_path, PROMETHEUS_MULTIPROC_DIR=f"{tmp_path}/none")
    assert ran.returncode == 1
    assert ran.stderr.decode().endswith(
        "set PROMETHEUS_MULTIPROC_DIR to a folder that can be written, or telemetry.metrics = false\n"
    )


def test_workers_that_cannot_start_are_no_loop(tmp_path: Path) -> None:
    """Where a package is missing it is named once, as by a single process; where one just ends, its exit code is."""
    lacking = {"aiohttp.py": "raise ModuleNotFoundError(name='aiohttp')", "msgspec.py": "raise SystemExit(7)"}
    told = []
    for name, text in lacking.items():
        folder = tmp_path / name.removesuffix(".py")
        folder.mkdir()
        (folder / name).write_text(text)
        main = f"import sys; sys.path.remove({str(folder)!r}); {MAIN}"
        ran = run("serve", "--port", "0", "--workers", "2", at=tmp_path, main=main, PYTHONPATH=str(folder))
        told.append((ran.returncode, ran.stderr.decode(), ran.stdout))
    assert told == [
        (2, "foldpoint: `serve` needs aiohttp: pip install 'foldpoint[gateway]'\n", b""),
        (1, "foldpoint: a worker ended with exit code 7 before it took requests\n", b""),
    ]


def test_a_stop_at_once_after_the_start_is_a_stop(tmp_path: Path) -> None:
    """While the workers come up."""
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    while len(pids := workers_of(process.pid)) < 2 and process.poll() is None:
        continue
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "")
    assert [pid for pid in pids if os.path.exists(f"/proc/{pid}")] == []


ISOLATED = ("unshare", "--fork", "--pid", "--mount-proc", "--kill-child")


def may_isolate() -> bool:
    """Whether a process may be the first of a space of its own here, as it is in a container."""
    if shutil.which(ISOLATED[0]) is None:
        return False
    return subprocess.run([*ISOLATED, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_isolate(), reason="no process spaces of one's own here")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_may_be_the_first_process_of_a_container(workers: str, tmp_path: Path) -> None:
    """It hears SIGTERM, and no dead worker stays a zombie."""
    command = [*ISOLATED, sys.executable, "-c", MAIN, "serve", "--port", "0", "--workers", workers]
    outside = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    assert outside.stdout is not None
    assert json.loads(outside.stdout.readline())["event"] == "listening"
    (first,) = workers_of(outside.pid)
    for dead in workers_of(first)[:1]:
        os.kill(dead, signal.SIGKILL)
        assert json.loads(outside.stdout.readline())["exit_code"] == -signal.SIGKILL
        assert not os.path.exists(f"/proc/{dead}")
    os.kill(first, signal.SIGTERM)
    assert outside.wait(20) == 0
    outside.stdout.close()
