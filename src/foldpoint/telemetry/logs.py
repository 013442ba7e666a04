"""Log lines: readable text on a terminal, JSON lines anywhere else. Never bodies, never keys."""

import logging
import traceback
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

import msgspec

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_END = "\x1b[0m"
_COLOURS = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
_SAID_BY_US = ("opentelemetry.exporter", "opentelemetry.sdk._shared_internal")
"""Loggers of a library that would tell of each attempt what `telemetry.exporting` tells once."""


def configure(
    stream: TextIO,
    level: int = logging.INFO,
    *,
    colours: bool = True,
    form: Literal["auto", "json", "text"] = "auto",
) -> None:
    """Send what this process logs to the stream; `extra` becomes fields of the line.

    form: `auto` is text on a terminal and JSON lines anywhere else.
    """
    handler = logging.StreamHandler(stream)
    as_text = stream.isatty() if form == "auto" else form == "text"
    handler.setFormatter(Text(colours and stream.isatty()) if as_text else Json())
    handler.addFilter(lambda record: not record.name.startswith(_SAID_BY_US))
    logging.basicConfig(handlers=[handler], level=level, force=True)


class Json(logging.Formatter):
    """One JSON object a line: event, level, ts, logger, the fields, and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "logger": record.name,
            **fields(record),
        }
        if record.exc_info:
            line["exception"] = places(record.exc_info[1])
        return msgspec.json.encode(_encodable(line)).decode()


class Text(logging.Formatter):
    """Time, level, event and fields for a person."""

    def __init__(self, colours: bool) -> None:
        super().__init__()
        self._colours = _COLOURS if colours else {}

    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        colour = self._colours.get(level, "")
        said = " ".join(f"{name}={_printable(value)}" for name, value in fields(record).items())
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        line = f"{time} {colour}{level:<8}{_END if colour else ''}{record.getMessage()}  {said}".rstrip()
        return line + ("\n" + places(record.exc_info[1]) if record.exc_info else "")


def fields(record: logging.LogRecord) -> dict[str, Any]:
    """What was said in `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _OWN}


def _printable(value: Any) -> str:
    """The value in one line that a terminal can take, whatever a client sent."""
    text = str(value)
    return text if text.isprintable() else repr(text)[1:-1]


def places(error: BaseException | None) -> str:
    """The traceback of an error and of those that led to it, without their own words: these may quote a request."""
    told: list[str] = []
    while error is not None:
        told.insert(0, "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\n".join(told)


def _encodable(value: Any) -> Any:
    """The value as JSON can hold it: everything it does not know is text, and text is Unicode."""
    match value:
        case None | bool() | int() | float():
            return value
        case dict():
            return {str(name): _encodable(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_encodable(inner) for inner in value]
        case _:
            return str(value).encode("utf-8", "replace").decode()
