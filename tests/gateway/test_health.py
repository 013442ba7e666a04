"""Probes answer for the process alone and never ask a provider."""

from loopback import Alone, gateway

from foldpoint.gateway.serving import run


def test_probes() -> None:
    """Alive, ready, and the base URLs that clients look at."""

    async def main() -> tuple[list[tuple[str, int]], int]:
        async with gateway() as it:
            said = []
            for method, path in (
                ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/healthz"), ("HEAD", "/readyz"),
                ("HEAD", "/"), ("GET", "/"), ("HEAD", "/anthropic"),
            ):  # fmt: skip
                async with it.client.request(method, it.url + path) as answer:
                    said.append((path, answer.status))
            return said, len(it.provider.got)

    said, asked = run(main())
    assert [status for _, status in said] == [200] * 7
    assert asked == 0


def test_a_failing_store_is_degraded_and_ready() -> None:
    """Records spool meanwhile, so requests are welcome."""

    async def main() -> tuple[int, dict[str, str]]:
        async with gateway() as it:
            it.recorder.failing = True
            async with it.client.get(it.url + "/readyz") as answer:
                return answer.status, await answer.json()

    assert run(main()) == (200, {"status": "ready", "store": "degraded", "shared": "ok"})


def test_what_is_shared_and_gone_is_degraded_and_ready() -> None:
    """Every process goes on by itself meanwhile, and requests are served."""
    shared = Alone()
    shared.failing = True

    async def main() -> tuple[int, dict[str, str], int]:
        async with gateway(shared=shared) as it:
            async with it.client.get(it.url + "/readyz") as answer:
                said = answer.status, await answer.json()
            async with it.client.post(it.url + "/v1/chat/completions", data=b"{}") as answer:
                return *said, answer.status

    assert run(main()) == (200, {"status": "ready", "store": "ok", "shared": "degraded"}, 200)
