"""How an answer is read: event by event, or whole."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from foldpoint.agent.errors import AskError
from foldpoint.agent.ports import Answer, Stop, ToolCall

from .rounds import is_object
from .texts import encoded

PERMANENT_KINDS = """
invalid_request_error authentication_error permission_error not_found_error request_too_large billing_error
invalid_prompt invalid_api_key model_not_found context_length_exceeded insufficient_quota content_filter
"""
PERMANENT = frozenset(PERMANENT_KINDS.split())
"""What providers call errors that the same request meets again."""
LONGEST_TOLD = 2000
DONE = "[DONE]"
"""What ends a stream of chat completions; a member of the event that a reading takes then."""

Members = Mapping[str, Any]


class Reading(Protocol):
    """An answer as it comes."""

    @property
    def ended(self) -> bool:
        """Has the provider said that nothing more comes?"""

    @property
    def complete(self) -> bool:
        """Is it a whole answer, should the stream end here?"""

    def take(self, event: Members) -> str:
        """Take the next event; gives what it adds to the text. Raises AskError for an error that the provider says."""

    def whole(self, document: Members) -> str:
        """Take an answer that came as one document; gives its text."""

    def answer(self) -> Answer:
        """What was answered."""


def members(value: object) -> Members:
    """The object; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Members]:
    """The objects of a list; none of what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_in(value: object) -> str:
    """The text; an empty one for what is none."""
    return value if isinstance(value, str) else ""


def number_in(value: object) -> int:
    """The whole number from 0 on; 0 for what is none."""
    return value if isinstance(value, int) and value >= 0 else 0


def failure(error: object) -> AskError:
    """The error that a provider says in an answer that began well."""
    given = members(error)
    kind, code = text_in(given.get("type")), text_in(given.get("code"))
    said = told(text_in(given.get("message")) or kind or code or "it gives no reason")
    named = next((name for name in (code, kind) if name in PERMANENT), code or kind)
    return AskError(f"the provider broke off the answer: {said}", retryable=named not in PERMANENT, kind=named)


def told(text: str) -> str:
    """A provider's message, on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TOLD else line[:LONGEST_TOLD] + "…"


def meant(call: ToolCall, stop: Stop) -> ToolCall | None:
    """The call, blank arguments spelled `{}`; None of an answer that was refused, or where it was cut itself."""
    if stop == "refused" or (stop == "length" and not is_object(call.arguments)):
        return None
    return call if call.arguments.strip() else ToolCall(call.id, call.name, "{}")


def stop_of(said: Stop, calls: Sequence[ToolCall]) -> Stop:
    """Why it stopped, in agreement with the calls there are."""
    if said in ("end", "calls"):
        return "calls" if calls else "end"
    return said


def written(arguments: object) -> str:
    """Arguments that came as an object, as JSON; none at all are an empty text."""
    return encoded(arguments).decode() if arguments else ""
