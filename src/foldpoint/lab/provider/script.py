"""What the provider answers: an echo, or the steps of a script, chosen from the request alone.

Stateless, so that any number of providers agree, and sure of its place in a request whose old turns a fold has sealed.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from foldpoint.core.errors import FoldpointError

from .reply import Reply, Step, reply

OWN_ID = re.compile(r"(?:toolu_|tooluse_|call_)s(\d{4})[0-9a-f]{18}")
SUMMARY = "[trajectory summary]"
SEALED = re.compile(rf"^turn \d+ \| (?!.*\(turn kept below\)$)|tool_use\[{OWN_ID.pattern}\]", re.MULTILINE)
ECHOED = 60
"""Characters of the last text that an echo repeats."""

Message = Mapping[str, Any]

ENDED = Step("The script has ended.")


class Answers(Protocol):
    """Who finds the answer to a request's messages."""

    def __call__(self, messages: Sequence[Message]) -> Reply: ...


class Echo:
    """Repeat the beginning of the last text that the request holds."""

    def __call__(self, messages: Sequence[Message]) -> Reply:
        said = (text for message in reversed(messages) for text in reversed([*texts(message)]))
        last = next((text for text in said if text.strip()), "")
        words = " ".join(last[: ECHOED * 4].split())
        return Reply(f"Echo: {words[:ECHOED]}{'…' if len(words) > ECHOED else ''}")


class Script:
    """Play steps: the first request gets the first, each one after it the step behind its last action."""

    def __init__(self, steps: Sequence[Step], final: Step = ENDED, name: str = "") -> None:
        self.steps = steps
        self.final = final
        self.name = name

    def __call__(self, messages: Sequence[Message]) -> Reply:
        at = actions(messages)
        return reply(self.steps[at] if at < len(self.steps) else self.final, at, self.name)


def script(path: str | os.PathLike[str]) -> Script:
    """Read a script: a JSON list of steps `{"text", "calls": [{"name", "arguments"}], "thinking"}`, all optional.

    Raises:
        FoldpointError: the file is no such list; OSError where it can't be read.
    """
    try:
        steps = msgspec.json.decode(Path(path).read_bytes(), type=list[Step])
    except msgspec.DecodeError as error:
        wanted = '[{"text": "…", "calls": [{"name": "…", "arguments": {…}}], "thinking": "…"}, …]'
        raise FoldpointError(f"{os.fspath(path)} is not a script: {error}; a script is {wanted}") from None
    empty = [str(place) for place, step in enumerate(steps) if not (step.text.strip() or step.calls)]
    if empty:
        raise FoldpointError(f"{os.fspath(path)}: step {', '.join(empty)} says nothing; give it a text or a call")
    return Script(steps, name=Path(path).stem)


def actions(messages: Sequence[Message]) -> int:
    """How many assistant actions the transcript had, sealed ones included.

    An id of ours says exactly which step it is of. Besides, native actions and the lines of sealed turns are counted.
    """
    count, before = 0, ""
    for message in messages:
        role = message.get("role", "")
        if role == "assistant":
            own = max([*ids(message)], default=None)
            count = own + 1 if own is not None else count + (before != "assistant")
        elif role == "user":
            count = sealed(message, count)
        before = role
    return count


def ids(message: Message) -> Iterator[int]:
    """The steps of the calls in an assistant message that are ours."""
    content = message.get("content")
    called = [*(message.get("tool_calls") or ()), *(content if isinstance(content, list) else ())]
    for call in called:
        if own := OWN_ID.fullmatch(str(call.get("id", ""))):
            yield int(own[1])


def sealed(message: Message, count: int) -> int:
    """The count after the sealed turns of the summaries in a user message."""
    for text in user_texts(message):
        if SUMMARY in text:
            for line in SEALED.finditer(text):
                count = max(count, int(line[1]) + 1) if line[1] else count + 1
    return count


def user_texts(message: Message) -> Iterator[str]:
    """The texts that a message says itself."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "text":
            yield block["text"]


def texts(message: Message) -> Iterator[str]:
    """The texts of a message, those of its tool results included."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "text":
            yield block["text"]
        elif block.get("type") == "tool_result":
            yield from texts(block)
