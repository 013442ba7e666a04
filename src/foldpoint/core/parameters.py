"""The one list of the skills' parameters: default, floor, meaning.

Validation, `foldpoint config init`, the docs and the per-key settings are all made from it.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

Kind = Literal["int", "float", "bool", "choice", "text"]
Value = int | float | bool | str | None


class Parameter(msgspec.Struct, frozen=True):
    """One parameter.

    `floor` is the least value allowed, of a text its characters (`above` = it must be more than the floor); `least` the
    least one that is not 0; `choices` the allowed words; `per_key` says whether a key may set it for itself. `later`:
    this version takes its default alone.
    """

    name: str
    kind: Kind
    default: Value
    about: str
    floor: int = 0
    least: int = 0
    above: bool = False
    optional: bool = False
    later: bool = False
    choices: tuple[str, ...] = ()
    per_key: bool = True


TRAJECTORY = (
    Parameter(
        "mode",
        "choice",
        "prod",
        "off: not consulted; shadow: measured, request untouched; prod: folded",
        choices=("off", "shadow", "prod"),
    ),
    Parameter("epoch_size", "int", 5, "turns between two fold points", floor=2),
    Parameter("keep_recent_turns", "int", 2, "newest turns that stay as they are, the live one included", floor=1),
    Parameter("keep_recent_images", "int", 1, "newest images that survive the sealing of their turn"),
    Parameter("token_watermark", "int", 20_000, "tokens above which a fold is offered off the grid; 0 = never"),
    Parameter("max_tool_repeats", "int", 0, "equal calls with equal results that make a loop; 0 = no loop guard"),
    Parameter("expected_task_steps", "int", 12, "turns a task is expected to take (horizon `task`)", floor=1),
    Parameter(
        "payback_turns",
        "int",
        None,
        "requests in which a fold must pay for itself; wins over `horizon`",
        floor=1,
        optional=True,
    ),
    Parameter(
        "horizon",
        "choice",
        "task",
        "task: what is left of expected_task_steps; adaptive: rent or buy, no length",
        choices=("task", "adaptive"),
    ),
    Parameter(
        "manage_breakpoints",
        "bool",
        None,
        "mark the newest block for the provider's cache; unset = where the client marks blocks itself",
        optional=True,
    ),
    Parameter("pricing", "bool", True, "take the model's cache prices from the price table"),
    Parameter(
        "extract",
        "choice",
        "head",
        "what of a result its line carries: its first characters, or head, tail and the evidence between them",
        choices=("head", "evidence"),
    ),
    Parameter("recall_hint", "bool", False, "tell the model that it can read sealed results back with `recall`"),
    Parameter(
        "fold_on_idle", "bool", False, "fold when the provider's cache has expired anyway (not yet: false)", later=True
    ),
    Parameter("fold_text_trajectories", "bool", True, "fold agents whose observations are plain user messages"),
    Parameter("bytes_per_token", "float", 3.0, "bytes counted as one token", above=True, per_key=False),
    Parameter(
        "tool_result_head_chars", "int", 320, "characters of a result that its line carries; 0 = whole", per_key=False
    ),
    Parameter("verbatim_chars", "int", 240, "characters up to which a text is carried word for word", per_key=False),
    Parameter(
        "strategy",
        "choice",
        "epoch",
        "epoch: the fold grid; sliding_window: moves at every turn",
        choices=("epoch", "sliding_window"),
        per_key=False,
    ),
    Parameter("window_turns", "int", 10, "turns a sliding window keeps", floor=1, per_key=False),
)
OUTPUT_CAP = (
    Parameter(
        "mode",
        "choice",
        "off",
        "off: not consulted; shadow: measured, request untouched; prod: long results are cut when they are first sent",
        choices=("off", "shadow", "prod"),
    ),
    Parameter("max_chars", "int", 2_000, "characters of a result that are sent, 0 = all", least=200),
    Parameter(
        "exempt_tools", "text", "", "tools whose results are sent whole: names, or patterns with *, between commas"
    ),
    Parameter("recall_hint", "bool", False, "tell the model that it can read cut results back with `recall`"),
)
STALE_OUTPUT = (
    Parameter(
        "mode",
        "choice",
        "off",
        "off: not consulted; shadow: measured, request untouched; prod: long results that are old are replaced",
        choices=("off", "shadow", "prod"),
    ),
    Parameter("max_chars", "int", 300, "characters of a result that stays whatever its age"),
    Parameter("max_age_messages", "int", 10, "messages behind a result that stays whatever its length"),
    Parameter(
        "grid", "int", 5, "turns between two moves of the line in front of which results are old; 1 = at once", floor=1
    ),
    Parameter(
        "placeholder", "text", "[long tool output stale/compacted]", "what stands in the place of a result", floor=1
    ),
)
PARAMETERS: Mapping[str, tuple[Parameter, ...]] = {
    "agent_trajectory_compaction": TRAJECTORY,
    "tool_output_cap": OUTPUT_CAP,
    "stale_tool_output": STALE_OUTPUT,
}
"""The parameters of each skill that this version has."""
LONGEST_TEXT = 2_000
MOST = 10**12
"""More than any number here can mean; figures stay exact below it."""
HEAD_CHARS_VARIABLE = "ACE_AGENT_TOOL_RESULT_HEAD_CHARS"


def problem(parameter: Parameter, value: object) -> str | None:
    """What is wrong with the value, or None. The message says what, and what would be right."""
    if parameter.later and value != parameter.default:
        return f"{parameter.name} is not in this version; leave it out"
    if value is None:
        return None if parameter.optional else f"{parameter.name} must have a value"
    match parameter.kind:
        case "bool":
            return None if isinstance(value, bool) else f"{parameter.name} must be true or false"
        case "choice":
            return (
                None
                if value in parameter.choices
                else f"{parameter.name} must be one of {', '.join(parameter.choices)}"
            )
        case "text":
            if isinstance(value, str) and parameter.floor <= len(value) <= LONGEST_TEXT:
                return None
            return f"{parameter.name} must be a text of {parameter.floor} to {LONGEST_TEXT} characters"
        case "int":
            fits = isinstance(value, int) and not isinstance(value, bool)
        case "float":
            fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fits or not isinstance(value, (int, float)):
        return f"{parameter.name} must be {'a whole number' if parameter.kind == 'int' else 'a number'}"
    if value > MOST:
        return f"{parameter.name} must be <= {MOST}"
    if 0 < value < parameter.least:
        return f"{parameter.name} must be 0 or >= {parameter.least}"
    if parameter.above:
        return None if parameter.floor < value < float("inf") else f"{parameter.name} must be > {parameter.floor}"
    return None if value >= parameter.floor else f"{parameter.name} must be >= {parameter.floor}"
