"""What the naive reading sees of a request: messages of parts, head and turns."""

from dataclasses import dataclass, field, replace
from typing import Any

from . import rawjson

BLOCK = 16
MESSAGE = 24  # what a message counts beside its blocks
IMAGE = 4_800
LISTS = {"gemini": "contents", "openai-responses": "input"}  # what the list is called, where it is not `messages`
STRICT = ("anthropic", "bedrock", "gemini")  # surfaces where roles take turns and results stand in a user message
NAMES = True  # do the ids and names of calls and results count?


def width(text: str) -> int:
    """UTF-8 bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


def counted(literal: str | None) -> int:
    """What a text of the request counts: its UTF-8 bytes; what is no string counts nothing."""
    return width(rawjson.value(literal)) if literal is not None and literal.startswith('"') else 0


def words(found: Any) -> str:
    """The text, or none where it is no text."""
    return found if isinstance(found, str) else ""


@dataclass(frozen=True)
class Part:
    """One block: `text`, `thinking`, `call`, `result`, `image`, `document`, `compaction` or `other`.

    Of the provider's own tools: a call that it `ran`, what it `told` of it, a `sign` of what else it did.
    """

    kind: str
    text: str = ""
    size_of_text: int = 0
    id: str = ""
    name: str = ""
    error: bool = False
    inner: tuple["Part", ...] = ()

    def named(self, **members: Any) -> "Part":
        """The part with some members set."""
        return replace(self, **members)

    @property
    def content(self) -> int:
        """Bytes beside the fixed ones."""
        if self.kind == "image":
            return IMAGE
        names = self.id + (self.name if self.kind in ("call", "ran") else "")
        named = width(names) if NAMES and self.kind in ("call", "result", "ran", "told") else 0
        return self.size_of_text + named + sum(part.inside for part in self.inner)

    @property
    def inside(self) -> int:
        """Bytes of a block inside a result: its content alone, so that one string and a list of it are the same."""
        return self.content if self.kind in ("text", "image", "document") else BLOCK + self.size_of_text

    @property
    def size(self) -> int:
        return BLOCK + self.content


@dataclass(frozen=True)
class Message:
    """One message. `role` is system, user, assistant, tool or other; `alone`: nothing can be merged with it."""

    at: int
    role: str
    parts: tuple[Part, ...]
    marked: bool = False
    alone: bool = False
    compaction: bool = False

    @property
    def size(self) -> int:
        return MESSAGE + sum(part.size for part in self.parts if part.kind != "sign")

    @property
    def results(self) -> list[Part]:
        """Results that the client sends; those of server tools stand in the action itself."""
        return [part for part in self.parts if part.kind == "result"] if self.role != "assistant" else []


@dataclass(frozen=True)
class Turn:
    """An action and all that answers it. `number` counts from 1."""

    number: int
    messages: tuple[Message, ...]

    @property
    def size(self) -> int:
        return sum(message.size for message in self.messages)

    @property
    def action(self) -> list[Message]:
        rest = [at for at, message in enumerate(self.messages) if message.role != "assistant"]
        return list(self.messages[: rest[0]] if rest else self.messages)

    @property
    def answer(self) -> list[Message]:
        return list(self.messages[len(self.action) :])

    @property
    def has_result(self) -> bool:
        return any(message.results for message in self.messages)

    @property
    def images(self) -> list[tuple[Part, Part | None]]:
        """(image, the result it stands in or None), in order."""
        found: list[tuple[Part, Part | None]] = []
        for message in self.messages:
            for part in message.parts:
                if part.kind == "image":
                    found.append((part, None))
                found += [(inner, part) for inner in part.inner if inner.kind == "image"]
        return found


@dataclass(frozen=True)
class Reading:
    """Head and turns of a request."""

    surface: str
    head: tuple[Message, ...]
    turns: tuple[Turn, ...]
    raws: tuple[str, ...] = field(default=(), repr=False)

    @property
    def size(self) -> int:
        return sum(message.size for message in self.head) + sum(turn.size for turn in self.turns)


def split(surface: str, messages: list[Message], raws: list[str]) -> Reading:
    """Head: through the first user message (behind the newest compaction) and on to the next action; then turns.

    Where our texts can only be merged into a message of the caller's, the head runs on to one that takes them;
    elsewhere turns with results in front of the first user message are turns.
    """
    newest = max(
        (m.at for m in messages if m.compaction or any(part.kind == "compaction" for part in m.parts)), default=-1
    )
    opening = [message.at for message in messages[newest + 1 :] if message.role == "user" and not message.results]
    at = opening[0] if opening else len(messages) if surface in STRICT else newest + 1
    first = next((m.at for m in messages[newest + 1 :] if m.role == "assistant"), at)
    late = any(message.results for message in messages[first:at])
    if surface not in STRICT and (newest >= 0 or late):
        at = newest + 1
    while at < len(messages) and messages[at].role != "assistant":
        at += 1
    turns: list[list[Message]] = []
    before = ""
    for message in messages[at:]:
        if message.role == "assistant" and before != "assistant":
            turns.append([])
        turns[-1].append(message)
        before = message.role
    numbered = tuple(Turn(number, tuple(turn)) for number, turn in enumerate(turns, 1))
    return Reading(surface, tuple(messages[:at]), numbered, tuple(raws))
