"""The agent's own `recall`: a result of its log in full, or a part of it, whatever of it the prompt shows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from foldpoint.core.recall import BadPart, part_of

from .dialects.rounds import result_named
from .ports import Outcome, Row, ToolSpec

NAME = "recall"
MOST = 20_000
"""Characters of one answer."""
SPEC = ToolSpec(
    NAME,
    "Read an earlier tool result back by the id that its line or its ending names: all of it, some lines, or the "
    "lines that match a pattern.",
    {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "the id of the tool call"},
            "from": {"type": "integer", "description": "the first line, from 1; -1 is the last"},
            "to": {"type": "integer", "description": "the last line; -1 is the last"},
            "skip": {"type": "integer", "description": "characters of the first line to leave out"},
            "pattern": {"type": "string", "description": "a regular expression (RE2); only lines that match"},
        },
        "required": ["id"],
    },
)


class Recall:
    """Reads results out of `rows`, the log of the conversation that is run."""

    repeatable = True
    spec = SPEC

    def __init__(self, rows: Callable[[], Sequence[Row]]) -> None:
        self._rows = rows

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """The result, or what is wrong with the question."""
        id, start, end, skip, pattern = (arguments.get(name) for name in ("id", "from", "to", "skip", "pattern"))
        if not isinstance(id, str) or not isinstance(pattern, str | None):
            return Outcome("recall wants an id, and a pattern that is a text.", failed=True)
        if any(isinstance(each, bool) or not isinstance(each, int | None) for each in (start, end, skip)):
            return Outcome("from, to and skip must be whole numbers.", failed=True)
        found = self._result(id)
        if found is None:
            return Outcome(f"There is no result of a call {id!r} in this conversation.", failed=True)
        try:
            part = part_of(found.content, start, end, pattern or "", MOST, skip or 0)
        except BadPart as error:
            return Outcome(f"{error}.", failed=True)
        if not part.text:
            return Outcome("No line matches." if pattern else "The result is empty.")
        return Outcome("\n".join(text for text in (part.text, part.more) if text))

    def _result(self, id: str) -> Row | None:
        """The newest result of that id, as the log has it or as requests name it; None where there is none."""
        rows = self._rows()
        found = next((row for row in reversed(rows) if row.role == "tool" and row.tool_call_id == id), None)
        return found or result_named(rows, id)
