"""Reference survival: what later actions use of what tool results showed."""

import json
from typing import Any

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.engine import Engine
from foldpoint.lab.survival import Survival, references, survival_of

FILLER = "all is quiet along the river today " * 60
EAGER = {"payback_turns": 1_000, "token_watermark": 0}


def session(results: list[str], last: str) -> bytes:
    """A chat of one call a result, and a last call with the given argument, which is answered too."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Find it; orders_table is where it began."}]
    for number, result in enumerate([*results, "ok"]):
        asked = json.dumps({"q": last if number == len(results) else "next"})
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": asked}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    return json.dumps({"model": "m", "messages": messages}).encode()


def counted(results: list[str], last: str, **policy: Any) -> Survival:
    return survival_of(session(results, last), "openai-chat", Engine(Policy(Trajectory(**EAGER, **policy))))


def test_references_are_telling_words() -> None:
    """Identifiers, paths, numbers and what stands in quotes; plain words are none."""
    found = references('open src/a.py, call readRow and take_lock 4711 times, "so they say", then stop')
    assert found == {"src/a.py", "readRow", "take_lock", "4711", "so they say"}


def test_what_stays_is_visible() -> None:
    """A result of a kept turn is seen whole."""
    assert counted([FILLER, f"{FILLER} lock_owner"], "lock_owner") == Survival(used=1, visible=1)


def test_what_the_head_leaves_out_is_lost() -> None:
    """A sealed result's end is not to be seen, its beginning is."""
    results = [f"first_thing {FILLER} last_thing", *[FILLER] * 7]
    assert counted(results, "last_thing") == Survival(used=1, visible=0, sealed=1, found=0)
    assert counted(results, "first_thing") == Survival(used=1, visible=1, sealed=1, found=1)


def test_what_the_finder_takes_survives() -> None:
    """A place in the middle of a sealed result is kept by `extract = "evidence"`."""
    lines = [f"all is quiet along the river on day {word}" for word in "abcdefghijklmnopqrstuvwxyz" * 4]
    results = ["\n".join([*lines[:50], "it broke in src/river/mill.py:88", *lines[50:]]), *[FILLER] * 7]
    assert counted(results, "src/river/mill.py:88").found == 0
    assert counted(results, "src/river/mill.py:88", extract="evidence").found == 1


def test_what_the_user_or_an_action_named_first_does_not_count() -> None:
    """Only what a result showed first is a reference that can be lost."""
    assert counted([f"{FILLER} orders_table", FILLER], "orders_table") == Survival()
