"""The paths of the application."""

import pytest
from loopback import gateway

from foldpoint.gateway.serving import run


@pytest.mark.parametrize("path", ["requests", "request/1", "sessions", "session/a/b", "ring", "savings"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_records_are_only_read(method: str, path: str) -> None:
    """Another method is told so, in JSON, with the methods there are; no provider is asked."""

    async def main() -> tuple[int, str | None, object, int]:
        async with gateway() as it, it.client.request(method, f"{it.url}/api/v1/tenant/{path}") as answer:
            return answer.status, answer.headers.get("allow"), await answer.json(), len(it.provider.got)

    said = {"error": {"message": f"{method} is not allowed here: there is GET, HEAD"}}
    assert run(main()) == (405, "GET, HEAD", said, 0)
