"""What Prometheus gets, and who else does."""

from collections.abc import Mapping

import aiohttp
import pytest
from aiohttp import web

from foldpoint.core.record import Record
from foldpoint.gateway.metrics import PATH, scraped
from foldpoint.gateway.serving import listening, run
from foldpoint.telemetry.metrics import Metrics
from foldpoint.telemetry.observed import Observed
from foldpoint.telemetry.watching import Watching

KEY = "scrape-me"
ONE = Observed(Record(id="1", time=0.0, surface="anthropic", model="m", mode="prod", status=200))
COUNTED = 'foldpoint_requests_total{mode="prod",model="other",outcome="ok",surface="anthropic"} 1.0\n'


def row(model: str) -> str | None:
    return None


def got(headers: Mapping[str, str], key: str | None = None, *, on: bool = True) -> tuple[int, Mapping[str, str], bytes]:
    """The answer to a scraper that sends those headers."""

    async def main() -> tuple[int, Mapping[str, str], bytes]:
        metrics = Metrics(row)
        watching = Watching([metrics])
        watching.put(ONE)
        app = web.Application()
        app.router.add_get(PATH, scraped(metrics if on else None, watching, key))
        async with (
            listening(app, "127.0.0.1", 0) as url,
            aiohttp.ClientSession() as client,
            client.get(url + PATH, headers=headers) as answer,
        ):
            return answer.status, dict(answer.headers), await answer.read()

    return run(main())


def test_what_just_ended_is_counted() -> None:
    """A scrape waits for it; nobody keeps the page."""
    status, headers, body = got({})
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert headers["Cache-Control"] == "no-store"
    assert COUNTED in body.decode()


def test_the_form_that_the_scraper_wants() -> None:
    """OpenMetrics, compressed, where it says so."""
    accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1"
    status, headers, body = got({"Accept": accept, "Accept-Encoding": "gzip"})
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert body.endswith(b"# EOF\n")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (f"Bearer {KEY}", 200), (f"bearer  {KEY} ", 200), (f"Bearer {KEY}x", 401), ("Bearer ", 401), ("Bearer", 401),
        (KEY, 200), (f"Basic {KEY}", 401), ("Bearer \udc80", 401), (None, 401),
    ],
)  # fmt: skip
def test_a_key(sent: str | None, status: int) -> None:
    """Where one is set nobody reads the figures without it; it is found as keys of the gateway are."""
    answered, headers, body = got({} if sent is None else {"Authorization": sent}, KEY)
    assert answered == status
    assert (COUNTED in body.decode()) == (status == 200)
    assert headers.get("WWW-Authenticate") == (None if status == 200 else "Bearer")
    assert KEY not in body.decode()


def test_an_empty_key_opens_nothing() -> None:
    """Whoever sends none does not have it."""
    assert got({"Authorization": "Bearer "}, "")[0] == 401


def test_metrics_that_are_off() -> None:
    """There is no such page."""
    status, _, body = got({}, on=False)
    assert (status, body) == (404, b"foldpoint: telemetry.metrics is off\n")


def test_a_page_in_a_browser_reads_nothing() -> None:
    """One that points its own name at this machine; with a key it has none to send."""
    assert got({"Host": "evil.example"})[0] == 403
    assert got({"Host": "gateway.example", "Authorization": f"Bearer {KEY}"}, KEY)[0] == 200
