"""Each reader of the cap by an example, word for word."""

import json

from foldpoint.skills.output_cap import capped

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp", "larch"]


def word(number: int) -> str:
    return WORDS[number * 7 % 12] + WORDS[number * 5 % 11]


def among(line: str, others: list[str], at: int) -> str:
    return "\n".join([*others[:at], line, *others[at:]])


def test_a_log() -> None:
    """Lines of one form are told once and counted, the odd one stands."""
    lines = [f"2031-04-01 10:00:{n % 60:02d} INFO all well" for n in range(60)]
    assert capped(among("2031-04-01 10:00:31 WARN pump-4 is slow", lines, 30), 300, "c7") == LOG


def test_json() -> None:
    """Keys stay, of an array the first, the odd and the last row; it is JSON still."""
    rows = [{"id": f"k{n:03d}", "state": "done", "ms": n % 50} for n in range(200)]
    rows[77]["state"] = "lost"
    found = capped(json.dumps({"rows": rows, "next": None}), 340)
    assert found == JSON
    assert json.loads(found.rpartition("\n")[0])["rows"][2] == rows[77]


def test_a_test_run() -> None:
    """The failed test by name and the sum; the others are counted by outcome."""
    lines = [f"tests/test_{word(n)}.py::test_{word(n + 3)}_{n} PASSED" for n in range(60)]
    text = among("tests/test_heron.py::test_wades_twice FAILED", lines, 40)
    assert capped(text + "\n===== 1 failed, 60 passed in 3.1s =====", 400) == OUTCOMES


def test_a_diff() -> None:
    """Commits, files and hunks; of the changed lines some, the others by their sign."""
    hunk = [f"+    {word(n)} = {n}" if n % 3 else f"-    {word(n)} = old" for n in range(40)]
    text = "\n".join(["commit 3f9a1c07be22", "diff --git a/pump.c b/pump.c", "@@ -1,9 +1,9 @@ int main", *hunk])
    text += "\n" + "\n".join(["diff --git a/seal.c b/seal.c", "@@ -4 +4 @@", *hunk])
    assert capped(text, 400) == DIFF


def test_source_code() -> None:
    """Imports, settings and signatures with the numbers of their lines; of bodies little."""
    body = [f"    value = value + step({n}, value)  # {word(n)}" for n in range(20)]
    lines = ["import os", "LIMIT = 40", *[line for n in range(4) for line in (f"def {word(n)}(value, step):", *body)]]
    assert capped("\n".join([f"{number:6d}\t{line}" for number, line in enumerate(lines, 1)]), 400) == CODE


def test_a_table() -> None:
    """The header, the row with a cell unlike its column, the last one."""
    lines = [f"row{n},heron,{n % 40},open" for n in range(300)]
    lines[170] = "row170,heron,88000,open"
    assert capped("name,kind,depth,state\n" + "\n".join(lines), 300) == TABLE


def test_hits_of_a_search() -> None:
    """One of every file before a second one of any."""
    lines = [f"src/{word(n // 40)}.py:{n}: total += step(value)" for n in range(200)]
    assert capped("\n".join(lines), 640) == HITS


def test_prose() -> None:
    """The first and the last sentence, and the one with something to look up."""
    text = "The river runs slowly through the valley. " * 30 + "It is openssl 3.0.13 here. "
    assert capped(text + "The mills along it stand still. " * 30, 300) == PROSE


LOG = """\
2031-04-01 10:00:00 INFO all well
… 29 more like it
2031-04-01 10:00:31 WARN pump-4 is slow
… 29 lines
2031-04-01 10:00:59 INFO all well
[1972 characters left out; recall("c7") returns them]"""

JSON = (
    '{"rows": [{"id": "k000", "state": "done", "ms": 0}, "… 76 more", {"id": "k077", "state": "'
    'lost", "ms": 27}, "… 121 more", {"id": "k199", "state": "done", "ms": 49}], "next": null}\n'
    "[8432 characters left out]"
)

OUTCOMES = """\
tests/test_amberamber.py::test_jettyember_0 PASSED
… 39 PASSED
tests/test_heron.py::test_wades_twice FAILED
… 20 PASSED
===== 1 failed, 60 passed in 3.1s =====
[3038 characters left out]"""

DIFF = """\
commit 3f9a1c07be22
diff --git a/pump.c b/pump.c
@@ -1,9 +1,9 @@ int main
… +26 -14
diff --git a/seal.c b/seal.c
@@ -4 +4 @@
… +26 -13
-    jettyinlet = old
[1660 characters left out]"""

CODE = "\n".join(
    [
        "     1\timport os",
        "     2\tLIMIT = 40",
        "     3\tdef amberamber(value, step):",
        "     4\t    value = value + step(0, value)  # amberamber",
        "…",
        "    24\tdef heronfjord(value, step):",
        "…",
        "    45\tdef cedarkelp(value, step):",
        "…",
        "    66\tdef jettyember(value, step):",
        "…",
        "    86\t    value = value + step(19, value)  # birchheron",
        "[4395 characters left out]",
    ]
)

TABLE = """\
name,kind,depth,state
row0,heron,0,open
… 169 rows
row170,heron,88000,open
… 128 rows
row299,heron,19,open
[6050 characters left out]"""

HITS = """\
src/amberamber.py:0: total += step(value)
…
src/heronfjord.py:40: total += step(value)
… 39 hits in 1 file
src/cedarkelp.py:80: total += step(value)
…
src/jettyember.py:120: total += step(value)
… 78 hits in 2 files
src/emberjetty.py:199: total += step(value)
[8435 characters left out]"""

PROSE = (
    "The river runs slowly through the valley. The river runs slowly through the valley. …It is"
    " openssl 3.0.13 here. The mills along it stand still. …The mills along it stand still. \n"
    "[2072 characters left out]"
)
