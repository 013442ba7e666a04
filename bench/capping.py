"""Bodies whose long tool results are cut before they are folded, by evidence or plainly."""

from collections.abc import Callable
from typing import Any

import msgspec

from foldpoint.engine import Engine, Folded
from foldpoint.skills.evidence.gaps import ending
from foldpoint.skills.output_cap import capped

MOST = 2_000


def plain(text: str, most: int, head: float) -> str:
    """Head and tail alone: the same length, the same ending."""
    end = ending(len(text))
    room = most - len(end) - 3
    first = int(head * room)
    return f"{text[:first]}\n…\n{text[len(text) - room + first :]}{end}" if len(text) > most else text


def equal(text: str, head: float) -> str:
    """Head and tail alone, as long as the evidence of the same text."""
    return plain(text, len(capped(text, MOST)), head)


CUTS: dict[str, Callable[[str], str]] = {
    "evidence": lambda text: capped(text, MOST),
    "head 50, tail 50, as long": lambda text: equal(text, 0.5),
    "head 80, tail 20, as long": lambda text: equal(text, 0.8),
    "head 100, as long": lambda text: equal(text, 1.0),
    "head 80, tail 20, 2,000": lambda text: plain(text, MOST, 0.8),
    "head 100, 2,000": lambda text: plain(text, MOST, 1.0),
}


class Cutting:
    """Folds bodies of which every result is cut first; a text agent's observation is one."""

    def __init__(self, cut: Callable[[str], str], engine: Engine | None = None) -> None:
        self.cut, self.engine = cut, engine
        self.known: dict[str, str] = {}

    def fold(self, body: bytes, surface: str) -> Folded:
        assert self.engine is not None
        return self.engine.fold(self.body(body), surface)

    def body(self, body: bytes) -> bytes:
        """An Anthropic or chat body with its results cut."""
        read = msgspec.json.decode(body)
        for number, message in enumerate(read["messages"]):
            content = message.get("content")
            if message["role"] == "tool" or (message["role"] == "user" and number > 1 and _observes(content)):
                message["content"] = self._texts(content)
            elif message["role"] == "user" and isinstance(content, list):
                message["content"] = [
                    {**block, "content": self._texts(block.get("content"))} if _is(block, "tool_result") else block
                    for block in content
                ]
        return msgspec.json.encode(read)

    def _texts(self, content: Any) -> Any:
        if isinstance(content, str):
            return self._text(content)
        if not isinstance(content, list):
            return content
        return [{**block, "text": self._text(block["text"])} if _is(block, "text") else block for block in content]

    def _text(self, text: str) -> str:
        if text not in self.known:
            self.known[text] = self.cut(text)
        return self.known[text]


def _is(block: Any, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _observes(content: Any) -> bool:
    return isinstance(content, str) or not any(_is(block, "tool_result") for block in content or ())
