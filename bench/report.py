"""What a section of the benchmarks says: figures with their bars, as a table and as JSON."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

WIDTH = 110
RESULTS = Path(__file__).parent / "results"


class Figure(msgspec.Struct, frozen=True):
    """One figure. `bar` is the most it may be, or with `least` the least. Figures of one `row` share a line."""

    name: str
    value: float
    unit: str = ""
    bar: float | None = None
    least: bool = False
    row: str = ""

    @property
    def passed(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.least else self.value <= self.bar


class Section(msgspec.Struct, frozen=True):
    """A section: its figures, and remarks such as what was skipped."""

    title: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        return all(figure.passed is not False for figure in self.figures)


def printed(section: Section) -> None:
    """The section as tables: figures that share rows, then figures with a line of their own."""
    console = Console(width=max(WIDTH, Console().width))
    console.print(f"[bold]{section.title}[/]", highlight=False)
    for table in (shared(section.figures), listed(section.figures)):
        if table.row_count:
            console.print(table)
    for remark in section.remarks:
        console.print(f"[dim]{remark}[/]", highlight=False)
    console.print()


def listed(figures: Sequence[Figure]) -> Table:
    """A line for each figure: measured, bar, passed or not."""
    table = Table(box=None, pad_edge=False)
    table.add_column("figure", overflow="fold")
    for name in ("measured", "bar", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for figure in figures:
        if not figure.row:
            passed = {None: "", True: "[green]pass[/]", False: "[red]FAIL[/]"}[figure.passed]
            table.add_row(figure.name, f"{shown(figure.value)} {figure.unit}".rstrip(), limit(figure), passed)
    return table


def shared(figures: Sequence[Figure]) -> Table:
    """A line for each row, a column for each name; what misses its bar is red, what holds it green."""
    found = [figure for figure in figures if figure.row]
    columns = {figure.name: limit(figure) for figure in found}
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for name, bar in columns.items():
        table.add_column(f"{name}\n{bar}", justify="right", no_wrap=True)
    for row in dict.fromkeys(figure.row for figure in found):
        cells = {figure.name: figure for figure in found if figure.row == row}
        table.add_row(row, *(coloured(cells.get(name)) for name in columns))
    return table


def coloured(figure: Figure | None) -> str:
    if figure is None:
        return ""
    colour = {None: "", True: "green", False: "bold red"}[figure.passed]
    return f"[{colour}]{figure.value:.3f}[/]" if colour else f"{figure.value:.2f}"


def limit(figure: Figure) -> str:
    return "" if figure.bar is None else f"{'≥' if figure.least else '≤'}{shown(figure.bar)}"


def shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def written(name: str, section: Section) -> Path:
    """Write the section to results/<name>.json; gives the path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    figures = [{**msgspec.to_builtins(figure), "passed": figure.passed} for figure in section.figures]
    found = {"title": section.title, "held": section.held, "figures": figures, "remarks": section.remarks}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return path


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]
