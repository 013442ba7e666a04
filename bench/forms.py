"""Facts in other words than those of ../shared/checks/family.py: what the finder was not made on."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

Made = tuple[Any, str, str]
NOUNS = ["harbour", "anchor", "beacon", "cargo", "dock", "ferry", "keel", "mast", "rudder", "sail", "tide", "winch"]
VERBS = ["hoist", "lower", "steer", "berth", "unload", "signal"]


class Form(NamedTuple):
    """The kinds of results that a fact may stand in, and what makes it: its text, its needle, what it is about."""

    kinds: tuple[str, ...]
    make: Callable[[random.Random, str], Made]


def _noun(rng: random.Random) -> str:
    return rng.choice(NOUNS)


def _camel(rng: random.Random) -> str:
    return rng.choice(VERBS) + _noun(rng).title() + _noun(rng).title()


def frame(rng: random.Random, kind: str) -> Made:
    found = f'File "/opt/{_noun(rng)}/{_noun(rng)}_{_noun(rng)}.py", line {rng.randrange(9, 4000)}'
    return f"{found}, in {_camel(rng)}", found, "the frame"


def java_place(rng: random.Random, kind: str) -> Made:
    name = _noun(rng).title() + _noun(rng).title()
    found = f"{name}.java:{rng.randrange(9, 4000)}"
    return f"at com.acme.{_noun(rng)}.{name}.{_camel(rng)}({found})", found, name


def panic(rng: random.Random, kind: str) -> Made:
    found = f"index out of range [{rng.randrange(99, 9999)}] with length {rng.randrange(9, 99)}"
    return f"panic: runtime error: {found}", found, "the panic"


def address(rng: random.Random, kind: str) -> Made:
    found = f"amqps://10.{rng.randrange(255)}.{rng.randrange(255)}.{rng.randrange(255)}:{rng.randrange(1025, 65000)}"
    return rng.choice(["connected to {0}", "lost {0}, waiting", "now at {0}"]).format(found), found, "the broker"


def variable(rng: random.Random, kind: str) -> Made:
    found = f"{_noun(rng).upper()}_{_noun(rng).upper()}_MAX={rng.randrange(2, 9999)}"
    return found, found, "the limit"


def tap(rng: random.Random, kind: str) -> Made:
    found = f"{_camel(rng)} with {rng.randrange(9, 999)} crates"
    return f"not ok {rng.randrange(9, 400)} - {found}", found, "the crates"


def odd_state(rng: random.Random, kind: str) -> Made:
    number = f"lot-{rng.randrange(16**8):08x}"
    change = rng.choice([{"status": "quarantined"}, {"error": f"E{rng.randrange(999, 9999)}"}, {"ms": -1 * 10**6}])
    return {"id": number, **change}, number, "lots"


def odd_size(rng: random.Random, kind: str) -> Made:
    count = rng.randrange(10_000, 99_999)
    return f"{_noun(rng)} {count} rows", f"{count} rows", "the rows"


def uuid(rng: random.Random, kind: str) -> Made:
    parts = [f"{rng.randrange(16**size):0{size}x}" for size in (8, 4, 4, 4, 12)]
    found = "-".join(parts)
    return (
        rng.choice(["trace {0} ends here", "request {0} was sent twice", "see {0}"]).format(found),
        found,
        "the trace",
    )


def rust(rng: random.Random, kind: str) -> Made:
    found = f"fn {rng.choice(VERBS)}_{_noun(rng)}(&self, {_noun(rng)}: u{rng.choice([8, 16, 32])}, at: usize)"
    return f"pub {found} -> Result<(), Fault> {{", found, "the function"


def pinned(rng: random.Random, kind: str) -> Made:
    found = f"{_noun(rng)}-{_noun(rng)}@{rng.randrange(9)}.{rng.randrange(40)}.{rng.randrange(40)}"
    return rng.choice(["npm warn deprecated {0}", "{0} needs a newer node", "resolved {0}"]).format(found), found, "it"


FORMS = {
    "frame": Form(("log", "test"), frame),
    "java_place": Form(("log", "test"), java_place),
    "panic": Form(("log", "test"), panic),
    "address": Form(("log", "prose", "code", "grep"), address),
    "variable": Form(("code", "grep", "prose", "log", "listing"), variable),
    "tap": Form(("test",), tap),
    "odd_state": Form(("json",), odd_state),
    "odd_size": Form(("log", "listing"), odd_size),
    "uuid": Form(("log", "prose", "grep"), uuid),
    "rust": Form(("code", "grep", "diff"), rust),
    "pinned": Form(("log", "prose", "test"), pinned),
}
