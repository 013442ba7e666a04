"""The first-sight cap: what a long result's text is cut to, whatever its kind."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldpoint.skills.evidence import extract
from foldpoint.skills.evidence.gaps import ending
from foldpoint.skills.output_cap import capped
from foldpoint.skills.output_cap.capping import told

MOST = 2_000
WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp", "larch"]


def word(number: int) -> str:
    return WORDS[number * 7 % 12] + WORDS[number * 5 % 11]


def log(count: int) -> list[str]:
    return [
        f"2031-04-{1 + n % 28:02d} 10:{n % 60:02d}:00 INFO pump-{n % 9} pressure {n * 37 % 900} ok"
        for n in range(count)
    ]


def among(line: str, others: list[str], at: int) -> str:
    return "\n".join([*others[:at], line, *others[at:]])


@pytest.mark.parametrize("text", ["", "short", "x" * MOST, "a\n" * 1_000])
def test_a_text_that_fits_is_itself(text: str) -> None:
    """What is no longer than the cap comes back as the same object."""
    assert capped(text, MOST) is text


def test_the_end_says_how_to_get_the_rest() -> None:
    """Where a call is named, its result can be asked for."""
    text = "\n".join(log(900))
    assert capped(text, MOST).rpartition("\n")[2].endswith(" characters left out]")
    assert capped(text, MOST, "toolu_3").endswith(' characters left out; recall("toolu_3") returns them]')


def test_a_cap_below_the_ending_is_the_ending_cut() -> None:
    """However small the cap, it holds."""
    assert [capped("x" * 900, most) for most in (0, 1, 20)] == ["", "]", "characters left out]"]
    assert all(len(capped("x" * 900, most)) <= most for most in range(21, 200))


def test_the_log_keeps_what_is_rare() -> None:
    """An error line in the middle of 100 KB of others is kept, and lines of one form are counted."""
    text = among("2031-04-09 11:00:00 ERROR pump-4 seal broken: StateError: valve 7 is open", log(2_400), 1_200)
    found = capped(text, MOST)
    assert len(text) > 100_000
    assert "ERROR pump-4 seal broken: StateError: valve 7 is open" in found


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("count", [100, 500, 9_000])
def test_the_odd_row_of_a_long_array_is_kept(count: int, indent: int | None) -> None:
    """Of any length; every row is kept or counted."""
    rows = [{"id": f"k{n}", "state": "done", "tags": ["a", "b"]} for n in range(count)]
    rows[count * 2 // 3]["state"] = "stuck"
    found = capped(json.dumps([{"page": 1}, rows] if count == 100 else rows, indent=indent), MOST)
    body = json.loads(found[: found.rindex("\n[")])
    kept = body[1] if count == 100 else body
    assert rows[count * 2 // 3] in kept
    assert sum([1 if isinstance(row, dict) else int(row.split()[1]) for row in kept]) == count


def test_a_long_string_in_json_is_cut_inside() -> None:
    """The members beside it stay, and so does what it says that is rare."""
    text = "all is quiet\n" * 800 + "IndexError: list index out of range\n" + "all is quiet\n" * 800
    found = capped(json.dumps({"stdout": text, "exit_code": 3}), MOST)
    body = json.loads(found[: found.rindex("\n[")])
    assert body["exit_code"] == 3
    assert "IndexError: list index out of range" in body["stdout"]


def test_json_lines_keep_the_odd_row() -> None:
    """A row a line is read as an array is."""
    lines = [json.dumps({"id": n, "state": "done"}) for n in range(300)]
    lines[150] = json.dumps({"id": 150, "state": "failed over"})
    assert lines[150] in capped("\n".join(lines), 600).splitlines()


def test_failed_tests_are_kept_by_name() -> None:
    """With what they say and the sum; the others are counted."""
    lines = [f"tests/test_{word(n)}.py::test_{word(n + 3)}_{n} PASSED" for n in range(200)]
    text = (
        among("tests/test_heron.py::test_wades_twice FAILED", lines, 120) + "\n===== 1 failed, 200 passed in 3.1s ====="
    )
    found = capped(text, 700)
    assert "tests/test_heron.py::test_wades_twice FAILED" in found
    assert "===== 1 failed, 200 passed in 3.1s =====" in found
    assert " PASSED\n… " in found


def test_a_diff_keeps_its_heads() -> None:
    """Commits, files and hunks; the lines that are left out are counted by their sign."""
    hunk = [f"+    {word(n)} = {n}" if n % 3 else f"-    {word(n)} = old" for n in range(150)]
    text = "\n".join(["commit 3f9a1c07be22", "diff --git a/pump.c b/pump.c", "@@ -1,9 +1,9 @@ int main", *hunk])
    text += "\n" + "\n".join(["diff --git a/seal.c b/seal.c", "@@ -4 +4 @@", *hunk])
    found = capped(text, 800)
    for line in ("commit 3f9a1c07be22", "diff --git a/pump.c b/pump.c", "diff --git a/seal.c b/seal.c", "@@ -4 +4 @@"):
        assert line in found.splitlines()
    assert "… +" in found


def test_code_keeps_what_it_defines() -> None:
    """Imports, signatures and settings; of bodies little. Numbers of lines are the text's own."""
    body = [f"    value = value + step({n}, value)  # {word(n)}" for n in range(20)]
    lines = ["import os", "LIMIT = 40", *[line for n in range(6) for line in (f"def {word(n)}(value, step):", *body)]]
    found = capped("\n".join([f"{number:6d}\t{line}" for number, line in enumerate(lines, 1)]), 900)
    kept = found.splitlines()
    assert kept[:2] == ["     1\timport os", "     2\tLIMIT = 40"]
    assert [line for line in kept if "\tdef " in line] == [
        f"{3 + 21 * n:6d}\tdef {word(n)}(value, step):" for n in range(6)
    ]


def test_a_table_keeps_its_header_and_odd_rows() -> None:
    """A cell that is not like its column."""
    lines = [f"row{n},heron,{n % 40},open" for n in range(300)]
    lines[170] = "row170,heron,88000,open"
    found = capped("name,kind,depth,state\n" + "\n".join(lines), 400).splitlines()
    assert found[0] == "name,kind,depth,state"
    assert "row170,heron,88000,open" in found
    assert any(line.startswith("… ") and line.endswith(" rows") for line in found)


def test_hits_of_a_search_are_counted_by_file() -> None:
    """What is left out of a search says how many hits in how many files."""
    lines = [f"src/{word(n // 40)}.py:{n}: total += step(value)" for n in range(200)]
    found = capped("\n".join(lines), 500)
    assert any(line.startswith("… ") and " hits in " in line for line in found.splitlines())


@pytest.mark.parametrize(
    "evidence",
    [
        "http://10.0.0.7:8443/health",
        "src/main/java/Pool.java:88",
        "openssl 3.0.13",
        "max_connections = 12",
        "built from 9fceb02d0ae5",
        'File "/srv/app/pool.py", line 31, in close',
    ],
)
def test_evidence_in_prose_is_kept(evidence: str) -> None:
    """A sentence with something to look up, between those without."""
    text = "The river runs slowly through the valley. " * 80 + f"It is {evidence} here. "
    assert evidence in capped(text + "The mills along it stand still. " * 80, 600)


def test_a_capped_text_is_told_like_the_whole_one() -> None:
    """The line of a sealed turn has the evidence of a capped text, and neither its gaps nor its ending."""
    text = among("2031-04-09 11:00:00 ERROR pump-4 StateError: valve 7 is open", log(400), 200)
    line = extract(capped(text, MOST, "c1"), 320)
    assert "StateError: valve 7 is open" in line
    assert "left out" not in line
    assert "more like it" not in line


def test_rows_that_are_left_out_are_counted_when_it_is_told_again() -> None:
    """The line of a sealed turn has the length that the array had, and its odd row."""
    rows = [{"id": f"k{n:03d}", "state": "done", "ms": n % 50} for n in range(200)]
    rows[77]["state"] = "lost"
    line = extract(capped(json.dumps({"rows": rows}), 2_000), 320)
    assert "[200 × {id, state, ms}]" in line
    assert "id: k077, state: lost" in line


PARTS = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        [
            "Error: x\n",
            "a/b.py:3: x\n",
            "[1, 2]",
            '{"a": [{"b": 1}, ',
            "\ud800",
            "👩‍👩‍👧" * 9,
            "e\u0301" * 90,
            "\x85\r\n",
            "\0" * 50,
            "v1.2.3 ",
            "ab" * 400,
            "[" * 300,
            "1" * 300,
            "2031-04-01 10:00:01 INFO x\n",
            "tests/a.py::b FAILED\n",
            "@@ -1 +1 @@\n+a\n-b\n",
            "     1\tdef a():\n",
            "a | b | c\n",
            "… 3 more\n",
            "\n[12 characters left out]",
        ]
    ),
)
TEXTS = st.builds(lambda parts, times: "".join(parts) * times, st.lists(PARTS, max_size=30), st.integers(1, 12))
ROWS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=9), inner, max_size=9),
    max_leaves=60,
)
JSON = st.builds(
    lambda value, indent, times: json.dumps([value] * times, indent=indent),
    ROWS,
    st.none() | st.just(1),
    st.integers(1, 40),
)


@settings(deadline=None, derandomize=True, max_examples=120)
@given(st.one_of(TEXTS, JSON), st.integers(min_value=200, max_value=2_500), st.sampled_from(["", "toolu_1"]))
def test_a_capped_text_is_within_its_length(text: str, most: int, call_id: str) -> None:
    """Whatever the text: at most so many characters, the same each time, and what fits is left as it is."""
    found = capped(text, most, call_id)
    assert len(found) <= most
    assert capped(text, most, call_id) == found
    assert capped(found, most, call_id) is found
    assert (found is text) == (len(text) <= most)


@settings(deadline=None, derandomize=True, max_examples=120)
@given(st.one_of(TEXTS, JSON).map(lambda text: text.replace("…", ".")), st.integers(min_value=200, max_value=2_500))
def test_the_ending_counts_what_is_left_out(text: str, most: int) -> None:
    """Its number and the characters that are kept, signs of gaps not counted, are the whole text."""
    if len(text) > most:
        said, kept = told(text, most - len(ending(len(text))))
        assert capped(text, most) == said + ending(len(text) - kept)
        gaps = said.count("…")
        assert len(said) - GAP * gaps <= kept <= len(said) - gaps


GAP = 60
"""Characters that what is said in a gap has at most."""


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300), min_size=5, max_size=30))
def test_a_text_of_whole_characters_stays_one(parts: list[str]) -> None:
    """No half of a character comes to be."""
    assert capped("\n".join(parts), 300).encode().decode() == capped("\n".join(parts), 300)


UNITS = [
    "a",
    "(",
    "1",
    "[",
    "{",
    '"',
    "\\",
    "\n",
    " ",
    "\r\n",
    "\0",
    "\ud800",
    "e\u0301",
    "1.",
    "/",
    "a ",
    "Error: ",
    "=1",
]


@pytest.mark.parametrize("unit", [*UNITS, '{"a":', "[{", "a::", "://", "@@ -1 +1 @@\n", "FAIL ", "x ... ", "_"])
def test_one_sign_a_hundred_thousand_times(unit: str) -> None:
    """Texts that a pattern could lose itself in are capped like others."""
    text = unit * (100_000 // len(unit))
    assert (0 if unit.isspace() else MOST // 3) < len(capped(text, MOST)) <= MOST


@pytest.mark.parametrize("size", [30, 300, 3_000])
def test_the_ending_counts_to_the_character(size: int) -> None:
    """Of a text in which no character stands twice, those that are kept and those that are left out are all."""
    letters = [chr(0x4E00 + number) for number in range(9_000)]
    text = "".join([letter + "\n" * (number % size == 0) for number, letter in enumerate(letters)])
    found = capped(text, MOST)
    said, _, end = found.rpartition("\n")
    kept = sum([letter in said for letter in letters])
    lines = said.count("\n") - sum([line.startswith("…") for line in said.split("\n")])
    left = int(end[1:].split()[0])
    assert len(text) - kept - said.count("\n") <= left <= len(text) - kept - max(0, lines)


@pytest.mark.parametrize("most", [*range(1, 60), 112, 120, 200])
@pytest.mark.parametrize("call_id", ["", "c" * 60, "c" * 140])
def test_a_room_too_small_for_what_a_gap_says(most: int, call_id: str) -> None:
    """Is filled with what fits in it."""
    log = "\n".join(f"ERROR {number} f.py:{number}" for number in range(60))
    assert len(capped(log * 5, most, call_id)) <= most
