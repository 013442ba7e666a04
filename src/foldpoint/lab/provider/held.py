"""Responses that the provider holds, so that a client may send what is new alone, or ask for them again."""

from collections import OrderedDict
from typing import Any

from .dialect import Answered
from .refusal import Refused

MOST = 1000


class Held:
    """Conversations by the id of their newest response; at most `MOST`."""

    def __init__(self) -> None:
        self.responses: OrderedDict[str, tuple[list[Any], dict[str, Any]]] = OrderedDict()

    def expanded(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body with the conversation that it goes on in front of its input. Raises Refused."""
        name = body.get("previous_response_id")
        if name is None:
            return body
        if name not in self.responses:
            why = f"Previous response with id '{name}' not found."
            raise Refused(why, param="previous_response_id", code="previous_response_not_found")
        items, answer = self.responses[name]
        return {**body, "input": [*items, *answer["output"], *listed(body.get("input"))]}

    def keep(self, answered: Answered, answer: dict[str, Any]) -> None:
        """Keep an answer, unless the client asks not to."""
        if answered.body.get("store") is False:
            return
        self.responses[answer["id"]] = (listed(answered.body["input"]), answer)
        if len(self.responses) > MOST:
            self.responses.popitem(last=False)

    def answer(self, name: str) -> dict[str, Any]:
        """A response. Raises Refused."""
        return self.found(name)[1]

    def input_items(self, name: str) -> dict[str, Any]:
        """The items that a response was asked with. Raises Refused."""
        return {"object": "list", "data": self.found(name)[0][::-1], "has_more": False}

    def forget(self, name: str) -> dict[str, Any]:
        """Delete a response. Raises Refused."""
        self.found(name)
        del self.responses[name]
        return {"id": name, "object": "response", "deleted": True}

    def found(self, name: str) -> tuple[list[Any], dict[str, Any]]:
        """What a response was asked with, and the response. Raises Refused."""
        if name not in self.responses:
            raise Refused(f"Response with id '{name}' not found.", 404, kind="invalid_request_error")
        return self.responses[name]


def listed(given: object) -> list[Any]:
    """An input as items."""
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    return list(given) if isinstance(given, list) else []
