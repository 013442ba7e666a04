"""Every value of a file is known by its line, however it is written."""

from foldpoint.config.sources import Said, from_text

SPREAD = '''name = """
[not.a.table]
key = 1
"""
a.b."c d" = [
  1,
  2,
]
inline = { x = 1, y = { z = 2 } }
[one . "two.three"]
x = "# no comment" # a comment
[[list]]
a = 1
[empty]
'''


def test_lines_of_spread_out_values() -> None:
    """Strings and lists over several lines, dotted and quoted keys, inline tables, empty tables."""
    assert from_text(SPREAD, "f") == [
        Said(("name",), "[not.a.table]\nkey = 1\n", "f:1"),
        Said(("a", "b", "c d"), [1, 2], "f:5"),
        Said(("inline", "x"), 1, "f:9"),
        Said(("inline", "y", "z"), 2, "f:9"),
        Said(("one", "two.three", "x"), "# no comment", "f:11"),
        Said(("list",), [{"a": 1}], "f:12"),
        Said(("empty",), {}, "f:14"),
    ]


def test_lines_with_other_ends() -> None:
    """A file from another system has the same lines."""
    assert from_text("a = 1\r\n\r\n[b]\r\nc = 2\r\n", "f") == [Said(("a",), 1, "f:1"), Said(("b", "c"), 2, "f:4")]
