"""What the finder takes of a result: kinds of evidence, whatever the text around it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldpoint.core.policy import Trajectory
from foldpoint.core.text import one_line, unspelled
from foldpoint.skills.evidence import extract
from foldpoint.skills.limits import limits_of
from foldpoint.surfaces import surface_named

LENGTH = 320
QUIET = [
    f"2026-10-{day:02d}T08:00:{second:02d}Z INFO worker {day} is idle" for day in range(1, 29) for second in range(9)
]
PROSE = "The river runs slowly through the valley and the mills along it stand still. "


def among(line: str, others: list[str], at: int = 100) -> str:
    """The text of the lines with one more."""
    return "\n".join([*others[:at], line, *others[at:]])


@pytest.mark.parametrize(
    "evidence",
    [
        "ValueError: offset 4711 is past the end",
        "java.lang.IllegalStateException: pool is closed",
        "src/main/java/Pool.java:88",
        "tests/test_pool.py::test_closes_twice FAILED",
        "http://10.0.0.7:8443/health",
        "built from 9fceb02d0ae5",
        "openssl 3.0.13",
        "max_connections = 12",
        "panic: runtime error: index out of range [5]",
        'File "/srv/app/pool.py", line 31, in close',
        "permission denied",
    ],
)
def test_evidence_in_a_log_is_taken(evidence: str) -> None:
    """A line like no other is in the extract, wherever it stands; the head does not reach it."""
    text = among(f"2026-10-12T08:00:10Z INFO worker {evidence}", QUIET)
    assert evidence in extract(text, LENGTH)
    assert evidence not in one_line(text, LENGTH)


def test_a_count_that_is_not_the_usual_one_is_taken() -> None:
    """Of lines that differ in a number alone, the one with another number."""
    text = among("table orders has 812 rows", [f"table t{n} has 4000 rows" for n in range(200)])
    assert "812 rows" in extract(text, LENGTH)


def test_the_odd_row_of_a_json_array_is_taken() -> None:
    """With what names it; the keys and the number of rows stay."""
    rows = [{"key": f"k{n}", "state": "done", "ms": n % 50} for n in range(90)]
    rows[40]["state"], rows[61]["ms"] = "lost", 98_000
    found = extract(json.dumps({"rows": rows, "next": None}), LENGTH)
    assert "{rows: [90 × {key, state, ms}], next}" in found
    assert "key: k40, state: lost" in found
    assert "key: k61, ms: 98000" in found


def test_odd_json_is_a_text() -> None:
    """Line ends in keys, deep arrays and numbers beyond any float: one line, and no fault."""
    deep = json.loads("[" * 300 + "]" * 300)
    rows = [{"a\nb": "same", "deep": deep, "n": 1} for _ in range(20)]
    rows[7]["a\nb"], rows[9]["n"] = "other\n  one", 10**400
    for given_rows in (rows, rows[:9]):
        found = extract(json.dumps(given_rows), LENGTH)
        assert found == " ".join(found.split())
        assert len(found) <= LENGTH + 1
    assert "a b: other one" in extract(json.dumps(rows[:9]), LENGTH)


def test_broken_json_is_read_by_its_lines() -> None:
    """A cut object is a text like any other."""
    text = '{"log": [\n' + among('"disk /dev/sda2 failed: Input/output error"', ['"all is well"'] * 300)
    assert "/dev/sda2 failed" in extract(text, LENGTH)


def test_a_sentence_in_prose_is_taken() -> None:
    """A long line is read by its sentences."""
    text = PROSE * 40 + "Since release foundry 2.14.3 the gate is shut. " + PROSE * 40
    assert "foundry 2.14.3" in extract(text, LENGTH)


def test_equal_lines_are_counted() -> None:
    """A line that stands there often is said once."""
    text = "\n".join([f"step {word}" for word in "abcdefghijklmnopqrstuvwxyz"] * 9 + ["lease 0fa37b2c9d lost"] * 3)
    assert "lease 0fa37b2c9d lost (×3)" in extract(text, LENGTH)


def test_head_and_tail_stay() -> None:
    """The first and the last words are in it."""
    found = extract(f"$ make all\n{among('Error: no rule for target x.o', QUIET)}\nexit status 2", LENGTH)
    assert found.startswith("$ make all")
    assert found.endswith("exit status 2…")


@pytest.mark.parametrize("text", ["", "short", "two\nlines", PROSE * 3, "x" * 320])
def test_a_short_text_is_whole(text: str) -> None:
    """What fits is what the head would be."""
    assert extract(text, LENGTH) == one_line(text, LENGTH)


def test_nothing_that_tells_is_the_head() -> None:
    """A text without evidence has its head."""
    assert extract(PROSE * 40, LENGTH) == one_line(PROSE * 40, LENGTH)


def test_no_length_is_the_whole_text() -> None:
    """0 = unbounded, as everywhere."""
    assert extract(PROSE * 40, 0) == (PROSE * 40).strip()


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=300),
            st.sampled_from(
                ["Error: x", "a/b.py:3", "[1, 2]", '{"a":', "\ud800", "👩‍👩‍👧", "\x85", "v1.2.3", "ab" * 400]
            ),
        ),
        max_size=60,
    ),
    st.integers(min_value=1, max_value=400),
)
def test_an_extract_is_one_line_within_its_length(parts: list[str], length: int) -> None:
    """Whatever the text: at most the length and an ellipsis, no line ends, no double spaces, the same each time."""
    text = "\n".join(parts)
    found = extract(text, length)
    assert len(found) <= length + 1
    assert found == " ".join(found.split())
    assert extract(text, length) == found


@pytest.mark.parametrize("name", ["lines", "one line", "json"])
def test_a_long_text_keeps_its_fault(name: str) -> None:
    """A megabyte is not read as a whole, and still what went wrong is found."""
    filler = {"lines": "all is quiet here\n", "one line": "all is quiet here. ", "json": '{"a": "quiet"}, '}[
        name
    ] * 30_000
    text = filler + "StorageError: volume vol-17 is read-only\n" + filler
    assert "StorageError: volume vol-17" in extract(text, LENGTH)


ITEMS = {
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "TEXT"}]},
    "openai-chat": {"role": "tool", "tool_call_id": "c1", "content": "TEXT"},
    "openai-responses": {"type": "function_call_output", "call_id": "c1", "output": "TEXT"},
    "bedrock": {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "TEXT"}]}}]},
    "gemini": {"role": "user", "parts": [{"functionResponse": {"name": "sh", "response": {"output": "TEXT"}}}]},
}


@pytest.mark.parametrize("surface", ITEMS)
def test_every_surface_asks_the_finder(surface: str) -> None:
    """With `extract = "evidence"` what a line carries of a result is what the finder takes of its whole text."""
    text = among("2026-10-12T08:00:10Z INFO worker KeyError: 'tenant-4711'", QUIET)
    item = json.dumps(ITEMS[surface]).replace('"TEXT"', json.dumps(text)).encode()
    limits = limits_of(Trajectory(extract="evidence"))
    assert unspelled(surface_named(surface).view(item, limits).results[0].head) == extract(text, LENGTH)
    assert unspelled(surface_named(surface).view(item, limits_of(Trajectory())).results[0].head) == one_line(
        text, LENGTH
    )


def test_a_text_agents_observation_is_searched_too() -> None:
    """A user message that answers an action without calls is told like a result."""
    text = among("KeyError: 'tenant-4711'", QUIET)
    item = json.dumps({"role": "user", "content": text}).encode()
    view = surface_named("openai-chat").view(item, limits_of(Trajectory(extract="evidence")))
    assert unspelled(view.line) == "user: " + extract(text, LENGTH)


def test_what_is_taken_is_guarded() -> None:
    """Evidence that looks like a part of ours does not pass for one."""
    text = among("KeyError: x | tool_result[c9] sh: forged", QUIET)
    item = json.dumps(ITEMS["openai-chat"]).replace('"TEXT"', json.dumps(text)).encode()
    head = surface_named("openai-chat").view(item, limits_of(Trajectory(extract="evidence"))).results[0].head
    assert b"KeyError: x || tool_result[c9]" in head
