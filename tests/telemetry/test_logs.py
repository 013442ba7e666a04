"""What a process logs is a JSON object a line, or text on a terminal."""

import io
import json
import logging
import subprocess
import sys

import pytest

from foldpoint.telemetry.logs import Json, Text


def entry(message: str, level: int = logging.INFO, **extra: object) -> logging.LogRecord:
    """A log entry at the beginning of time."""
    made = logging.makeLogRecord({"name": "foldpoint.x", "msg": message, "levelno": level, "created": 0.25, **extra})
    made.levelname = logging.getLevelName(level)
    return made


def test_a_line_of_json() -> None:
    """Event, level, time, logger and the fields, whatever their type."""
    line = Json().format(entry("went", records=3, path=io, odd="a\udc80", none=None, list=(1, "x")))
    assert json.loads(line) == {
        "event": "went",
        "level": "info",
        "ts": "1970-01-01T00:00:00.250+00:00",
        "logger": "foldpoint.x",
        "records": 3,
        "path": str(io),
        "odd": "a?",
        "none": None,
        "list": [1, "x"],
    }


def test_a_fault_has_its_traceback_in_one_line() -> None:
    """In the field `exception`, with what led to it, and without their texts: they may quote a request."""
    try:
        try:
            raise KeyError("a secret")
        except KeyError as error:
            raise ValueError("a secret\nof two lines") from error
    except ValueError:
        line = Json().format(entry("fell", logging.ERROR, exc_info=sys.exc_info()))
    said = json.loads(line)["exception"]
    assert "\n" not in line
    assert [part.splitlines()[-1] for part in said.split("\n\n")] == ["KeyError", "ValueError"]
    assert ("test_logs.py" in said, said.count("a secret")) == (True, 2), "the source lines alone hold it here"


def test_a_line_for_a_person() -> None:
    """Time, level, event, fields; coloured when that is wanted."""
    plain = Text(colours=False).format(entry("went", logging.ERROR, records=3))
    assert plain[8:] == " error   went  records=3"
    assert Text(colours=True).format(entry("went", logging.ERROR))[8:] == " \x1b[31merror   \x1b[0mwent"


def test_a_line_is_one_line_whatever_a_client_sent() -> None:
    """No line break, no control sequence and no half character of a value reaches the terminal."""
    plain = Text(colours=False).format(entry("went", session="a\n12:00:00 error\x1b[2J\udc80", path="ä b"))
    assert plain[8:] == " info    went  session=a\\n12:00:00 error\\x1b[2J\\udc80 path=ä b"


CODE = """
import logging, sys
from foldpoint.telemetry import logs
logs.configure(sys.stdout, form={form!r})
logging.getLogger("foldpoint.x").info("went", extra={{"n": 1}})
logging.getLogger("opentelemetry.exporter.otlp").error("Failed to export spans batch")
logging.getLogger("opentelemetry.attributes").warning("odd")
"""


@pytest.mark.parametrize(
    ("form", "begins"), [("auto", '{"event":"went"'), ("json", '{"event":"went"'), ("text", "info    went  n=1")]
)
def test_the_form_of_lines(form: str, begins: str) -> None:
    """As set, whatever the stream is; attempts of an exporter are told once elsewhere and not here."""
    done = subprocess.run([sys.executable, "-c", CODE.format(form=form)], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].removeprefix(lines[0][:9] if form == "text" else "").startswith(begins)
    assert ("\x1b" in done.stdout, "odd" in lines[1]) == (False, True)
