"""The configuration said back: every value with its source, and a commented file to begin with."""

import json

import msgspec

from foldpoint.core.parameters import Value

from .keys import SETTINGS, SKILL, Setting, is_pointer
from .load import Loaded
from .settings import MASK, unsigned

_BEGIN = """# Foldpoint reads this file, over it FOLDPOINT_* variables (FOLDPOINT_GATEWAY__PORT=4700), over these flags.
# A line behind "# " shows the default; take the "# " away to set it. One that says "not set" has no default: write a
# value behind its "=", or keep the example that stands there.
"""
_ADVISED: dict[str, tuple[Value, str]] = {
    f"{SKILL}.horizon": ("adaptive", "needs no guess of how long a task is"),
}


class Row(msgspec.Struct, frozen=True):
    """One setting as `config show` says it; secrets are masked."""

    key: str
    value: Value
    source: str


def rows(loaded: Loaded) -> list[Row]:
    """Every setting in the order of the file."""
    return [
        Row(setting.key, _masked(setting, loaded.values[setting.key]), loaded.sources[setting.key])
        for setting in SETTINGS
    ]


def table(shown: list[Row]) -> str:
    """The rows as text in columns."""
    values = [toml(row.value) for row in shown]
    key, value = max(len(row.key) for row in shown), max(map(len, values))
    return "\n".join(
        f"{row.key:<{key}}  {text:<{value}}  {row.source}" for row, text in zip(shown, values, strict=True)
    )


def starter() -> str:
    """A `foldpoint.toml` that names every setting, its default and its meaning."""
    lines = [_BEGIN]
    opened = ""
    for setting in SETTINGS:
        if setting.table != opened:
            opened = setting.table
            lines.append(f"\n[{opened}]")
        lines.append(_starter_line(setting))
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _starter_line(setting: Setting) -> str:
    if setting.key in _ADVISED:
        value, why = _ADVISED[setting.key]
        return f"{setting.name} = {toml(value)}  # {setting.about}; default {toml(setting.default)}: {value} {why}"
    if setting.default is None:
        return f"# {setting.name} = {_unset(setting)}; {setting.about}"
    return f"# {setting.name} = {toml(setting.default)}  # {setting.about}"


def _unset(setting: Setting) -> str:
    """What stands in the place of a default that there is none of: an example of a secret, else room for a value."""
    if setting.secret:
        provider = setting.table.removeprefix("upstreams.")
        ours = provider == setting.table
        example = f"file:/run/secrets/{setting.name}" if ours else f"env:{provider.upper()}_API_KEY"
        return toml(example) + "  # not set, this is an example"
    kinds = {"bool": "true or false", "text": "text in quotes"}
    return f" # not set ({kinds.get(setting.kind, 'a whole number')})"


def toml(value: Value) -> str:
    """The value as TOML spells it; `(not set)` for none."""
    if value is None:
        return "(not set)"
    return json.dumps(value, ensure_ascii=False)


def _masked(setting: Setting, value: Value) -> Value:
    if not isinstance(value, str):
        return value
    if setting.secret:
        return value if is_pointer(value) else MASK
    return unsigned(value)
