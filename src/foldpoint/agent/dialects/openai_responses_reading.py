"""The Responses API's answers."""

from collections.abc import Mapping

import msgspec

from foldpoint.agent.ports import Answer, Stop, ToolCall

from .counts import Counts, merged, of_openai
from .openai_responses import items_of
from .reading import Members, failure, listed, meant, members, number_in, stop_of, text_in
from .rounds import as_object
from .texts import encoded, mended

REASONS: Mapping[str, Stop] = {"max_output_tokens": "length", "max_tokens": "length", "content_filter": "refused"}
"""Why an answer is incomplete; any other reason is one of length."""
WAITING = ("queued", "in_progress")
ENDS = ("response.completed", "response.incomplete")
TEXTS = ("response.output_text.delta", "response.refusal.delta")
BETWEEN = "\n\n"
"""Between the texts of two messages of one answer."""


class OpenAIResponsesReading:
    """A response as its items come."""

    def __init__(self) -> None:
        self._items: dict[int, Members] = {}
        self._told: set[int] = set()
        self._response: Members = {}
        self._counts: Counts = {}
        self._ended = False

    @property
    def ended(self) -> bool:
        """Did the event come that ends a response?"""
        return self._ended

    @property
    def complete(self) -> bool:
        """The same: it is the last event."""
        return self._ended

    def take(self, event: Members) -> str:
        """Take the next event."""
        kind, at = event.get("type"), number_in(event.get("output_index"))
        if kind in TEXTS:
            return self._said(at, text_in(event.get("delta")))
        if kind == "response.output_item.done":
            self._items[at] = members(event.get("item"))
            return "" if at in self._told else self._said(at, _text(self._items[at]))
        if kind in ENDS:
            self._ended = True
            return self._finished(members(event.get("response")))
        if kind == "response.failed":
            raise failure(members(event.get("response")).get("error"))
        if kind == "error" or event.get("error"):
            raise failure(event.get("error") or {**event, "type": ""})
        return ""

    def whole(self, document: Members) -> str:
        """Take a response."""
        if document.get("status") in ("failed", "cancelled"):
            raise failure(document.get("error"))
        self._ended = isinstance(document.get("output"), list) and document.get("status") not in WAITING
        return self._finished(document)

    def answer(self) -> Answer:
        """The response so far."""
        items = [self._items[at] for at in sorted(self._items)]
        said = self._stop(items)
        kept: list[Members] = []
        calls: list[ToolCall] = []
        for place, item in enumerate(items):
            if item.get("type") == "function_call":
                named = text_in(item.get("call_id")) or f"call_{text_in(item.get('id')) or 'unnamed'}_{place}"
                spelled = (named, text_in(item.get("name")), text_in(item.get("arguments")))
                call = meant(ToolCall(*map(mended, spelled)), said)
                if call is None:
                    continue
                calls.append(call)
                item = {**item, "call_id": call.id, "arguments": bytes(as_object(call.arguments)).decode()}
            kept.append(item)
        text = mended(BETWEEN.join(text for item in items if (text := _text(item))))
        usage = of_openai(self._counts, "input_tokens", "output_tokens")
        return Answer(text, tuple(calls), stop_of(said, calls), _native(kept), usage)

    def _finished(self, response: Members) -> str:
        self._response, self._counts = response, merged({}, response.get("usage"))
        if self._items:
            return ""
        self._items = dict(enumerate(listed(response.get("output"))))
        return "".join(self._said(at, _text(item)) for at, item in self._items.items() if at not in self._told)

    def _stop(self, items: list[Members]) -> Stop:
        if any(part.get("type") == "refusal" for item in items for part in listed(item.get("content"))):
            return "refused"
        if self._response.get("status") != "incomplete":
            return "end"
        return REASONS.get(text_in(members(self._response.get("incomplete_details")).get("reason")), "length")

    def _said(self, at: int, text: str) -> str:
        if not text:
            return ""
        between = BETWEEN if self._told and at not in self._told else ""
        self._told.add(at)
        return between + text


def _text(item: Members) -> str:
    """What a message says, a refusal too; nothing for any other item."""
    parts = listed(item.get("content")) if item.get("type") == "message" else []
    return "".join(text_in(part.get("text")) + text_in(part.get("refusal")) for part in parts)


def _native(items: list[Members]) -> bytes:
    """The JSON of the items that may be sent back; empty where none may."""
    kept = [raw for _, raw in items_of(encoded(items))]
    return msgspec.json.encode(kept) if kept else b""
