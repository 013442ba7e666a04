"""Values to JSON in the many spellings clients use: blanks, escapes, literal numbers, keys that come twice."""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from .rawjson import has_half


@dataclass(frozen=True)
class Literal:
    """A value that is spelled exactly so."""

    text: str


@dataclass(frozen=True)
class Twice:
    """An object written with one key twice; the last counts."""

    first: tuple[str, Any]
    members: dict[str, Any]


class Speller:
    """Spells values; `blanks` and `escapes` say how odd."""

    def __init__(self, rng: Random, blanks: bool = False, escapes: bool = False) -> None:
        self.rng, self.odd_blanks, self.escapes = rng, blanks, escapes

    def blank(self) -> str:
        return self.rng.choice(["", "", "", " ", "\n", "\r\n  ", "\t"]) if self.odd_blanks else ""

    def string(self, text: str) -> str:
        ascii_only = has_half(text) or (self.escapes and self.rng.random() < 0.5)
        spelled = json.dumps(text, ensure_ascii=ascii_only)
        return spelled.replace("/", "\\/") if self.escapes and self.rng.random() < 0.2 else spelled

    def spell(self, value: Any) -> str:
        if isinstance(value, Literal):
            return value.text
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, Twice):
            return self.object([value.first, *value.members.items()])
        if isinstance(value, dict):
            return self.object(list(value.items()))
        if isinstance(value, list):
            return "[" + self.blank() + ",".join(self.spell(item) + self.blank() for item in value) + "]"
        return json.dumps(value)

    def object(self, members: list[tuple[str, Any]]) -> str:
        pairs = (f"{self.string(key)}{self.blank()}:{self.blank()}{self.spell(value)}" for key, value in members)
        return "{" + self.blank() + (self.blank() + "," + self.blank()).join(pairs) + self.blank() + "}"
