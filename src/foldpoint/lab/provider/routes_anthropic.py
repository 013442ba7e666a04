"""The Messages API's paths, and Google Cloud's for it."""

from aiohttp import web

from .anthropic import Anthropic
from .desk import Body, Desk, bound, counted, said
from .sending import Sending

ON_VERTEX = "/v1/projects/{project}/locations/{location}/publishers/anthropic/models"


class AnthropicRoutes:
    """Messages, and the count of their tokens."""

    def __init__(self, desk: Desk, dialect: Anthropic, vertex: Anthropic) -> None:
        self.desk = desk
        self.dialect = dialect
        self.vertex = vertex

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.post("/v1/messages", self.messages),
            web.post("/v1/messages/count_tokens", self.count_tokens),
            web.post(f"{ON_VERTEX}/count-tokens:rawPredict", self.predicted_count),
            web.post(f"{ON_VERTEX}/{{model}}:{{verb:rawPredict|streamRawPredict}}", self.predicted),
        ]

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        return await self.desk.exchange(request, self.dialect, self.desk.answer)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/count_tokens`."""
        return await self.desk.exchange(request, self.dialect, self.counted)

    async def predicted(self, request: web.Request) -> web.StreamResponse:
        """`POST …/models/{id}:rawPredict` and `:streamRawPredict`, Vertex's form of messages."""
        return await self.desk.exchange(request, self.vertex, self.desk.answer)

    async def predicted_count(self, request: web.Request) -> web.StreamResponse:
        """`POST …/models/count-tokens:rawPredict`."""
        return await self.desk.exchange(request, self.vertex, self.counted)

    async def counted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Count the tokens of a request. Raises Refused or Unreadable."""
        (self.vertex if sending.dialect is self.vertex else self.dialect).check_counting(body)
        body, _ = bound(sending, body)
        return await said(sending, {"input_tokens": counted("anthropic", body)})
