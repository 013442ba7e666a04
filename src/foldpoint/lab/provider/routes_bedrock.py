"""Bedrock's paths: Converse, InvokeModel with Anthropic's bodies, and the count of what either is sent."""

from base64 import b64decode

from aiohttp import web

from foldpoint.lab.cache import decoded

from .anthropic import Anthropic
from .bedrock import Converse, Invoke
from .desk import Body, Desk, counted, json, said
from .dialect import Dialect
from .sending import Sending


class BedrockRoutes:
    """`/model/{id}/…`."""

    def __init__(self, desk: Desk, anthropic: Anthropic) -> None:
        self.desk = desk
        self.converse = Converse()
        self.invoke = Invoke(anthropic)

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.post("/model/{model:.+}/converse", self.conversed),
            web.post("/model/{model:.+}/converse-stream", self.conversed),
            web.post("/model/{model:.+}/invoke", self.invoked),
            web.post("/model/{model:.+}/invoke-with-response-stream", self.invoked),
            web.post("/model/{model:.+}/count-tokens", self.count_tokens),
            web.get("/inference-profiles", self.profiles),
        ]

    async def conversed(self, request: web.Request) -> web.StreamResponse:
        """`POST /model/{id}/converse` and `converse-stream`."""
        return await self.desk.exchange(request, self.converse, self.desk.answer)

    async def invoked(self, request: web.Request) -> web.StreamResponse:
        """`POST /model/{id}/invoke` and `invoke-with-response-stream`."""
        return await self.desk.exchange(request, self.invoke, self.desk.answer)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /model/{id}/count-tokens`."""
        return await self.desk.exchange(request, self.converse, self.counted)

    async def counted(self, sending: Sending, body: Body) -> web.StreamResponse:
        """Count the tokens of what Converse or InvokeModel would be sent. Raises Refused or Unreadable."""
        given = body.get("input") or {}
        dialect: Dialect = self.invoke if "invokeModel" in given else self.converse
        inner = decoded(b64decode(given["invokeModel"]["body"])) if "invokeModel" in given else given["converse"]
        whole = {**inner, "model": body["model"]}
        dialect.check(whole)
        return await said(sending, {"inputTokens": counted(dialect.surface, whole)})

    async def profiles(self, request: web.Request) -> web.Response:
        """`GET /inference-profiles`: Claude Code asks for them before it begins."""
        return json({"inferenceProfileSummaries": []})
