"""The errors Foldpoint raises on purpose: FoldpointError, and of its kind PolicyError, Unreadable, UnknownSurface."""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches


class FoldpointError(Exception):
    """What every error of ours is."""


class Unreadable(FoldpointError):
    """The body is not one we can read; it is passed on byte for byte."""


class UnknownSurface(FoldpointError, ValueError):
    """No surface has that name."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        super().__init__(f"no surface is called {name!r}{nearest(str(name), known)}; there are: {', '.join(known)}")


class PolicyError(FoldpointError, ValueError):
    """One or more settings are not usable.

    Attributes:
        problems: (dotted key, what is wrong and the mend), one for each bad setting.
    """

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        self.problems = problems
        super().__init__("; ".join(message for _, message in problems))


def nearest(word: str, known: Iterable[str]) -> str:
    """`` (did you mean X?)`` where a known word is near, else nothing."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def fault_of(error: BaseException) -> str:
    """Kind and place of a fault for the log, without its message: that could quote a header or a body."""
    places = [(frame.f_globals.get("__name__"), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    where = " at {}:{}".format(*places[-1]) if places else ""
    return f"{type(error).__name__}{where}"
