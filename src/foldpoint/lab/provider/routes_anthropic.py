"""The Messages API's paths."""

from aiohttp import web

from .anthropic import Anthropic
from .desk import Body, Desk, counted, said
from .sending import Sending


class AnthropicRoutes:
    """Messages, and the count of their tokens."""

    def __init__(self, desk: Desk, dialect: Anthropic) -> None:
        self.desk = desk
        self.dialect = dialect

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [web.post("/v1/messages", self.messages), web.post("/v1/messages/count_tokens", self.count_tokens)]

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        return await self.desk.exchange(request, self.dialect, self.desk.answer)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/count_tokens`."""
        return await self.desk.exchange(request, self.dialect, self.counted)

    async def counted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Count the tokens of a request. Raises Refused or Unreadable."""
        self.dialect.check_counting(body)
        return await said(sending, {"input_tokens": counted("anthropic", body)})
