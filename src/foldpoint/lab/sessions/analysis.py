"""A long data analysis, why rides fell in autumn: 62 turns on Anthropic messages."""
# fmt: off
# ruff: noqa: E501 - a story reads best one step after the other, its words unbroken

from collections.abc import Callable, Iterator
from datetime import date, timedelta

from . import bulk
from .rides import AREAS, BRIDGE_CLOSED, FIRMWARE, FIRST, Day, grouped, has_new_lock, listed, season, week
from .story import Call, Step, Story, Tool

SYSTEM = """You are a data analyst at the operator of a city's bike share. You work with a warehouse and a notebook.

- Work in small steps: one question, one query, one sentence about what it shows.
- A cause is only a cause when something that does not have it behaves otherwise. Always look for the comparison group.
- Say how many rows a figure stands on. Round to what the data can carry.
- Keep a list of the claims you would put in the report, each with the query it rests on.
- Prefer `query`; use `python` for what SQL is clumsy at. Nothing you run may write to the warehouse.

Tables: station_days(station, area, day, rides, members, failed_unlocks, empty_minutes, ride_minutes, rain_mm),
stations(station, area, docks, lock_model, opened), unlock_attempts(at, station, dock, bike, result, code),
work_orders(id, station, opened, closed, kind, note), closures(id, what, from_day, to_day)."""
TASK = """Rides in September and October are 19 % below last year and the board wants to know why before Thursday. Operations says it
was the rain. Find out what it was, how much each cause took, and what we can still do this year. I'll need a page with the figures
and the queries behind them."""
TOOLS = (
    Tool("query", "Runs a read-only SQL statement against the warehouse; at most 200 rows come back.", {"sql": "Statement", "why": "Question"}),
    Tool("python", "Runs a cell in the notebook; what it prints comes back.", {"code": "The cell", "why": "Question"}),
    Tool("note", "Keeps a claim for the report.", {"claim": "One sentence", "query": "What it rests on"}),
    Tool("open_document", "Reads a document of the operations share.", {"path": "Path"}),
)
Pick = Callable[[Day], bool]


def story() -> Story:
    days = season()
    steps = (*overview(days), *rain(days), *bridge(days), *locks(days), *locks_closer(days), *sizes(days), *report(days))
    return Story("rides", "data analysis, why rides fell", "anthropic", "claude-opus-4-6", SYSTEM, TOOLS, TASK, steps)


def asked(days: list[Day], says: str, where: str, pick: Pick, by: str, key: Callable[[Day], str], note: str = "") -> Step:
    """A grouped query over the days that `pick` takes."""
    sql = (
        f"select {by} as key, count(*) station_days, sum(rides) rides, avg(rides), sum(members) / sum(rides), sum(failed_unlocks), "
        f"100.0 * sum(failed_unlocks) / sum(rides + failed_unlocks), avg(empty_minutes), avg(ride_minutes) from station_days where {where} group by 1 order by 1"
    )
    return Step(says, (Call("query", {"sql": sql, "why": says.split(".")[0]}, grouped(filter(pick, days), key)),), note)


def looked(days: list[Day], says: str, where: str, pick: Pick, most: int = 60) -> Step:
    """The rows themselves."""
    rows = [day for day in days if pick(day)][:most]
    return Step(says, (Call("query", {"sql": f"select * from station_days where {where} limit {most}", "why": says}, listed(rows)),))


def kept(says: str, claim: str, query: str, *more: Call) -> Step:
    return Step(says, (Call("note", {"claim": claim, "query": query}, "kept"), *more))


def area(day: Day) -> str:
    return day.area


def station(day: Day) -> str:
    return day.station


def since(first: date) -> Pick:
    return lambda day: day.day >= first


def between(first: date, last: date) -> Pick:
    return lambda day: first <= day.day <= last


def around(name: str, first: date, last: date) -> Pick:
    return lambda day: day.station == name and first <= day.day <= last


def wet_in(name: str) -> Pick:
    return lambda day: day.area == name and wet(day)


def wet(day: Day) -> bool:
    return day.rain > 1.5


def band(day: Day) -> str:
    return "0 dry" if day.rain < 0.2 else "1 up to 1.5 mm" if day.rain <= 1.5 else "2 up to 4 mm" if day.rain <= 4 else "3 over 4 mm"


def new_lock(day: Day) -> bool:
    return has_new_lock(day.station)


def overview(days: list[Day]) -> Iterator[Step]:
    """Turns 1 to 9."""
    yield asked(days, "First the season as a whole, by week, to see when it begins.", "true", lambda day: True, "isoweek(day)", week)
    yield asked(days, "A slow decline, then a step in week 38. Is it everywhere? By area, before and after.", "day < '2026-09-14'",
                lambda day: day.day < BRIDGE_CLOSED, "area", area)
    yield asked(days, "And the same from 14 September on.", "day >= '2026-09-14'", since(BRIDGE_CLOSED), "area", area)
    yield asked(days, "Riverside lost most by far. By station, before.", "day < '2026-09-14'", lambda day: day.day < BRIDGE_CLOSED, "station", station)
    yield asked(days, "By station, after.", "day >= '2026-09-14'", since(BRIDGE_CLOSED), "station", station,
                note="Please leave Quarry out of any ranking, half of its docks were taken out for the tram works in August.")
    yield looked(days, "Noted, Quarry stays out. Two Harbour stations fell like Riverside does. I want to see raw rows before I go on: Ferry Pier around the step.",
                 "station = 'Ferry Pier' and day between '2026-08-25' and '2026-10-10'",
                 lambda day: day.station == "Ferry Pier" and date(2026, 8, 25) <= day.day <= date(2026, 10, 10))
    yield asked(days, "The step is on Monday the 14th, overnight. Weekdays and weekends alike?", "area = 'Riverside'", lambda day: day.area == "Riverside",
                "isoweek(day) || case when weekend then ' we' else ' wd' end", lambda day: week(day) + (" we" if day.day.weekday() >= 5 else " wd"))
    closures = [("c-0117", "Quarry: docks 9-18 removed, tram works", "2026-08-03", "2026-12-01"), ("c-0121", "Lift bridge closed to all traffic, bearing", "2026-09-14", "open"),
                ("c-0123", "Old Town: street festival", "2026-09-18", "2026-09-20"), ("c-0126", "Hillside: water main", "2026-10-02", "2026-10-06")]
    yield Step("Alike. What does the list of closures say about that day?", (Call("query", {"sql": "select * from closures where to_day >= '2026-07-01'", "why": "What happened on the 14th"},
               bulk.table(("id", "what", "from_day", "to_day"), closures)),))
    yield kept("The lift bridge. That is a candidate with a sharp date; rain is the other one. I'll keep the first claim and test rain next, because operations believes in it.",
               "The fall has a step on 14 September, the day the lift bridge closed; before it rides declined by about 1 % a week.", "rides by isoweek; by area before/after",
               Call("open_document", {"path": "operations/2026-09-lift-bridge.md"}, bridge_paper()))


def bridge_paper() -> str:
    detours = [(f"{name}", f"{meters:,} m", f"+{minutes} min") for name, meters, minutes in (
        ("Lift Bridge East - Ferry Pier", 3150, 11), ("Lift Bridge West - Fish Market", 2890, 10), ("Willow Bank - Ferry Pier", 2400, 9), ("Rowing Club - Customs House", 2210, 8),
        ("Mill Island - Fish Market", 1980, 7), ("Weir Lane - Cathedral", 640, 2), ("Library - Ferry Pier", 410, 1))]
    return (
        "# Lift bridge: closed from 14 September\n\nA bearing of the east leaf is cracked. The city expects the new one in the second half of November and opens "
        "the bridge a week after. Pedestrians and bikes use the railway bridge; the ramp is closed from 22:00 to 05:00.\n\n## What we do\n- Signs at Lift Bridge East and West.\n"
        "- No rebalancing across the river between 07:00 and 09:00.\n- Free time raised from 30 to 40 minutes on trips that start in Riverside: *proposed, not decided*.\n\n"
        "## Detours\n" + bulk.table(("trip", "detour", "time"), detours) + "\n\n## Contact\nNetwork planning, desk 4. Questions about signs: the depot."
    )


def rain(days: list[Day]) -> Iterator[Step]:
    """Turns 10 to 19: rain explains days, not the step."""
    for number, (label, first, last) in enumerate((("July", date(2026, 7, 1), date(2026, 7, 31)), ("August", date(2026, 8, 1), date(2026, 8, 31)),
                                                   ("September", date(2026, 9, 1), date(2026, 9, 30)), ("October", date(2026, 10, 1), date(2026, 10, 31)))):
        says = f"Rides by how wet the day was, {label} only." if number else "How much does rain take at all? Rides by how wet the day was, July first, when nothing else happened."
        yield asked(days, says, f"month(day) = {first.month}", between(first, last), "rain_band || ' ' || area", lambda day: f"{band(day)} {day.area}")
    yield Step("Rain takes its share on wet days in every month. Was this autumn wetter than last? Daily sums from the weather table.", (Call("python",
               {"code": "w = weather.groupby(['year', 'week']).agg(mm=('mm', 'sum'), wet=('mm', lambda s: (s > 1.5).sum()))\nprint(w.unstack('year'))", "why": "Is it wetter than last year"},
               bulk.table(("week", "mm_2025", "mm_2026", "wet_days_2025", "wet_days_2026"), wetness(days))),))
    yield asked(days, "About as many wet days as last year, so rain can't make a difference of 19 %. Dry days only, then: does the step remain?", "rain_mm < 0.2",
                lambda day: day.rain < 0.2, "isoweek(day) || ' ' || riverside", lambda day: f"{week(day)} {'riverside' if day.area == 'Riverside' else 'other'}")
    yield asked(days, "It does, at full height, on dry days in Riverside alone. Wet days for comparison.", "rain_mm > 1.5", wet,
                "isoweek(day) || ' ' || riverside", lambda day: f"{week(day)} {'riverside' if day.area == 'Riverside' else 'other'}")
    yield Step("On wet days something else falls away from October on, outside Riverside. I'll fit a plain model to put numbers to it.", (Call("python",
               {"code": "m = smf.poisson('rides ~ C(station) + C(dow) + week + rain + bridge + wet:late', d).fit()\nprint(m.summary())", "why": "Size of each effect"}, summary()),),
               note="Can you check the unlock failures as well? The call centre says people complain that bikes won't unlock.")
    yield asked(days, "Yes, and it may be the thing that shows on wet days. Failed unlocks by week, wet and dry days apart.", "true", lambda day: True,
                "isoweek(day) || wet", lambda day: week(day) + (" wet" if wet(day) else " dry"))
    yield kept("There it is: from week 40 on failures on wet days are many times what they were, on dry days nothing changed.",
               "Rain is not new: as many wet days as in 2025, and the step is there on dry days.", "wet days 2025/2026; dry days by week", Call("note", {
                   "claim": "From 28 September failed unlocks on wet days rose about eightfold, on dry days not at all.", "query": "failed_unlocks by isoweek, wet/dry"}, "kept"))


def wetness(days: list[Day]) -> list[tuple[object, ...]]:
    first = {day.day: day.rain for day in days if day.station == "Library"}
    rng, rows = bulk.seeded("last year"), list[tuple[object, ...]]()
    for at in range(0, len(first) - 6, 7):
        sums = [first[FIRST + timedelta(days=at + k)] for k in range(7)]
        other = [max(0.0, value * rng.uniform(0.5, 1.5)) for value in sums]
        rows.append((at // 7 + 27, sum(other), sum(sums), sum(mm > 1.5 for mm in other), sum(mm > 1.5 for mm in sums)))
    return rows


def summary() -> str:
    rng = bulk.seeded("model")
    rows = [(name, value, abs(value) * rng.uniform(0.02, 0.09), value / max(0.004, abs(value) * 0.05), "0.000") for name, value in (
        ("Intercept", 4.61), ("C(dow)[T.5]", -0.24), ("C(dow)[T.6]", -0.26), ("week", -0.0099), ("rain", -0.081), ("bridge", -0.544), ("wet:late", -0.227), ("members", 0.031))]
    rows += [(f"C(station)[T.{at}]", rng.gauss(0, 0.4), 0.011, rng.gauss(0, 30), f"{rng.random() / 50:.3f}") for at in range(1, 36)]
    return "Poisson regression, 4,428 observations, pseudo R2 0.71, converged in 7 iterations\n\n" + bulk.table(("term", "coef", "std err", "z", "P>|z|"), rows)


def bridge(days: list[Day]) -> Iterator[Step]:
    """Turns 20 to 28: the bridge, station by station."""
    first = True
    for name in ("Lift Bridge East", "Lift Bridge West", "Willow Bank", "Mill Island", "Fish Market"):
        says = f"Back to the bridge before the locks. Each station that may depend on it, four weeks on both sides: {name}." if first else f"{name}, the same."
        first = False
        yield looked(days, says, f"station = '{name}' and day between '2026-08-17' and '2026-10-11'",
                     around(name, date(2026, 8, 17), date(2026, 10, 11)))
    yield asked(days, "All of them fall by about two fifths on the same day. Now stations across town with the same rain, as the comparison group: University and Station, by week.",
                "area in ('University', 'Station')", lambda day: day.area in ("University", "Station"), "isoweek(day) || area", lambda day: f"{week(day)} {day.area}")
    yield asked(days, "No step there. The rest of Harbour, without Ferry Pier and Fish Market?", "area = 'Harbour' and station not in (...)",
                lambda day: day.area == "Harbour" and day.station not in ("Ferry Pier", "Fish Market"), "isoweek(day) || station", lambda day: f"{day.station} {week(day)[5:]}")
    trips = [(start, end, before, after, 100.0 * after / before - 100) for start, end, before, after in (
        ("Lift Bridge East", "Ferry Pier", 2911, 402), ("Ferry Pier", "Lift Bridge East", 2804, 377), ("Lift Bridge West", "Fish Market", 2377, 391), ("Fish Market", "Lift Bridge West", 2290, 365),
        ("Willow Bank", "Ferry Pier", 1830, 311), ("Mill Island", "Fish Market", 1641, 402), ("Rowing Club", "Customs House", 1212, 580), ("Weir Lane", "Cathedral", 1188, 1069),
        ("Weir Lane", "Mill Island", 1104, 1090), ("Library", "Ferry Pier", 990, 904), ("Rowing Club", "Willow Bank", 871, 868), ("Canteen", "Weir Lane", 744, 731))]
    yield Step("None either. So the loss sits where trips cross the river. Trips by pair of stations, before and after.", (Call("query", {
               "sql": "select start_station, end_station, count(*) filter (where day < '2026-09-14'), count(*) filter (where day >= '2026-09-14') from trips group by 1, 2 order by 3 desc limit 12",
               "why": "Do crossings make up the loss"}, bulk.table(("start", "end", "before", "after", "change_pct"), trips)),))
    yield kept("Crossings fell by 80 to 86 %, trips on one side stayed. That is the bridge and nothing else.",
               "Trips across the river fell by 80 to 86 %, trips that stay on one bank did not fall: the bridge accounts for the step.", "trips by pair, before/after")


def locks(days: list[Day]) -> Iterator[Step]:
    """Turns 29 to 40: which locks, since when."""
    late: Pick = since(FIRMWARE)
    yield asked(days, "Now the locks. Failed unlocks by station since 28 September, wet days only.", "day >= '2026-09-28' and rain_mm > 1.5", lambda day: late(day) and wet(day), "station", station)
    yield Step("A third of the stations fail, the others don't; not by area. What do the failing ones have in common?", (Call("query", {
               "sql": "select station, area, docks, lock_model, firmware, opened from stations order by lock_model, station", "why": "What failing stations share"},
               bulk.table(("station", "area", "docks", "lock_model", "firmware", "opened"), inventory(days))),))
    yield asked(days, "Exactly those with lock model L4. Wet and dry, before and after, by model.", "true", lambda day: True, "lock_model || period || wet",
                lambda day: f"{'L4' if new_lock(day) else 'L3'} {'after' if late(day) else 'before'} {'wet' if wet(day) else 'dry'}")
    yield Step("L4 after 28 September on wet days: a quarter of the attempts fail, against 1 % for everything else. What happened to L4 that day?", (Call("open_document",
               {"path": "operations/firmware/l4-2.8.0.md"}, firmware_paper()),))
    for at, code in enumerate(("E31", "E07")):
        says = "2.8.0 was rolled out on exactly that day and changed the latch current. Single attempts, by code: E31 first." if not at else "E31 comes in bursts on one dock while it is wet. And E07, which the paper calls harmless?"
        yield Step(says, (Call("query", {"sql": f"select * from unlock_attempts where code = '{code}' order by at limit 70", "why": f"When {code} comes"}, attempts(code)),))
    for name in ("Ferry Pier", "Town Hall", "Mill Island", "Canteen"):
        yield looked(days, f"Does one station show it by day? {name}, with the rain beside it.", f"station = '{name}' and day >= '2026-09-14'",
                     around(name, date(2026, 9, 14), date(2026, 12, 31)))
    yield Step("Each wet day, and only those. Did anyone report it? Work orders of kind lock since September.", (Call("query", {
               "sql": "select * from work_orders where kind = 'lock' and opened >= '2026-09-01' order by opened", "why": "Was it known"}, work_orders()),),
               note="I asked the workshop: they swapped 41 latches in October and found nothing wrong with them. They didn't know about 2.8.0.")
    yield kept("That fits: the latches are fine, the current isn't. I'll keep the claim with its comparison group.",
               "Lock model L4 fails on wet days since firmware 2.8.0 of 28 September: 24 % of the attempts, against 1 % for L3 on the same days and for L4 before.", "failed_unlocks by model, period, wet")


def inventory(days: list[Day]) -> list[tuple[object, ...]]:
    rng, seen = bulk.seeded("inventory"), dict.fromkeys((day.station, day.area) for day in days)
    return [
        (name, where, rng.choice([12, 16, 18, 24]), "L4" if has_new_lock(name) else "L3", "2.8.0" if has_new_lock(name) else "1.19.3", f"20{rng.randrange(17, 25)}-0{rng.randrange(3, 10)}-01")
        for name, where in sorted(seen, key=lambda one: (not has_new_lock(one[0]), one))
    ]


def firmware_paper() -> str:
    return (
        "# L4 2.8.0\n\nRolled out 28 September 2026, 02:00 to 04:30, all 12 L4 stations.\n\n## Changes\n- Latch current reduced from 900 to 640 mA, to save the solar docks' batteries in winter.\n"
        "- Retry after 400 ms instead of 250 ms.\n- New code E31: latch did not reach its end position. Counted as a failed unlock.\n- E07 (card read twice) is no longer reported as a failure.\n\n"
        "## Tested\nBench, 20 cycles at 21 degrees, dry. Cold chamber at -5 degrees, dry. Not tested: rain.\n\n## Going back\n2.7.2 can be installed remotely, 4 minutes a station, docks stay usable. "
        "The battery forecast of the solar docks (Vineyard, Reservoir) goes from 11 to 8 weeks of margin.\n\n## Contact\nFirmware, desk 11."
    )


def attempts(code: str) -> str:
    rng, rows = bulk.seeded(code), []
    for at in range(70):
        place = rng.choice(("Ferry Pier", "Town Hall", "Mill Island", "Canteen", "Bus Terminal", "Reservoir"))
        rows.append((f"2026-10-{rng.randrange(1, 29):02d} {rng.randrange(6, 23):02d}:{at % 60:02d}:{rng.randrange(60):02d}", place, rng.randrange(1, 24), f"b{rng.randrange(1000, 4200)}",
                     "failed" if code == "E31" else "ok", code, rng.randrange(380, 900), round(rng.uniform(1.6, 9.0) if code == "E31" else rng.uniform(0, 6), 1)))
    return bulk.table(("at", "station", "dock", "bike", "result", "code", "ms", "rain_mm"), sorted(rows))


def work_orders() -> str:
    rng = bulk.seeded("orders")
    rows = [(f"w-{7100 + at}", rng.choice(("Ferry Pier", "Town Hall", "Mill Island", "Canteen", "Vineyard", "Rope Yard")), f"2026-{9 + at // 22:02d}-{at % 22 + 3:02d}", "lock",
             rng.choice(("latch swapped, old one tests fine", "dock reset, works", "customer says bike locked, no fault found", "cleaned", "latch swapped"))) for at in range(44)]
    return bulk.table(("id", "station", "opened", "kind", "note"), rows)


def locks_closer(days: list[Day]) -> Iterator[Step]:
    """Turns 41 to 48: what a failed unlock costs."""
    for name in AREAS:
        yield asked(days, f"What does a failed unlock cost in rides? {name}: L4 and L3 stations on wet days, before and after.", f"area = '{name}' and rain_mm > 1.5",
                    wet_in(name), "lock_model || station || period",
                    lambda day: f"{'L4' if new_lock(day) else 'L3'} {day.station} {'after' if day.day >= FIRMWARE else 'before'}")
    outcome = [(tries, people, round(share, 2), note) for tries, people, share, note in (
        (1, 31_204, 0.34, "tries another bike at once"), (2, 9_877, 0.52, "leaves the station"), (3, 4_021, 0.71, "leaves the station"), (4, 1_204, 0.83, "calls the hotline"))]
    yield Step("In every area the L4 stations lose on wet days and L3 ones don't. What do people do after a failure?", (Call("python", {
               "code": "print(sessions_after_failure(window='10min').groupby('tries').agg(...))", "why": "Does a failed unlock lose the ride"},
               bulk.table(("failures_in_a_row", "people", "share_without_ride", "mostly"), outcome)),))
    yield kept("Two of three failures end without a ride within ten minutes once they repeat. Good enough to price it.", "A failed unlock loses 0.66 rides on average.", "sessions_after_failure, 46,306 people")


def sizes(days: list[Day]) -> Iterator[Step]:
    """Turns 49 to 55: how much each cause took."""
    rows = [(week(day), day) for day in days if day.day >= BRIDGE_CLOSED]
    weeks = sorted({name for name, _ in rows})
    bridge_loss = [sum(day.rides for name, day in rows if name == one and (day.area == "Riverside" or day.station in ("Ferry Pier", "Fish Market"))) * 0.42 / 0.58 for one in weeks]
    lock_loss = [sum(day.failed_unlocks for name, day in rows if name == one and new_lock(day)) * 0.66 for one in weeks]
    yield Step("Now the sizes. Week by week: what the bridge and the locks took, against the comparison groups.", (Call("python", {
               "code": "loss = attribution(station_days, bridge='2026-09-14', firmware='2026-09-28')\nprint(loss.by_week())", "why": "How much each cause took"},
               bulk.table(("week", "bridge", "locks", "together"), [(one, left, right, left + right) for one, left, right in zip(weeks, bridge_loss, lock_loss, strict=True)])),))
    for label, pick in (("the bridge left out", lambda day: day.area != "Riverside" and day.station not in ("Ferry Pier", "Fish Market")), ("the L4 stations left out", lambda day: not new_lock(day)),
                        ("both left out", lambda day: day.area != "Riverside" and day.station not in ("Ferry Pier", "Fish Market") and not new_lock(day))):
        yield asked(days, f"As a check, the season by week with {label}.", label, pick, "isoweek(day)", week)
    draws = [(f"{number}", 100_000 + bulk.seeded(f"d{number}").gauss(0, 2600), 14_000 + bulk.seeded(f"e{number}").gauss(0, 900)) for number in range(1, 41)]
    yield Step("With both left out only the slow decline remains. How sure are the sizes? A bootstrap over stations, forty draws shown.", (Call("python", {
               "code": "b = bootstrap(attribution, by='station', n=2000)\nprint(b.sample(40)); print(b.quantile([.05, .95]))", "why": "Interval of each size"},
               bulk.table(("draw", "bridge", "locks"), draws)),))
    yield asked(days, "One doubt left: members and casual riders may react differently. By area since the firmware.", "day >= '2026-09-28'", since(FIRMWARE), "area || wet", lambda day: f"{day.area} {'wet' if wet(day) else 'dry'}",
                note="Members matter most for the board: please give the member share of each loss.")
    yield kept("Member shares differ by less than two points between groups, so each loss is about 62 % members'.", "About 62 % of both losses are members' rides.", "member_share by area, wet/dry")


def report(days: list[Day]) -> Iterator[Step]:
    """Turns 56 to 62: what can be done, and the page."""
    forecast = [(f"2026-W{number}", rainy, 1500 * rainy, 10_400 - 120 * number, "open" if number >= 48 else "closed") for number, rainy in zip(range(45, 53), (4, 3, 5, 4, 4, 5, 3, 4), strict=True)]
    yield Step("What can still be done this year? Expected wet days and losses for the rest of it.", (Call("python", {"code": "print(forecast(rest_of_year))", "why": "What a rollback would save"},
               bulk.table(("week", "wet_days", "lock_loss", "bridge_loss", "bridge"), forecast)),))
    yield Step("Going back to 2.7.2 saves about a thousand and a half rides each wet day. What does it cost the solar docks?", (Call("open_document", {"path": "operations/solar-docks.md"},
               "# Solar docks\n\n" + bulk.table(("station", "panel_w", "battery_wh", "margin_weeks_2.8.0", "margin_weeks_2.7.2", "last_winter_low"), [
                   (name, 60 + at % 3 * 20, 480, 11 - at % 4, 8 - at % 4, f"{31 + at * 3} %") for at, name in enumerate(("Vineyard", "Reservoir", "Chapel Hill", "Funicular", "Orchard Road"))])
               + "\n\nA dock below two weeks of margin gets its battery swapped on the regular round (every three weeks, 25 minutes)."),))
    for day in (date(2026, 10, 13), date(2026, 10, 20)):
        yield looked(days, f"A margin of five weeks is enough. For the page I'd like one wet day as an example, {day:%d %B}, all stations.", f"day = '{day}'", between(day, day))
    yield asked(days, "And the table of the causes by month for the appendix.", "true", lambda day: True, "month(day) || lock_model || riverside",
                lambda day: f"{day.day:%m} {'L4' if new_lock(day) else 'L3'} {'riverside' if day.area == 'Riverside' else 'elsewhere'}")
    claims = ["step on 14 September = lift bridge", "as many wet days as 2025", "failed unlocks eightfold on wet days since 28 September", "crossings -80 to -86 %, one bank 0 %", "L4 2.8.0: 24 % against 1 %",
              "0.66 rides a failed unlock", "62 % members in both"]
    yield Step("Let me list what I kept before writing.", (Call("python", {"code": "print(notes())", "why": "Claims for the page"}, "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))),))
    yield asked(days, "Last check: the headline figure once more from the rows themselves, by month.", "true", lambda day: True, "month(day)", lambda day: f"{day.day:%Y-%m}",
                note="Perfect. Put the rollback first, then free minutes for Riverside until the bridge opens. One page, figures in a table.")
