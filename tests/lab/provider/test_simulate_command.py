"""`foldpoint simulate` as a process."""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from foldpoint.cli.simulate import overridden, override
from foldpoint.core.errors import FoldpointError
from foldpoint.lab.cache import BreakpointRules, PrefixRules

COMMAND = [sys.executable, "-c", "from foldpoint.cli import main; main()", "simulate", "--port", "0"]


def ask(url: str, body: Any) -> Any:
    """The decoded answer of the chat surface."""
    request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def test_it_serves_a_script_and_ends_when_told_to(tmp_path: Path) -> None:
    """The first line says where it listens; SIGTERM ends it with status 0."""
    file = tmp_path / "play.json"
    file.write_text('[{"text": "First."}]')
    with subprocess.Popen([*COMMAND, "--answers", str(file)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            answer = ask(url, {"model": "gpt-5.1", "messages": [{"role": "user", "content": "hi"}]})
        finally:
            process.send_signal(signal.SIGTERM)
    assert answer["choices"][0]["message"]["content"] == "First."
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--fault", "stats=1"], "did you mean 'status'?"),
        (["--answers", "/no/such/file"], "No such file"),
        (["--model-rates", "m:reed=1"], "did you mean 'read'?"),
    ],
)
def test_wrong_use_ends_with_status_2(options: list[str], why: str) -> None:
    """And says what is wrong."""
    ended = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert why in ended.stderr


def test_model_rates_change_the_rules_of_a_model() -> None:
    """Of one, or of all."""
    rules = overridden([override("*:minimum=7"), override("eu/gpt-5:1:read=0.5,write=1.5")])
    assert rules("anthropic", "claude-sonnet-5") == BreakpointRules(7)
    assert rules("openai-chat", "eu/gpt-5:1") == PrefixRules(7, read=0.5, write=1.5)
    for wrong, why in (("read=1", "MODEL:KEY=VALUE"), ("m:read=x", "read must be a number")):
        with pytest.raises(FoldpointError, match=why):
            override(wrong)
