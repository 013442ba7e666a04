"""A line is asked while the other end is there, and looked after while it is not."""

import asyncio

import pytest
from sharing import PACE, logged, until

from foldpoint.stores.shared.line import Gone, Line, Pace


class End:
    """The other end: there or not, asked so many times."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.pings = 0
        self.asked = 0

    async def ping(self) -> None:
        self.pings += 1
        if self.fault is not None:
            raise self.fault

    async def ask(self) -> str:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return "answer"


def line_to(end: End, pace: Pace = PACE) -> Line:
    return Line("there", end.ping, lost="it is gone", back="it is back", pace=pace)


def test_it_is_said_once_that_it_is_gone_and_once_that_it_is_back() -> None:
    """However often it is asked for meanwhile, and looked for."""

    async def main() -> tuple[bool, bool]:
        end = End()
        line = line_to(end)
        await line.start()
        end.fault = OSError("no way")
        with pytest.raises(Gone):
            await line.ask(end.ask)
        pings = end.pings
        await until(lambda: end.pings > pings + 3)
        with pytest.raises(Gone):
            await line.ask(end.ask)
        failing = line.failing
        end.fault = None
        await until(lambda: line.up)
        assert await line.ask(end.ask) == "answer"
        await line.close()
        return failing, line.failing

    with logged() as lines:
        assert asyncio.run(main()) == (True, False)
    assert [(line.levelname, line.getMessage()) for line in lines] == [("ERROR", "it is gone"), ("INFO", "it is back")]
    assert (lines[0].place, lines[0].error) == ("there", "no way")  # type: ignore[attr-defined]


def test_what_is_gone_is_not_asked() -> None:
    """Whoever asks hears at once that it is gone."""

    async def main() -> int:
        end = End()
        line = line_to(end, Pace(pause=60, look=60))
        await line.start()
        end.fault = TimeoutError("silent")
        for _ in range(3):
            with pytest.raises(Gone):
                await line.ask(end.ask)
        await line.close()
        return end.asked

    with logged():
        assert asyncio.run(main()) == 1


@pytest.mark.parametrize("fault", [OSError("closed"), TimeoutError("silent")], ids=["closed", "too busy to hear it"])
def test_a_fault_that_is_over_at_once_is_not_said(fault: Exception) -> None:
    """A connection that was idle for too long was closed, or the process was too busy to read in time, no more."""

    async def main() -> None:
        end = End()
        line = line_to(end, Pace(pause=0.02, look=60))
        await line.start()
        await asyncio.sleep(0.1)  # it has been there for more than a pause
        end.fault = fault
        with pytest.raises(Gone):
            await line.ask(end.ask)
        end.fault = None
        await until(lambda: line.up)
        await line.close()

    with logged() as lines:
        asyncio.run(main())
    assert lines == []


def test_a_fault_again_and_again_is_said() -> None:
    """Though it answers when it is looked for."""

    async def main() -> None:
        end = End()
        line = line_to(end, Pace(pause=60, look=60))
        await line.start()
        end.fault = OSError("no script")
        with pytest.raises(Gone):
            await line.ask(end.ask)
        end.fault = None
        await until(lambda: line.failing)
        await line.close()

    with logged() as lines:
        asyncio.run(main())
    assert [line.getMessage() for line in lines] == ["it is gone"]


def test_it_is_looked_for_unasked() -> None:
    """So that it is known that it is gone before a request asks."""

    async def main() -> bool:
        end = End()
        line = line_to(end)
        await line.start()
        end.fault = OSError("no way")
        await until(lambda: line.failing)
        await line.close()
        return end.asked == 0

    with logged():
        assert asyncio.run(main())


def test_one_that_never_answers_does_not_keep_the_start() -> None:
    """The start ends, and says so."""

    async def main() -> bool:
        line = Line("there", asyncio.Event().wait, lost="it is gone", back="", pace=PACE)
        await line.start()
        await line.close()
        return line.failing

    with logged() as lines:
        assert asyncio.run(main())
    assert [line.error for line in lines] == ["no answer in 1 s"]  # type: ignore[attr-defined]


def test_who_waits_for_the_return_is_called() -> None:
    """At the start and each time it is back."""

    async def main() -> int:
        end, returns = End(), [0]
        line = line_to(end)
        line.on_return(lambda: returns.append(1))
        await line.start()
        end.fault = OSError("no way")
        await until(lambda: line.failing)
        end.fault = None
        await until(lambda: line.up)
        await line.close()
        return sum(returns)

    with logged():
        assert asyncio.run(main()) == 2
