"""What a PromQL expression speaks of: metrics with the labels that are asked of them, read from its syntax tree."""

from collections.abc import Iterator
from typing import NamedTuple

import promql_parser as p

from foldpoint.telemetry.names import METRICS

SCRAPED = frozenset({"job", "instance"})
"""Labels that Prometheus puts on everything that it scrapes."""
SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
KNOWN = {
    metric.name + suffix: SCRAPED | {label.name for label in metric.labels} | ({"le"} if suffix == "_bucket" else set())
    for metric in METRICS
    for suffix in SUFFIXES[metric.kind]
} | {"up": SCRAPED}
"""Every series there is, with its labels."""


class Selected(NamedTuple):
    """A series that an expression selects, and the labels that must be on it: matched, or grouped by around it."""

    name: str
    labels: frozenset[str]


def selected(expression: str) -> list[Selected]:
    """What the expression selects. Raises ValueError where it is no PromQL."""
    return list(_walk(p.parse(expression), frozenset()))


def unknown(expression: str) -> list[str]:
    """What the expression asks for and no gateway has."""
    found = []
    for name, labels in selected(expression):
        missing = sorted(labels - KNOWN[name]) if name in KNOWN else [name]
        found += [word if word == name else f"{name}{{{word}}}" for word in missing]
    return found


def _walk(node: object, wanted: frozenset[str]) -> Iterator[Selected]:
    match node:
        case p.VectorSelector():
            matched = {matcher.name for matcher in node.matchers.matchers}
            yield Selected(str(node.name), wanted | matched)
        case p.MatrixSelector():
            yield from _walk(node.vector_selector, wanted)
        case p.AggregateExpr():
            by = node.modifier and node.modifier.type == p.AggModifierType.By
            yield from _walk(node.expr, frozenset(node.modifier.labels) if node.modifier and by else wanted)
        case p.BinaryExpr():
            yield from _walk(node.lhs, wanted)
            yield from _walk(node.rhs, wanted)
        case p.Call():
            for argument in node.args:
                yield from _walk(argument, wanted)
        case p.ParenExpr() | p.UnaryExpr() | p.SubqueryExpr():
            yield from _walk(node.expr, wanted)
        case p.NumberLiteral() | p.StringLiteral():
            return
        case _:
            raise TypeError(f"{type(node).__name__} is no part of PromQL that is read here")
