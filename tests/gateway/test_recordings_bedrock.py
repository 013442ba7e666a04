"""Every request that a real client sent to Bedrock goes through the gateway."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import gateway
from yarl import URL

from foldpoint.core.policy import Policy, Trajectory
from foldpoint.core.record import Record
from foldpoint.engine import Engine
from foldpoint.gateway.serving import run
from naive.passage import Passage

SURFACES = {"converse": "bedrock", "converse-stream": "bedrock"}
POLICIES = {
    "adaptive": Policy(Trajectory(horizon="adaptive")),
    "always": Policy(Trajectory(payback_turns=1000)),
}


def sessions(shared: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(name, requests) of every session with a request to Bedrock."""
    for path in sorted((shared / "recordings").glob("*/*.jsonl")):
        requests = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found = [one for one in requests if one["path"].startswith(("/model/", "/inference-profiles"))]
        if found:
            yield f"{path.parent.name}/{path.stem}", found


def written(request: dict[str, Any]) -> bytes:
    """The body as the client wrote it, but for blanks."""
    body = request["body"]
    return b"" if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def headers(request: dict[str, Any], bearer: bool) -> dict[str, str]:
    """The client's headers; with `bearer` a key in place of the signature."""
    dropped = ("host", "connection", "content-length", *(("x-amz-date", "x-amz-content-sha256") if bearer else ()))
    found = {name: value for name, value in request["headers"] if name.lower() not in dropped}
    if bearer:
        found = {name: value for name, value in found.items() if name.lower() != "authorization"}
        found["authorization"] = "Bearer key"
    return found


def passed(requests: list[dict[str, Any]], policy: Policy, bearer: bool) -> list[tuple[str, bytes, Record | None]]:
    """(request line, body, record) of each request as the provider got it."""

    async def main() -> list[tuple[str, bytes, Record | None]]:
        found: list[tuple[str, bytes, Record | None]] = []
        async with gateway(Engine(policy)) as it:  # type: ignore[arg-type]
            for request in requests:
                url = URL(f"{it.url}/bedrock{request['path']}", encoded=True)
                sent = it.client.request(
                    request["method"], url, data=written(request), headers=headers(request, bearer)
                )
                async with sent as answer:
                    await answer.read()
                known = len(it.recorder.records) > sum(record is not None for *_, record in found)
                got = it.provider.got[-1]
                found.append((got.line, got.body, it.recorder.records[-1] if known else None))
        return found

    return run(main())


@pytest.mark.shared
def test_requests_that_were_signed_pass_as_they_are(shared: Path) -> None:
    """Byte for byte at their own path; what a fold would have saved is recorded."""
    reasons: Counter[str] = Counter()
    for name, requests in sessions(shared):
        for request, (line, body, record) in zip(requests, passed(requests, POLICIES["always"], False), strict=True):
            assert (line, body) == (f"{request['method']} {request['path']} HTTP/1.1", written(request)), name
            reasons[record.verdict if record else "no record"] += 1
    assert reasons["would_compact"] > 20
    assert reasons["compacted"] == 0


@pytest.mark.shared
@pytest.mark.parametrize("name", POLICIES)
def test_requests_with_a_bearer_key_are_folded_soundly(shared: Path, name: str) -> None:
    """Every invariant of a request holds, and between one request of a conversation and the next."""
    engine, problems, verdicts = Engine(POLICIES[name]), [], Counter[str]()
    for session, requests in sessions(shared):
        passages: dict[str, Passage] = {}
        for request, (_, sent, record) in zip(requests, passed(requests, POLICIES[name], True), strict=True):
            if record is None:
                continue
            path = request["path"]
            surface = SURFACES.get(path.rpartition("/")[2], "anthropic")
            passage = passages.setdefault(path, Passage(engine, surface, path))
            found = passage.problems(written(request), sent, record.verdict)
            problems += [f"{session}: {each}" for each in found]
            assert record.surface == surface
            verdicts[record.verdict] += 1
    assert problems == []
    assert verdicts["compacted"] > 20
