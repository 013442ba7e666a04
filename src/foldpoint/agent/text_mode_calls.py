"""Calls of tools in plain text: one fenced block for each, written and read."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from foldpoint.agent.ports import Outcome, ToolCall, ToolSpec

BROKEN = "tool"
"""The name that a call has that could not be read; `BrokenCall` answers it."""
_OPEN = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*tool(?:_call)?[ \t]*$", re.MULTILINE)
_SPACE = re.compile(r"\s*")
_FORM = '```tool\n{"name": "<name>", "arguments": {…}}\n```'


def read_calls(text: str, seq: int) -> tuple[ToolCall, ...]:
    """The calls in a text, in order; ids are `text_<seq>_<n>`, n from 1. Never raises.

    A block may be left open at the end of the text, hold several calls one after another or a list of them. One that
    can't be read becomes a call of `BROKEN` that says why.
    """
    calls: list[ToolCall] = []
    at = 0
    while found := _OPEN.search(text, at):
        values, at, wrong = _block(text, found)
        for value in values:
            named, problem = _called(value)
            wrong = problem or wrong
            calls += [] if named is None else [ToolCall(f"text_{seq}_{len(calls) + 1}", *named)]
        if wrong:
            calls.append(ToolCall(f"text_{seq}_{len(calls) + 1}", BROKEN, json.dumps({"problem": wrong})))
    return tuple(calls)


def written(call: ToolCall) -> str:
    """The block that asks for the call; arguments that are no JSON object stand in it as a string."""
    try:
        given = _decoder().decode(call.arguments or "{}")
    except (ValueError, RecursionError):
        given = call.arguments
    return f"```tool\n{json.dumps({'name': call.name, 'arguments': given}, ensure_ascii=False)}\n```"


def described(tools: Sequence[ToolSpec]) -> str:
    """What a system prompt says of the tools and of how one is called; nothing where there are none."""
    if not tools:
        return ""
    told = [
        f"## {tool.name}\n{tool.description}\nArguments, as a JSON Schema: {_compact(tool.parameters)}"
        for tool in tools
    ]
    return "\n\n".join(
        [
            "# Tools\nTo use a tool, write a block of exactly this form, the fence at the beginning of a line, and "
            f"nothing after the last block:\n{_FORM}\n"
            "Several blocks are carried out in order. The results come in the next messages, which begin "
            "`Tool Output (<name>): `; never write those yourself. An answer without such a block ends your work.",
            *told,
        ]
    )


class BrokenCall:
    """Answers what was meant as a call but could not be read."""

    repeatable = True

    @property
    def spec(self) -> ToolSpec:
        """Told to no model."""
        return ToolSpec(BROKEN, "", {"type": "object"})

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Say what was wrong and how a call is written."""
        problem = arguments.get("problem", "no tool is called that")
        return Outcome(f"[that call was not carried out: {problem}. Write it as\n{_FORM}\n]", failed=True)


def _block(text: str, found: re.Match[str]) -> tuple[list[Any], int, str]:
    """The values of a block, where it ends, and what is wrong with it."""
    values: list[Any] = []
    at = _SPACE.match(text, found.end()).end()  # type: ignore[union-attr]
    while at < len(text) and text[at] in "{[":
        try:
            value, at = _decoder().raw_decode(text, at)
            _compact(value).encode()
        except (ValueError, RecursionError) as error:
            return values, _end(text, at, found["fence"]), f"its JSON is broken: {error}"
        values += value if isinstance(value, list) else [value]
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    if not values:
        return values, _end(text, found.end(), found["fence"]), "the block holds no JSON object"
    if at < len(text) and not text.startswith(found["fence"], at):
        return values, _end(text, at, found["fence"]), "something other than a call stands in the block after the call"
    return values, _end(text, at, found["fence"]), ""


def _end(text: str, at: int, fence: str) -> int:
    """Behind the closing fence, or the end of the text."""
    closing = re.compile(rf"^[ \t]*{re.escape(fence)}[`~]*[ \t]*$", re.MULTILINE).search(text, at)
    return closing.end() if closing else len(text)


def _called(value: Any) -> tuple[tuple[str, str] | None, str]:
    """Name and arguments of a call, or what is wrong with it."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"]:
        return None, 'it has no "name"'
    given = value.get("arguments", {})
    if isinstance(given, str):
        try:
            given = _decoder().decode(given or "{}")
        except (ValueError, RecursionError) as error:
            return None, f'its "arguments" are broken: {error}'
    if not isinstance(given, dict):
        return None, 'its "arguments" are no object'
    return (value["name"], json.dumps(given, ensure_ascii=False)), ""


def _decoder() -> json.JSONDecoder:
    """Takes line breaks in strings, as models write them; no NaN, which is no JSON."""
    return json.JSONDecoder(strict=False, parse_constant=_refused)


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
