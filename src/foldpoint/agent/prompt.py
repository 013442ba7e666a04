"""The prompt, built anew from the log each time: the log itself never changes."""

from collections.abc import Sequence

import msgspec

from foldpoint.core.policy import OutputCap, Policy, Trajectory
from foldpoint.core.receipt import Receipt
from foldpoint.engine import Engine

from .ports import Dialect, Row, ToolSpec

POLICY = Policy(
    Trajectory(horizon="adaptive", extract="evidence", recall_hint=True, tool_result_head_chars=160),
    OutputCap("prod", 4_000, exempt_tools="recall", recall_hint=True),
)
"""What an agent folds by where its settings say nothing else."""
WINDOW = 400
"""Messages of the log that a prompt is built from, the first one and the task in hand beside them."""
LEFT_OUT = "[{count} earlier messages are in the log; recall(id) reads their results]"


class Prompt:
    """Builds requests in a dialect: system prompt, tools, and the newest rows behind the first one.

    window: rows that a request is built from at most (0 = all); the line in front of which rows are left out moves by
    half of that at once, so that between two moves a prompt only grows.
    """

    def __init__(
        self,
        dialect: Dialect,
        policy: Policy = POLICY,
        *,
        system: str = "",
        max_tokens: int = 8_192,
        window: int = WINDOW,
    ) -> None:
        self.dialect, self.policy = dialect, policy
        self._system, self._max_tokens, self._window = system, max_tokens, window
        self._engine = Engine(policy)

    def body(self, rows: Sequence[Row], tools: Sequence[ToolSpec]) -> tuple[bytes, Receipt]:
        """The request for the next answer, and what the skills did to it."""
        shown = within(rows, self._window)
        body = self.dialect.body(shown, self._system, tools, self._max_tokens)
        folded = self._engine.fold(body, self.dialect.surface)
        return folded.body, folded.receipt


def within(rows: Sequence[Row], window: int) -> Sequence[Row]:
    """The first row and the newest ones, at most `window` of these; results stand behind the calls they answer.

    What the user said last of what is left out stands behind the first message: the newest rows may work on it.
    """
    if not window or len(rows) <= window:
        return rows
    step = max(1, window // 2)
    first = -(-(len(rows) - window) // step) * step
    newest = next((at for at in range(len(rows) - 1, 0, -1) if rows[at].role != "tool"), 1)
    while first < newest and rows[first].role == "tool":
        first += 1
    first = min(first, newest)  # the newest action is shown, however many results it has
    opening = rows[0]
    said = next((row.content for row in reversed(rows[1:first]) if row.role == "user"), "")
    kept = (opening.content, LEFT_OUT.format(count=first - 1), said)
    return [msgspec.structs.replace(opening, content="\n\n".join(text for text in kept if text)), *rows[first:]]
