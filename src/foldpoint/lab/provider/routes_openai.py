"""OpenAI's paths: chat completions, and Responses with what the provider holds of them."""

from aiohttp import web

from .desk import Body, Desk, counted, json, said
from .held import Held
from .openai_chat import OpenAIChat
from .openai_responses import OpenAIResponses
from .refusal import Refused
from .sending import Sending


class OpenAIRoutes:
    """`/v1/chat/completions` and `/v1/responses`."""

    def __init__(self, desk: Desk, chat: OpenAIChat) -> None:
        self.desk = desk
        self.chat = chat
        self.dialect = OpenAIResponses()
        self.held = Held()

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.post("/v1/chat/completions", self.completions),
            web.post("/v1/responses", self.responses),
            web.post("/v1/responses/input_tokens", self.input_tokens),
            web.post("/v1/responses/compact", self.compact),
            web.get("/v1/responses/{id}", self.stored),
            web.get("/v1/responses/{id}/input_items", self.stored),
            web.delete("/v1/responses/{id}", self.stored),
        ]

    async def completions(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        return await self.desk.exchange(request, self.chat, self.desk.answer)

    async def responses(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses`."""
        return await self.desk.exchange(request, self.dialect, self.responded)

    async def input_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses/input_tokens`."""
        return await self.desk.exchange(request, self.dialect, self.counted)

    async def compact(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/responses/compact`."""
        return await self.desk.exchange(request, self.dialect, self.compacted)

    async def stored(self, request: web.Request) -> web.Response:
        """A response that is held: `GET`, its items, `DELETE`."""
        name = request.match_info["id"]
        items = request.path.endswith("/input_items")
        ask = self.held.forget if request.method == "DELETE" else self.held.input_items if items else self.held.answer
        try:
            return json(ask(name))
        except Refused as refused:
            return json(self.dialect.error(refused, ""), refused.status)

    async def responded(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Answer a Responses request, and hold the answer. Raises Refused or Unreadable."""
        answered = self.desk.answered(sending, self.held.expanded(body))
        self.held.keep(answered, self.dialect.whole(answered))
        return await sending.send(answered)

    async def counted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Count the tokens of a Responses request. Raises Refused or Unreadable."""
        whole = self.held.expanded(body)
        self.dialect.check(whole)
        total = counted(self.dialect.surface, whole)
        return await said(sending, {"object": "response.input_tokens", "input_tokens": total})

    async def compacted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Answer the messages of the user and a compaction of the rest. Raises Refused or Unreadable."""
        return await said(sending, self.dialect.compact(self.desk.answered(sending, self.held.expanded(body))))
