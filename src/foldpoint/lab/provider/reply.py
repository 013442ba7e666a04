"""What the provider says, before it is put into a surface's form."""

from hashlib import blake2b
from typing import Any, Literal

import msgspec

from foldpoint.lab.cache import tokens

Finish = Literal["end", "calls", "length"]


class Call(msgspec.Struct, frozen=True):
    """A tool call of a script's step."""

    name: str
    arguments: dict[str, Any] = {}


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One assistant action of a script."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""


class Called(msgspec.Struct, frozen=True):
    """A tool call with its id (without the surface's prefix) and its arguments as compact JSON."""

    id: str
    name: str
    arguments: str

    @property
    def input(self) -> str:
        """What a custom tool is given: the argument `input` where it is the only one, else all of them."""
        given = msgspec.json.decode(self.arguments)
        return given["input"] if given.keys() == {"input"} and isinstance(given["input"], str) else self.arguments


class Reply(msgspec.Struct, frozen=True):
    """An answer: thinking, text, calls, and why it ends."""

    text: str = ""
    calls: tuple[Called, ...] = ()
    thinking: str = ""
    finish: Finish = "end"

    @property
    def output_tokens(self) -> int:
        """Tokens of the answer, never none."""
        said = [self.thinking, self.text, *(call.name + call.arguments for call in self.calls)]
        return max(1, tokens(sum(len(part.encode()) for part in said)))


def reply(step: Step, at: int, name: str) -> Reply:
    """Turn step `at` of the script `name` into an answer; its ids say which step they are of."""
    calls = tuple(
        Called(call_id(at, place, name), call.name, msgspec.json.encode(call.arguments).decode())
        for place, call in enumerate(step.calls)
    )
    return Reply(step.text, calls, step.thinking, "calls" if calls else "end")


def call_id(at: int, place: int, name: str) -> str:
    """`s0007…`: the step, the place of the call in it, and a digest that tells scripts apart."""
    return f"s{at:04d}{blake2b(f'{name} {at} {place}'.encode(), digest_size=9).hexdigest()}"


def shortened(given: Reply, limit: int | None) -> Reply:
    """The answer cut to so many tokens, where it is text alone."""
    if limit is None or given.calls or given.thinking or given.output_tokens <= limit:
        return given
    size = limit * 3
    return Reply(given.text.encode()[:size].decode(errors="ignore"), finish="length")
