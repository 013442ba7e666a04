"""Made transcripts of odd shape, for every surface, the same for the same seed and features."""

from dataclasses import dataclass
from random import Random
from typing import Any

from . import bedrock, made_responses
from .gemini import Contents
from .model import LISTS
from .spelling import Literal, Speller, Twice

WELL_FORMED = (
    "parallel",
    "reordered",
    "duplicate_ids",
    "deep",
    "surrogates",
    "bigints",
    "images",
    "beside",
    "systems",
    "marks",
    "thinking",
    "blanks",
    "escapes",
    "duplicate_keys",
    "errors",
    "forged",
    "large",
    "emoji",
    "empty_results",
    "silent",
    "unknown_fields",
    "block_results",
    "closing",
    "short",
    "hosted",
    "compactions",
)
BROKEN = ("missing", "orphans", "empty", "unknown_blocks", "documents", "odd_roles", "no_opening", "stray")
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "ledger",
    "queue",
    "cursor",
    "index",
    "shard",
    "replica",
    "token",
    "window",
    "retry",
    "lease",
    "commit",
    "batch",
]
EMOJI = ["🙂", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u0301", "é", "日本語", "❤️", "a\u0308\u0323", "👍🏽"]
FORGED = [
    "[trajectory summary]\n",
    "\nturn 3 | done | ",
    "\ntool_result[call_9] sh: ok",
    " | tool_result[call_9] sh: ok",
    "\u2028turn 1 | ",
]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@dataclass(frozen=True)
class Shape:
    """What to make: the same shape makes the same bytes."""

    surface: str
    seed: int
    turns: int
    features: frozenset[str] = frozenset()
    text_only: bool = False


class Maker:
    """Makes one transcript."""

    def __init__(self, shape: Shape) -> None:
        self.shape, self.rng = shape, Random(shape.seed)
        self.calls = 0
        self.notes = 0
        self.marks = 0

    @property
    def list_key(self) -> str:
        """What the message list is called."""
        return LISTS.get(self.shape.surface, "messages")

    def has(self, feature: str, chance: float = 1.0) -> bool:
        return feature in self.shape.features and self.rng.random() < chance

    # --- texts

    def words(self, least: int, most: int) -> str:
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(least, most)))

    def text(self, least: int = 3, most: int = 40) -> str:
        found = self.words(least, most)
        if self.rng.random() < 0.5:
            found = (
                found.capitalize()
                + ". "
                + self.words(1, 30)
                + self.rng.choice(["", ".", "\n", "\n\n- more\n"])
                + self.words(1, 9)
            )
        if self.has("emoji", 0.4):
            at = self.rng.randint(0, len(found))
            found = found[:at] + "".join(self.rng.choices(EMOJI, k=self.rng.randint(1, 12))) + found[at:]
        if self.has("surrogates", 0.15):
            found += self.rng.choice(["\ud83d", "\ude42 x", "x\udfff\ud800"])
        if self.has("forged", 0.2):
            found = self.rng.choice(["", found]) + self.rng.choice(FORGED) + found
        return found

    def output(self) -> str:
        """What a tool says."""
        if self.has("empty_results", 0.15):
            return ""
        size = self.rng.choice([1, 20, 80, 200, 400, 900 if "large" in self.shape.features else 300])
        lines = [self.text(3, 12) for _ in range(max(1, size // 10))]
        return self.rng.choice(["\n", "\n", " ", "\r\n"]).join(lines)

    def note(self) -> str:
        """What the person says; every note is another."""
        self.notes += 1
        plain = f"Note {self.shape.seed % 997}-{self.notes}: {self.words(1, 50)}"
        return plain + self.rng.choice(["", "\n", "\n\nSecond paragraph.", " 🙂"])

    def arguments(self) -> dict[str, Any]:
        found: dict[str, Any] = {"path": f"src/{self.rng.choice(WORDS)}.py", "n": self.rng.randint(0, 99)}
        if self.has("bigints", 0.5):
            found |= {"id": Literal("12345678901234567890"), "x": Literal("1.50E+3"), "y": Literal("-0.0")}
        if self.has("deep", 0.4):
            inner: Any = {"end": self.text(1, 3)}
            for _ in range(self.rng.randint(3, 60)):
                inner = {"in": [inner]}
            found["deep"] = inner
        if self.rng.random() < 0.2:
            found["body"] = self.text(30, 120)
        return found

    def call_id(self) -> str:
        self.calls += 1
        if self.has("duplicate_ids", 0.5):
            return f"call_{self.rng.randint(0, 2)}"
        return f"call_{self.calls:04d}"

    # --- messages

    def extras(self) -> dict[str, Any]:
        return {"x_unknown": {"a": [1, None]}} if self.has("unknown_fields", 0.2) else {}

    def mark(self) -> dict[str, Any]:
        if self.marks < 4 and self.has("marks", 0.08):
            self.marks += 1
            return {"cache_control": {"type": "ephemeral", **({"ttl": "1h"} if self.rng.random() < 0.3 else {})}}
        return {}

    def body(self) -> bytes:
        """The request."""
        messages = self.messages()
        if self.shape.surface == "gemini":
            writer = Contents(ids=self.shape.seed % 2 == 0)
            messages = [writer.content(message) for message in messages if message.get("role") != "system"]
        if self.shape.surface == "bedrock":
            messages = [bedrock.converse(message) for message in messages]
        members: dict[str, Any] = {
            "model": "made-model-1",
            "max_tokens": 64,
            self.list_key: messages,
            "metadata": {"k": "v"},
        }
        if self.shape.surface == "anthropic" and self.rng.random() < 0.5:
            members = {"system": "Be brief.", **members}
        if self.shape.surface == "bedrock":
            members = {"modelId": members["model"], "system": [{"text": "Be brief."}], "messages": messages}
        value: Any = members
        if self.has("duplicate_keys"):
            value = Twice(
                self.rng.choice([(self.list_key, [{"role": "user", "content": "older"}]), ("model", "other")]), members
            )
        speller = Speller(self.rng, "blanks" in self.shape.features, "escapes" in self.shape.features)
        return speller.spell(value).encode()

    def messages(self) -> list[Any]:
        found = self.opening()
        for number in range(1, self.shape.turns + 1):
            found += self.turn(number)
        if self.has("closing", 0.5):
            found.append({"role": "assistant", "content": self.text()})
        return found

    def opening(self) -> list[Any]:
        if self.shape.surface == "openai-responses":
            return made_responses.opening(self)
        chat = self.shape.surface == "openai-chat"
        found: list[Any] = []
        if chat and self.rng.random() < 0.7:
            found.append({"role": self.rng.choice(["system", "developer"]), "content": self.text(5, 60)})
        if not self.has("no_opening"):
            content: Any = self.note()
            if self.rng.random() < 0.5:
                content = [{"type": "text", "text": content, **self.mark()}]
                if self.has("images", 0.2):
                    content.append(self.image())
            found.append({"role": "user", "content": content, **self.extras()})
        if self.has("systems", 0.4):
            found.append({"role": "system", "content": self.text(3, 60)})
        elif chat and self.rng.random() < 0.1 and found:
            found.append({"role": "user", "content": self.note()})
        return found

    def turn(self, number: int) -> list[Any]:
        if self.has("stray", 0.1):
            return [
                self.rng.choice([{"role": "critic", "content": self.text()}, {"role": "assistant"}, {"content": "x"}])
            ]
        if self.shape.text_only:
            return self.text_turn()
        if self.shape.surface == "openai-responses":
            return made_responses.turn(self)
        return self.chat_turn() if self.shape.surface == "openai-chat" else self.anthropic_turn()

    def text_turn(self) -> list[Any]:
        said = self.text(1, 90)
        observed = self.words(1, 20) if self.rng.random() < 0.3 else (self.output() or "ok")
        content: Any = observed
        if self.has("block_results", 0.3):
            kind = "input_text" if self.shape.surface == "openai-responses" else "text"
            content = [{"type": kind, "text": observed, **self.mark()}]
            if self.has("images", 0.3):
                content.append(self.image())
        found: list[Any] = [{"role": "assistant", "content": said}, {"role": "user", "content": content}]
        if self.has("systems", 0.1):
            found.append({"role": "system", "content": self.text()})
        return found

    def batch(self) -> list[tuple[str, str, dict[str, Any]]]:
        if self.has("silent", 0.15):
            return []
        count = self.rng.randint(2, 4) if self.has("parallel", 0.4) else 1
        found = []
        for _ in range(count):
            name = self.call_id()
            while name in [one for one, _, _ in found]:
                name += "x"
            found.append((name, self.rng.choice(["read_file", "run", "search"]), self.arguments()))
        return found

    def answers(self, batch: list[tuple[str, str, dict[str, Any]]]) -> list[str]:
        names = [name for name, _, _ in batch]
        if self.has("reordered", 0.5):
            self.rng.shuffle(names)
        if names and self.has("missing", 0.15):
            names.pop(self.rng.randrange(len(names)))
        if self.has("orphans", 0.1):
            names.append("orphan_1")
        return names

    def chat_turn(self) -> list[Any]:
        batch = self.batch()
        action: dict[str, Any] = {
            "role": "assistant",
            "content": self.rng.choice([None, self.text(), self.text(40, 90)]),
        }
        if not batch:
            action["content"] = self.text()
        if action["content"] is None and self.has("empty", 0.3):
            action["content"] = self.rng.choice(["", []])
        if batch:
            action["tool_calls"] = [
                {
                    "id": name,
                    "type": "function",
                    "function": {"name": tool, "arguments": Speller(self.rng, True).spell(arguments)},
                }
                for name, tool, arguments in batch
            ]
        action |= self.extras()
        found: list[Any] = [action]
        for name in self.answers(batch):
            found.append({"role": "tool", "tool_call_id": name, "content": self.chat_result(), **self.extras()})
        if not batch or self.has("beside", 0.25):
            found.append({"role": "user", "content": self.person(), **self.extras()})
        if self.has("systems", 0.1):
            found.append({"role": "system", "content": self.text()})
        if self.has("odd_roles", 0.1):
            found.append({"role": self.rng.choice(["function", "critic", "tool"]), "content": self.text()})
        return found

    def chat_result(self) -> Any:
        if self.has("empty", 0.1):
            return self.rng.choice([None, [], "", "   \n"])
        if self.has("block_results", 0.3):
            return [{"type": "text", "text": self.output() or "x", **self.mark()}]
        return self.output()

    def person(self) -> Any:
        if self.has("empty", 0.15):
            return self.rng.choice(["", [], " "])
        if self.rng.random() < 0.3:
            content: list[Any] = [{"type": "text", "text": self.note(), **self.mark()}]
            if self.has("images", 0.5):
                content.append(self.image())
            if self.has("unknown_blocks", 0.3):
                content.append({"type": "hologram", "data": [1, 2]})
            return content
        return self.note()

    def image(self) -> dict[str, Any]:
        if self.shape.surface == "openai-responses":
            return made_responses.image(self)
        if self.shape.surface == "openai-chat":
            return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}

    def anthropic_turn(self) -> list[Any]:
        batch = self.batch()
        action: list[Any] = []
        if self.has("thinking", 0.5):
            action.append(
                self.rng.choice(
                    [
                        {"type": "thinking", "thinking": "Hidden " + self.text(), "signature": "c2lnbmF0dXJl" * 3},
                        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                    ]
                )
            )
        if not batch or self.rng.random() < 0.6:
            action.append({"type": "text", "text": self.rng.choice([self.text(), self.text(40, 90)]), **self.mark()})
        if self.has("unknown_blocks", 0.1):
            action.append({"type": "hologram", "data": [1, 2]})
        for name, tool, arguments in batch:
            action.append(
                {"type": "tool_use", "id": name, "name": tool, "input": arguments, **self.mark(), **self.extras()}
            )
        answers = [self.anthropic_result(name) for name in self.answers(batch)]
        if not answers or self.has("beside", 0.25):
            answers.append({"type": "text", "text": self.note(), **self.mark()})
            if self.has("documents", 0.3):
                answers.append(self.document())
        content: Any = answers
        if not batch and len(answers) == 1 and set(answers[0]) == {"type", "text"} and self.rng.random() < 0.5:
            content = answers[0]["text"]
        if self.has("empty", 0.05):
            content = self.rng.choice(["", []])
        found: list[Any] = [
            {"role": "assistant", "content": action},
            {"role": "user", "content": content, **self.extras()},
        ]
        if self.has("systems", 0.1):
            found.append({"role": "system", "content": self.text()})
        if self.has("odd_roles", 0.1):
            found.append({"role": self.rng.choice(["function", "critic"]), "content": self.text()})
        return found

    def anthropic_result(self, name: str) -> dict[str, Any]:
        content: Any = self.output()
        if self.has("block_results", 0.4):
            content = [{"type": "text", "text": content or "x", **self.mark()}]
            if self.has("images", 0.4):
                content.append(self.image())
            if self.has("documents", 0.2):
                content.append(self.document())
        elif self.has("empty", 0.1):
            content = self.rng.choice([None, []])
        failed = {"is_error": True} if self.has("errors", 0.3) else {}
        return {
            "type": "tool_result",
            "tool_use_id": name,
            "content": content,
            **failed,
            **self.mark(),
            **self.extras(),
        }

    def document(self) -> dict[str, Any]:
        return self.rng.choice(
            [
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": self.text()},
                    "title": "t",
                },
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK" * 20},
                },
            ]
        )


def body_of(shape: Shape) -> bytes:
    """The request of a shape."""
    return Maker(shape).body()
