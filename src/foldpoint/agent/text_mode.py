"""Tools in plain text, for models and providers without native ones: a dialect around another."""

from collections.abc import Iterator, Sequence

import msgspec

from foldpoint.agent.ports import Answer, Dialect, Row, ToolSpec

from .text_mode_calls import described, read_calls, written

OUTPUT = "Tool Output ({name}): "
"""How a message begins that carries a result: what the folds know results in text by."""


class TextMode:
    """The dialect `inner`, with calls and results as text and no native tools."""

    def __init__(self, inner: Dialect) -> None:
        self._inner = inner

    @property
    def surface(self) -> str:
        """The surface of the dialect inside."""
        return self._inner.surface

    def body(self, rows: Sequence[Row], system: str, tools: Sequence[ToolSpec], max_tokens: int) -> bytes:
        """The request, the tools told at the end of the system prompt."""
        told = "\n\n".join(part for part in (system, described(tools)) if part)
        return self._inner.body(texted(rows), told, (), max_tokens)


def texted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with results as messages of the user and calls as blocks; the same rows always give the same."""
    return tuple(_texted(rows))


def called(answer: Answer, seq: int) -> Answer:
    """The answer with the calls that its text asks for; `seq` is that of the row it will be.

    Its native message goes where there are calls: text and calls say all of it, also to a dialect with native tools.
    """
    calls = read_calls(answer.text, seq)
    return msgspec.structs.replace(answer, calls=calls, stop="calls", native=b"") if calls else answer


def _texted(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        if row.role == "tool":
            failed = "[failed] " if row.failed else ""
            text = f"{OUTPUT.format(name=row.name)}{failed}{row.content}"
            yield Row(row.seq, "user", text, created_at=row.created_at)
        elif row.calls:
            yield Row(row.seq, "assistant", _with_calls(row), created_at=row.created_at)
        else:
            yield row


def _with_calls(row: Row) -> str:
    """The text with its calls: those of text mode stand in it already, native ones are written behind it."""
    missing = [written(call) for call in row.calls if not call.id.startswith("text_")]
    return "\n\n".join(part for part in (row.content, *missing) if part)
