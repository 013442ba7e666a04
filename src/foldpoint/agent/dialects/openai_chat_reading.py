"""Chat completions' answers."""

from collections.abc import Mapping
from typing import Any

from foldpoint.agent.ports import Answer, Stop, ToolCall

from .counts import Counts, merged, of_openai
from .reading import DONE, Members, failure, listed, meant, members, stop_of, text_in, written
from .rounds import as_object
from .texts import encoded, mended

STOPS: Mapping[str, Stop] = {
    "stop": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "refused",
}
"""Any other reason is an end."""
THOUGHT = "reasoning_content"
DETAILS = "reasoning_details"
"""What models of other makers think; they want it back with the message."""
OURS = ("index", "id", "type", "function")


class _Call:
    """A call as its pieces come; `members`: what a provider adds to it and wants back."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.name = ""
        self.arguments: list[str] = []
        self.members: dict[str, Any] = {}


class OpenAIChatReading:
    """The first choice as its chunks come."""

    def __init__(self) -> None:
        self._name = ""
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._thoughts: list[str] = []
        self._details: list[Members] = []
        self._calls: list[_Call] = []
        self._at: dict[int | None, _Call] = {}
        self._counts: Counts = {}
        self._finish = ""
        self._done = False

    @property
    def ended(self) -> bool:
        """Did `[DONE]` come?"""
        return self._done

    @property
    def complete(self) -> bool:
        """Did the choice finish? What may follow it is the usage, which not every provider sends."""
        return bool(self._finish)

    def take(self, event: Members) -> str:
        """Take the next chunk."""
        if event.get("error"):
            raise failure(event["error"])
        self._done = self._done or DONE in event
        self._name = text_in(event.get("id")) or self._name
        self._counts = merged(self._counts, event.get("usage"))
        said = ""
        for choice in listed(event.get("choices")):
            if not choice.get("index"):
                said += self._chose(choice, members(choice.get("delta") or choice.get("message")))
        return said

    def whole(self, document: Members) -> str:
        """Take a completion."""
        return self.take(document)

    def answer(self) -> Answer:
        """The message so far."""
        said: Stop = "refused" if self._refusals else STOPS.get(self._finish, "end")
        found = [(self._closed(place, call), call) for place, call in enumerate(self._calls)]
        kept = [(call, given) for asked, given in found if (call := meant(asked, said))]
        calls = tuple(call for call, _ in kept)
        text, refusal = mended("".join(self._texts)), mended("".join(self._refusals))
        message: dict[str, Any] = {"role": "assistant", "content": text if text.strip() else None}
        if refusal:
            message["refusal"] = refusal
        if self._thoughts:
            message[THOUGHT] = mended("".join(self._thoughts))
        if self._details:
            message[DETAILS] = self._details
        if kept:
            message["tool_calls"] = [_native(call, given.members) for call, given in kept]
        usage = of_openai(self._counts, "prompt_tokens", "completion_tokens")
        native = encoded(message) if calls or text.strip() or refusal else b""
        return Answer(text or refusal, calls, stop_of(said, calls), native, usage)

    def _chose(self, choice: Members, delta: Members) -> str:
        if choice.get("finish_reason") == "error":
            raise failure(choice.get("error"))
        self._finish = text_in(choice.get("finish_reason")) or self._finish
        for place, call in enumerate(listed(delta.get("tool_calls"))):
            self._grow(call, place if "message" in choice else call.get("index"))
        self._details += listed(delta.get(DETAILS))
        text, refusal, thought = _text(delta.get("content")), text_in(delta.get("refusal")), _text(delta.get(THOUGHT))
        for pieces, piece in (self._texts, text), (self._refusals, refusal), (self._thoughts, thought):
            if piece:
                pieces.append(piece)
        return text + refusal

    def _grow(self, delta: Members, index: object) -> None:
        """A piece of a call: of the one with its index, unless it begins another (some count them all as 0)."""
        at, name = index if isinstance(index, int) else None, text_in(delta.get("id"))
        call = self._at.get(at)
        if call is None or (name and call.id and name != call.id):
            call = self._at[at] = _Call(name)
            self._calls.append(call)
        function = members(delta.get("function"))
        call.id = call.id or name
        call.name = call.name or text_in(function.get("name"))
        call.arguments.append(text_in(function.get("arguments")) or written(members(function.get("arguments"))))
        call.members |= {key: value for key, value in delta.items() if key not in OURS}

    def _closed(self, place: int, call: _Call) -> ToolCall:
        name = call.id or f"call_{self._name or 'unnamed'}_{place}"
        return ToolCall(mended(name), mended(call.name), mended("".join(call.arguments)))


def _native(call: ToolCall, added: Members) -> dict[str, Any]:
    arguments = bytes(as_object(call.arguments)).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}, **added}


def _text(content: object) -> str:
    """A content: a text, or (of some makers) a list of parts."""
    if isinstance(content, list):
        return "".join(text_in(part.get("text")) for part in listed(content) if part.get("type") == "text")
    return text_in(content)
