"""A coding agent mends a scheduler that loses an hour when clocks go back: 34 turns on Anthropic messages.

It is longer than a file here should be, because it is one story.
"""
# fmt: off
# ruff: noqa: E501 - a story reads best one step after the other, its words unbroken

from collections.abc import Sequence

from . import bulk
from .project import Project, text
from .story import Call, Step, Story
from .tallyho import (
    BOTH,
    FAILING,
    HALF_HOUR,
    HALVES,
    NAMES,
    ONCE,
    REPRODUCE,
    SCHEDULE,
    SYSTEM,
    TASK,
    TESTS,
    TOOLS,
    ZONES,
)


def story() -> Story:
    return Story(
        "tallyho",
        "coding agent, a scheduler bug",
        "anthropic",
        "claude-sonnet-5",
        SYSTEM,
        TOOLS,
        TASK,
        (*cause(project := Project("tallyho")), *mending(project), *zones(project), *closing(project)),
    )


def read(project: Project, path: str, first: int = 1, last: int | None = None) -> Call:
    arguments = {"file_path": path, **({"range": f"{first}-{last}"} if last else {})}
    return Call("Read", arguments, project.read(path, first, last))


def grep(project: Project, pattern: str, under: str = "") -> Call:
    return Call("Grep", {"pattern": pattern, "path": under or "."}, project.grep(pattern, under))


def edit(project: Project, path: str, old: str, new: str) -> Call:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return Call("Edit", arguments, project.edit(path, old, new))


def bash(command: str, about: str, result: str, failed: bool = False) -> Call:
    return Call("Bash", {"command": command, "description": about}, result, failed)


def suite(names: Sequence[str], failed: dict[str, str], seconds: float, selected: str = "") -> Call:
    command = f"python -m pytest -v {selected}".strip()
    return bash(command, "Run the tests", bulk.tests("tallyho", names, failed, seconds), bool(failed))


def one(says: str, *calls: Call, note: str = "") -> Step:
    return Step(says, calls, note)


def cause(project: Project) -> list[Step]:
    """Turns 1 to 12: from the report to the commit that broke it, and what hangs on it."""
    return [*report(project), *surroundings(project)]


def report(project: Project) -> list[Step]:
    """Turns 1 to 7: the report reproduced, and the commit behind it."""
    history = "\n".join(
        f"{bulk.seeded(words).randrange(16**7):07x} {words}"
        for words in (
            "Release 2.3.1", "Do not spin while the store is locked (#212)", "Bump time-machine to 2.14", "Release 2.3.0",
            "Make up for missed runs once (#198)", "Resolve local times in one place (#198)", "Use the index in due() (#201)",
            "Say which zone in the log line", "Release 2.2.0", "Jobs have a zone (#183)", "Read old files as UTC",
            "docs: what happens when clocks change", "Refuse */0 when parsing (#171)", "Release 2.1.4",
        )
    )
    instants = ("2026-11-01T03:15", "2026-11-01T04:15", "2026-11-01T05:15", "2026-11-01T07:15", "2026-11-01T08:15")
    return [
        one(
            "I'll get an overview of the repository and its recent history first.",
            Call("Glob", {"pattern": "**/*"}, project.listing()),
            bash("git log --oneline -20", "Recent commits", history),
        ),
        one(
            "The report is about local times that come twice. I'll read what the documentation promises and the code that "
            "computes the next run.",
            read(project, "docs/recurring.md"),
            read(project, SCHEDULE),
        ),
        one("`_resolve` never looks at `fold`. Next the parser, which knows whether the hour is `*`.", read(project, "src/tallyho/cron.py")),
        one(
            "The parser sets `any_hour`, so somebody meant to use it. Who does?",
            grep(project, "any_hour|any_day|any_weekday"),
            grep(project, r"fold\b|_resolve|_gap_end"),
        ),
        one(
            "Nothing reads `any_hour`. Let me reproduce the report before I trust that.",
            bash(REPRODUCE, "Next runs around the change", "\n".join(f"{moment}:00+00:00" for moment in (*instants, "2026-11-01T09:15"))),
        ),
        one(
            "Reproduced: 06:15Z is missing, as in the issue. I want the commit that dropped the use of `any_hour`.",
            bash(
                "git log --oneline -S any_hour -- src/tallyho",
                "Commits that touch any_hour",
                "8c1f0e4 Resolve local times in one place (#198)\nd07a9b2 Jobs have a zone (#183)",
            ),
        ),
        one(
            "8c1f0e4 is between 2.2.0 and 2.3.0, which fits the report. What did it change?",
            bash("git show 8c1f0e4", "Show the commit", text("tallyho-commit")),
        ),
    ]


def surroundings(project: Project) -> list[Step]:
    """Turns 8 to 12: tests, runner, store and documents around the fault."""
    return [
        one(
            "There it is: the loop over both folds went away with the refactoring. Before I put it back I'll see what the tests "
            "cover, and whether the runner or the stores depend on the order of moments.",
            read(project, TESTS),
            read(project, "src/tallyho/runner.py"),
        ),
        one(
            "The runner passes `max(due, now)`, both aware, so a second 01:15 is later than the first. The store compares text; "
            "I'll check that it is always UTC text.",
            read(project, "src/tallyho/store.py"),
        ),
        one(
            "`_text` converts to UTC first, so text order is time order. Now the state of the suite before I touch anything.",
            suite(NAMES, {}, 1.84),
            bash("git status --short", "Is the checkout clean?", ""),
        ),
        one(
            "All pass, so the fault is untested: no zone test has an hourly job. The runner tests use a clock of their own; I'll look at how, for a test "
            "that goes through the runner too.",
            read(project, "tests/test_runner.py"),
        ),
        one(
            "One more thing to settle before writing tests: how users are told to write expressions with steps, because "
            "`*/2` also sets `any_hour`.",
            grep(project, r"\*/|any_hour"),
            read(project, "README.md"),
        ),
    ]


def mending(project: Project) -> list[Step]:
    """Turns 13 to 18: a failing test, the repair, and a question answered by the person."""
    trace = (
        "    def test_every_hour_runs_in_both_hours_when_clocks_go_back():\n"
        '        found = upcoming(Cron.parse("15 * * * *"), at(2026, 11, 1, 5, 0), "America/New_York", 3)\n'
        ">       assert found == [at(2026, 11, 1, 5, 15), at(2026, 11, 1, 6, 15), at(2026, 11, 1, 7, 15)]\n"
        "E       AssertionError: assert [datetime(2026, 11, 1, 5, 15, tzinfo=UTC), datetime(2026, 11, 1, 7, 15, tzinfo=UTC),\n"
        "E         datetime(2026, 11, 1, 8, 15, tzinfo=UTC)] == [... 5, 15 ..., ... 6, 15 ..., ... 7, 15 ...]\n"
        "E         At index 1 diff: datetime(2026, 11, 1, 7, 15) != datetime(2026, 11, 1, 6, 15)\n\n"
        f"{TESTS}:62: AssertionError"
    )
    last = "    assert found == [at(2026, 8, 10, 12, 0), at(2026, 8, 11, 12, 0), at(2026, 8, 12, 12, 0)]\n"
    return [
        one("Two tests: the report itself, and the documented other half, that a fixed hour runs once.", edit(project, TESTS, last, last + FAILING)),
        one("They should fail and pass respectively.", suite([*NAMES[18:27], BOTH, ONCE], {BOTH: trace}, 0.41, TESTS)),
        one(
            "As expected. I'll give `_resolve` the fold and let `_moments` ask for both where the hour is free. `_resolve` stays "
            "the one place for gaps, which is what 8c1f0e4 was after.",
            edit(
                project,
                SCHEDULE,
                "        found.add(_resolve(naive, zone))\n",
                "        for fold in (0, 1) if cron.any_hour else (0,):\n            found.add(_resolve(naive, zone, fold))\n",
            ),
            edit(
                project,
                SCHEDULE,
                "def _resolve(naive: datetime, zone: ZoneInfo) -> datetime:\n"
                '    """A local wall time as a moment in UTC. A time in a gap becomes the end of the gap."""\n'
                "    aware = naive.replace(tzinfo=zone)\n",
                "def _resolve(naive: datetime, zone: ZoneInfo, fold: int) -> datetime:\n"
                '    """A local wall time as a moment in UTC. A time in a gap becomes the end of the gap, whatever the fold."""\n'
                "    aware = naive.replace(tzinfo=zone, fold=fold)\n",
            ),
        ),
        one("Whole suite again.", suite([*NAMES, BOTH, ONCE], {}, 1.91)),
        one(
            "Green. A step like `0 */2 * * *` now runs twice in a repeated hour, because `any_hour` is true for it too. The "
            "documentation only speaks of `*`. I'll look at how the field is set before I decide.",
            read(project, "src/tallyho/cron.py", 60, 82),
            note="About */2: every second hour is not every hour. Please keep it to a plain * (with or without /1), the docs stay as "
            "they are. And don't rename any_hour, a plugin of ours reads it.",
        ),
        one(
            "Understood: `*` and `*/1` only, the name stays.",
            edit(project, "src/tallyho/cron.py", '        any_hour=parts[1].startswith("*"),\n', '        any_hour=parts[1] in ("*", "*/1"),\n'),
        ),
    ]


def zones(project: Project) -> list[Step]:
    """Turns 19 to 27: half-hour changes and a year in every zone."""
    return [*year(project), *half_hours(project)]


def year(project: Project) -> list[Step]:
    """Turns 19 to 22: a year in every zone, and an hour that seems lost."""
    rng = bulk.seeded("zones")
    changes = [
        (zone, year, f"{year}-{month:02d}-{rng.randrange(1, 8):02d}", hour, f"{before:+.1f}", f"{after:+.1f}")
        for zone, spring, autumn, hour, base, step in (
            ("Europe/Lisbon", 3, 10, "01:00", 0.0, 1.0), ("Europe/Berlin", 3, 10, "02:00", 1.0, 1.0),
            ("America/New_York", 3, 11, "02:00", -5.0, 1.0), ("Australia/Lord_Howe", 10, 4, "02:00", 10.5, 0.5),
        )
        for year in (2024, 2025, 2026, 2027, 2028)
        for month, before, after in ((spring, base, base + step), (autumn, base + step, base))
    ]
    wanted = dict.fromkeys(ZONES, 8760)
    counted = {**wanted, "Australia/Lord_Howe": 8759}
    return [
        one(
            "Now the other zones. First which changes there are at all, from the zone data itself.",
            bash("python scripts/transitions.py --years 2024-2028", "Clock changes of our zones",
                 bulk.table(("zone", "year", "date", "local", "before", "after"), changes)),
        ),
        one(
            "Lord Howe is the odd one: half an hour, at 02:00. There is a soak script that steps through a year; I'll read it "
            "before I run it.",
            read(project, "scripts/soak.py"),
        ),
        one(
            "It counts runs per zone. In a year without a change of offset at its ends each hourly job must run 8,760 times.",
            bash("python scripts/soak.py --minutes 5", "A year in every zone", soaked(counted)),
        ),
        one(
            "8,759 in Lord Howe: one hour is lost there. Which one? I'll list that zone's runs around both changes.",
            bash("python scripts/soak.py --minutes 5 --zone Australia/Lord_Howe --around 2026-04-05,2026-10-04 --verbose",
                 "Runs around the changes", around()),
        ),
    ]


def half_hours(project: Project) -> list[Step]:
    """Turns 23 to 27: what must hold at a change of half an hour."""
    trace = "\n".join([
        "    def test_half_hour_change(minute):",
        ">       assert gaps[0] == timedelta(minutes=30 if minute >= 30 else 90)",
        "E       AssertionError: assert datetime.timedelta(seconds=3600) == datetime.timedelta(seconds=5400)",
        f"\n{TESTS}:81: AssertionError",
    ])
    return [
        one(
            "April is right: 01:15 comes once, 01:30 to 02:00 twice. In October 02:15 falls into the half-hour gap and is moved "
            "to 02:00 old time, which is 02:30 new time, so 15:30Z; but the 03:15 run is listed at 16:15Z, 45 minutes later, and "
            "that is right as well. So the script's own expectation may be off. I'll write down what must hold.",
            edit(project, TESTS, "from datetime import datetime, timezone\n", "from datetime import datetime, timedelta, timezone\n"),
            edit(project, TESTS, FAILING.splitlines()[-1] + "\n", FAILING.splitlines()[-1] + "\n" + HALF_HOUR),
        ),
        one("Run just these.", suite(HALVES, {HALVES[0]: trace}, 0.22, f"{TESTS} -k half_hour")),
        one(
            "My test is wrong, not the code: `upcoming` is strictly after its start, so at minute 0 the run at 14:00Z itself is left "
            "out and the gap of 90 minutes behind it is never seen. I'll begin a minute earlier.",
            edit(project, TESTS, "    start = at(2026, 4, 4, 14, 0)\n", "    start = at(2026, 4, 4, 13, 59)\n"),
            suite(HALVES, {}, 0.19, f"{TESTS} -k half_hour"),
        ),
        one(
            "And the soak script: it starts on 1 January UTC, which is 11:00 in Lord Howe, and a year later the zone has been "
            "through one short and one long hour. The run in the gap is merged with the one at its end, so 8,759 is correct.",
            bash("python - <<'EOF'\nfrom tallyho import Cron\nfrom tallyho.schedule import upcoming\n...\nEOF", "Runs at the gap",
                 "2026-10-03T14:45:00+00:00  01:15\n2026-10-03T15:30:00+00:00  02:15 -> 02:30 (gap)\n2026-10-03T16:15:00+00:00  03:15"),
            note="Fine. Then make the script say what it expects per zone and exit 1 when it differs, so that we can run it in CI.",
        ),
        one(
            "I'll add the expectation and the exit status.",
            edit(project, "scripts/soak.py", 'JOBS = {"nightly"', 'HOURLY = dict.fromkeys(ZONES, 8760) | {"Australia/Lord_Howe": 8759}\nJOBS = {"nightly"'),
            edit(
                project,
                "scripts/soak.py",
                "        print(zone, dict(counts))\n",
                "        print(zone, dict(counts))\n        wrong += counts[\"hourly\"] != HOURLY[zone]\n    raise SystemExit(1 if wrong else 0)\n",
            ),
            edit(project, "scripts/soak.py", "    for zone in ZONES:\n        counts, _", "    wrong = 0\n    for zone in ZONES:\n        counts, _"),
        ),
    ]


def soaked(hourly: dict[str, int]) -> str:
    """What the soak script prints."""
    told = [
        (zone, {"nightly": 365, "half-past-one": 365, "hourly": count, "weekdays": 261}) for zone, count in hourly.items()
    ]
    steps = [
        f"  {number:2d}/12  {zone:22s} {number * 730:5d} h simulated, {number * 861} ticks with work, nothing late, nothing twice"
        for zone, _ in told
        for number in range(1, 13)
    ]
    return "\n".join([*steps, *(f"{zone} {counts}" for zone, counts in told)])


def around() -> str:
    """The runs of one zone around its two changes."""
    lines = []
    for day, offset, hours in (("2026-04-04", 11.0, range(8, 20)), ("2026-10-03", 10.5, range(8, 20))):
        for hour in hours:
            for job, minute in (("hourly", 15), ("half-past-one", 30), ("nightly", 30)):
                if job == "hourly" or hour == 14:
                    late = "late=False claim=ok"
                    lines.append(f"{day}T{hour:02d}:{minute:02d}:00+00:00 {job:14s} zone offset {offset:+.1f} {late} next_run updated")
    return "\n".join(lines)


def closing(project: Project) -> list[Step]:
    """Turns 28 to 34: one test through the runner, documents, a last look."""
    runner_test = '''

def test_an_hourly_job_runs_in_both_hours_when_clocks_go_back(store):
    clock, ran = Clock(2026, 11, 1, 4, 50), []
    runner = Runner(store, {"import": ran.append}, clock)
    runner.schedule(Job("import", "15 * * * *", "America/New_York"))
    for _ in range(4):
        clock.forward(minutes=30)
        runner.tick()
    assert [context.due.hour for context in ran] == [5, 6]
'''
    names = [*NAMES, BOTH, ONCE, *HALVES]
    through = [f"tests/test_runner.py::test_an_hourly_job_runs_in_both_hours_when_clocks_go_back[{s}]" for s in ("memory", "sqlite")]
    last = "    assert store.get(\"report\").next_run == datetime(2026, 5, 5, 10, 0, tzinfo=UTC)\n"
    return [
        one("It should exit with 0 now.", bash("python scripts/soak.py --minutes 5; echo exit $?", "A year in every zone",
            soaked({zone: 8759 if zone == "Australia/Lord_Howe" else 8760 for zone in ZONES}) + "\nexit 0")),
        one("The report came from a running system, so one test through the runner and both stores.",
            edit(project, "tests/test_runner.py", last, last + runner_test)),
        one("Everything once more.", suite([*names, *through], {}, 2.37)),
        one(
            "Green. The documentation already says what now holds; only the case of the gap in a half-hour zone is missing.",
            edit(project, "docs/recurring.md", "  first moment after it: `30 2 * * *` runs at 03:00 that day.\n",
                 "  first moment after it: `30 2 * * *` runs at 03:00 that day. Where clocks move by half an hour, at the half.\n"),
            edit(project, "CHANGELOG.md", "# Changes\n", "# Changes\n\n## Unreleased\n- Hourly jobs run in both hours when clocks go back "
                 "again; lost in 2.3.0 (#231).\n- `scripts/soak.py` exits with 1 when a zone loses a run.\n"),
        ),
        one("Linter and types, as in CI.",
            bash("ruff check . && mypy src", "Lint", "All checks passed!\nSuccess: no issues found in 6 source files"),
            bash("git diff --stat", "What changed", " CHANGELOG.md            |  4 ++++\n docs/recurring.md       |  2 +-\n scripts/soak.py         |"
                 "  5 +++++\n src/tallyho/cron.py     |  2 +-\n src/tallyho/schedule.py |  9 +++++----\n tests/test_runner.py    | 10 ++++++++++\n"
                 " tests/test_schedule.py  | 22 +++++++++++++++++++++-\n 7 files changed, 47 insertions(+), 7 deletions(-)")),
        one("A last look at the changed module as a whole.", read(project, SCHEDULE)),
        one("And at the tests I leave behind.", read(project, TESTS, 56), note="Looks good, thank you. Leave it uncommitted, I'll do it."),
    ]
