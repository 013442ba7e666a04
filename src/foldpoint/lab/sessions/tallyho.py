"""What is said and written in the coding session beside its turns: the task, the tools, tests and commands."""
# fmt: off
# ruff: noqa: E501 - texts stand as they are sent

from .story import Tool

SYSTEM = """You are an interactive agent that helps with software engineering tasks in the person's own checkout.

# How to work
- Understand before you change: read the code around a fault, and its tests, before you edit anything.
- Reproduce a fault with a failing test first, then mend it, then run the whole suite.
- Keep the public interface unless you are asked to change it. Match the style of the file you are in.
- Say in one or two sentences what you do next and why. No praise, no filler.
- Call independent tools in one go.

# Tools
- Read shows a file with line numbers; always read a file before you edit it.
- Edit replaces one exact passage. It fails when the passage is not there or is there twice.
- Grep searches with a regular expression. Prefer it over grep in Bash.
- Bash runs a command in the checkout. Don't use it to read or change files.

# Git
Never commit, push or rebase unless you are asked to. Never skip hooks."""
TASK = """Issue #231, from a user in Ohio:

> Our hourly import (`15 * * * *`, zone America/New_York) did not run between 05:15Z and 07:15Z on 1 November. We expected
> 06:15Z too, the docs say hourly jobs run in both hours. We are on 2.3.1. It worked on 2.2.0.

Find out why, fix it, and add tests. Check the other zones we claim to support as well, half-hour changes included."""
SCHEDULE = "src/tallyho/schedule.py"
TESTS = "tests/test_schedule.py"
TOOLS = (
    Tool("Read", "Reads a file of the checkout, with line numbers.", {"file_path": "Path", "range": "Lines, as 10-60"}),
    Tool("Grep", "Searches file contents with a regular expression.", {"pattern": "Expression", "path": "Folder or file"}),
    Tool(
        "Edit",
        "Replaces one exact passage of a file. Fails when it is not unique.",
        {"file_path": "Path", "old_string": "Passage to replace", "new_string": "What stands there instead"},
    ),
    Tool("Glob", "Lists files by pattern, newest first.", {"pattern": "Glob pattern"}),
    Tool("Bash", "Runs a shell command in the checkout.", {"command": "Command", "description": "What it does, in a few words"}),
)

REPRODUCE = """python - <<'EOF'
from datetime import datetime, timezone
from tallyho import Cron
from tallyho.schedule import upcoming
start = datetime(2026, 11, 1, 3, 0, tzinfo=timezone.utc)
for m in upcoming(Cron.parse("15 * * * *"), start, "America/New_York", 6):
    print(m.isoformat())
EOF"""
FAILING = '''

def test_every_hour_runs_in_both_hours_when_clocks_go_back():
    found = upcoming(Cron.parse("15 * * * *"), at(2026, 11, 1, 5, 0), "America/New_York", 3)
    assert found == [at(2026, 11, 1, 5, 15), at(2026, 11, 1, 6, 15), at(2026, 11, 1, 7, 15)]


def test_a_fixed_hour_runs_once_when_clocks_go_back():
    found = upcoming(Cron.parse("30 1 * * *"), at(2026, 11, 1, 4, 0), "America/New_York", 2)
    assert found == [at(2026, 11, 1, 5, 30), at(2026, 11, 2, 6, 30)]
'''
HALF_HOUR = '''

@pytest.mark.parametrize("minute", [0, 15, 30, 45])
def test_half_hour_change(minute):
    """Lord Howe goes back by half an hour: 01:30 to 02:00 comes twice, the other half of the hour once."""
    start = at(2026, 4, 4, 14, 0)
    found = upcoming(Cron.parse(f"{minute} * * * *"), start, "Australia/Lord_Howe", 3)
    gaps = [later - earlier for earlier, later in zip(found, found[1:])]
    assert gaps[0] == timedelta(minutes=30 if minute >= 30 else 90)
'''
NAMES = [
    "tests/test_cron.py::test_minutes[*/15]", "tests/test_cron.py::test_minutes[5]", "tests/test_cron.py::test_minutes[1-4]",
    "tests/test_cron.py::test_minutes[0,30]", "tests/test_cron.py::test_minutes[10/20]",
    "tests/test_cron.py::test_sunday_is_zero_and_seven", *(f"tests/test_cron.py::test_refused[{n}]" for n in range(5)),
    "tests/test_cron.py::test_shorthand",
    *(f"tests/test_runner.py::test_{name}[{store}]" for name in ("runs_when_due", "missed_runs_are_made_up_for_once",
      "a_failing_job_is_scheduled_again") for store in ("memory", "sqlite")),
    *(f"{TESTS}::test_{name}" for name in ("later_today", "tomorrow_when_it_is_past", "strictly_after", "zone",
      "day_or_weekday", "never", "naive_is_refused", "spring_gap_runs_at_its_end", "upcoming")),
    *(f"tests/test_zones.py::test_a_year_of_runs[{job}-{zone}]" for zone in
      ("UTC", "Europe/Lisbon", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Kathmandu",
       "Pacific/Auckland", "Pacific/Apia", "America/St_Johns", "Africa/Casablanca")
      for job in ("nightly", "weekdays", "first-of-month", "quarterly")),
]
BOTH = f"{TESTS}::test_every_hour_runs_in_both_hours_when_clocks_go_back"
ONCE = f"{TESTS}::test_a_fixed_hour_runs_once_when_clocks_go_back"
HALVES = [f"{TESTS}::test_half_hour_change[{minute}]" for minute in (0, 15, 30, 45)]
ZONES = ("UTC", "Europe/Lisbon", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe")
