"""A made-up season of a bike share: what the tables of the analysis session are computed from."""
# fmt: off
# ruff: noqa: E501 - a story reads best one step after the other, its words unbroken

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date, timedelta

import msgspec

from . import bulk

DAYS = 123
FIRST = date(2026, 7, 1)
BRIDGE_CLOSED = date(2026, 9, 14)
FIRMWARE = date(2026, 9, 28)
AREAS = ("Harbour", "Old Town", "Riverside", "University", "Station", "Hillside")
NAMES = (
    "Fish Market", "Ferry Pier", "Customs House", "Lighthouse Walk", "Dry Dock", "Rope Yard", "Cathedral", "Town Hall", "Mint Street",
    "Cloth Hall", "Theatre", "North Gate", "Weir Lane", "Mill Island", "Rowing Club", "Willow Bank", "Lift Bridge East", "Lift Bridge West",
    "Library", "Chemistry", "Sports Hall", "Canteen", "Observatory", "Halls of Residence", "Main Concourse", "Bus Terminal", "Post Office",
    "Parcel Depot", "South Exit", "Taxi Rank", "Vineyard", "Reservoir", "Chapel Hill", "Funicular", "Orchard Road", "Quarry",
)


class Day(msgspec.Struct, frozen=True):
    """One station on one day."""

    station: str
    area: str
    day: date
    rides: int
    failed_unlocks: int
    empty_minutes: int
    minutes: float
    rain: float
    members: int


def has_new_lock(station: str) -> bool:
    """Whether the station has locks of model L4."""
    return NAMES.index(station) % 3 == 1


def season() -> list[Day]:
    """Every station on every day. Two causes are in it: a closed bridge, and locks that fail in wet weather after an update."""
    rng = bulk.seeded("rides")
    rain = [max(0.0, rng.gauss(0.4, 2.2 + at / 60)) for at in range(DAYS)]
    found = []
    for number, name in enumerate(NAMES):
        usual, area = rng.uniform(60, 210), AREAS[number // 6]
        new_lock = has_new_lock(name)
        for at in range(DAYS):
            day = FIRST + timedelta(days=at)
            level = usual * (1 - at / 700) * (0.78 if day.weekday() >= 5 and area != "Harbour" else 1.0) * (1 - min(0.5, rain[at] / 14))
            if day >= BRIDGE_CLOSED and (area == "Riverside" or name in ("Ferry Pier", "Fish Market")):
                level *= 0.58
            wet_lock = new_lock and day >= FIRMWARE and rain[at] > 1.5
            failed = int(level * (0.31 if wet_lock else 0.012) * rng.uniform(0.7, 1.3))
            rides = max(0, int(level * rng.uniform(0.9, 1.1)) - failed * 2 // 3)
            found.append(
                Day(name, area, day, rides, failed, int(rng.expovariate(1 / 35)), rng.uniform(11, 19), round(rain[at], 1),
                    int(rides * rng.uniform(0.55, 0.7)))
            )
    return found


def grouped(days: Iterable[Day], key: Callable[[Day], str]) -> str:
    """Days, rides, members' share, failed unlocks and their rate, empty minutes and ride length for each group."""
    groups: dict[str, list[Day]] = defaultdict(list)
    for day in days:
        groups[key(day)].append(day)
    head = ("key", "station_days", "rides", "rides_per_day", "member_share", "failed", "failed_pct", "empty_min", "ride_min")
    return bulk.table(head, [(name, *figures(found)) for name, found in sorted(groups.items())])


def figures(days: list[Day]) -> tuple[object, ...]:
    count, rides = len(days), sum(day.rides for day in days)
    failed = sum(day.failed_unlocks for day in days)
    return (
        count,
        rides,
        rides / count,
        sum(day.members for day in days) / max(1, rides),
        failed,
        100 * failed / max(1, rides + failed),
        sum(day.empty_minutes for day in days) / count,
        sum(day.minutes for day in days) / count,
    )


def listed(days: Iterable[Day]) -> str:
    """The rows as they are."""
    head = ("day", "station", "area", "rides", "members", "failed", "empty_min", "ride_min", "rain_mm")
    rows = [
        (day.day, day.station, day.area, day.rides, day.members, day.failed_unlocks, day.empty_minutes, day.minutes, day.rain)
        for day in days
    ]
    return bulk.table(head, rows)


def week(day: Day) -> str:
    year, number, _ = day.day.isocalendar()
    return f"{year}-W{number:02d}"
