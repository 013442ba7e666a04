"""The paths of the Gemini API, and of Vertex."""

from aiohttp import web

from .desk import Body, Desk, counted, json, said
from .gemini import Gemini
from .models import for_gemini
from .sending import Sending

GENERATE = r"/{version:v1[a-z0-9]*}/{folder:(?:.*/)?}{model:[^/:]+}:{verb:generateContent|streamGenerateContent}"
COUNT = r"/{version:v1[a-z0-9]*}/{folder:(?:.*/)?}{model:[^/:]+}:countTokens"


class GeminiRoutes:
    """generateContent, whole and as a stream, and the count of its tokens."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.post(GENERATE, self.generate),
            web.post(COUNT, self.count_tokens),
            web.get("/v1beta/models", self.models),
        ]

    async def generate(self, request: web.Request) -> web.StreamResponse:
        """`POST …/models/M:generateContent` and `:streamGenerateContent`."""
        return await self.desk.exchange(request, Gemini(sse=request.query.get("alt") == "sse"), self.desk.answer)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST …/models/M:countTokens`."""
        return await self.desk.exchange(request, Gemini(), self.counted)

    async def counted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Count the tokens of a request. Raises Refused or Unreadable."""
        Gemini().check_counting(body)
        return await said(sending, {"totalTokens": counted("gemini", body)})

    async def models(self, request: web.Request) -> web.Response:
        """`GET /v1beta/models`."""
        return json(for_gemini())
