"""What may be asked for in a new key, checked field by field."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from .errors import nearest
from .key import PLANS, UPSTREAMS, Key, KeyLimits
from .key_skills import FIELDS as SKILL_FIELDS
from .key_skills import Problems, Rejected, saved
from .parameters import MOST

LIMITS = KeyLimits.__struct_fields__
FIELDS = ("name", "tenant", "plan", "upstreams", "limits", *SKILL_FIELDS)
TENANT = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
NAME = r"[^\x00-\x1f\x7f]{0,100}"
REFERENCE = r"(env|file):\S+"


def asked(given: object) -> Key:
    """The key that `given` asks for, without id, secret and time.

    Raises:
        PlanForbids: where parameters of skills are set on a plan that has none.
        Rejected: naming every bad field.
    """
    if not isinstance(given, Mapping):
        raise Rejected([("", f"the body must be an object with {', '.join(FIELDS)}")])
    problems = [
        (str(name), f"unknown field {name!r}{nearest(str(name), FIELDS)}") for name in given if name not in FIELDS
    ]
    problems += [found for field, check in CHECKS.items() if field in given for found in check(given[field])]
    plain = {field: given[field] for field in ("name", "tenant", "plan", "upstreams") if field in given}
    key = Key(id="", **plain) if not problems else Key(id="", plan="enterprise")
    try:
        skills = saved(key, {name: given[name] for name in SKILL_FIELDS if name in given})
    except Rejected as rejected:
        problems += rejected.problems
    if problems:
        raise Rejected(problems)
    return msgspec.structs.replace(key, skills=skills, limits=KeyLimits(**given.get("limits", {})))


def _word(field: str, form: str, mend: str) -> Callable[[Any], Problems]:
    """A check that a field is a text of a form."""

    def check(value: Any) -> Problems:
        fits = isinstance(value, str) and re.fullmatch(form, value)
        return [] if fits else [(field, f"{field} must be {mend}")]

    return check


def _plan(value: Any) -> Problems:
    return [] if value in PLANS else [("plan", f"plan must be one of {', '.join(PLANS)}")]


def _upstreams(value: Any) -> Problems:
    if not isinstance(value, Mapping):
        return [("upstreams", "upstreams must be an object: provider to env:NAME or file:PATH")]
    problems = []
    for name, where in value.items():
        field = f"upstreams.{name}"
        if name not in UPSTREAMS:
            problems.append((field, f"unknown provider {name!r}{nearest(str(name), UPSTREAMS)}"))
        elif not isinstance(where, str) or not re.fullmatch(REFERENCE, where):
            problems.append((field, f"{field} must be env:NAME or file:PATH: a credential itself is not kept"))
    return problems


def _limits(value: Any) -> Problems:
    if not isinstance(value, Mapping):
        return [("limits", f"limits must be an object with {', '.join(LIMITS)}")]
    problems = []
    for name, most in value.items():
        field = f"limits.{name}"
        if name not in LIMITS:
            problems.append((field, f"unknown limit {name!r}{nearest(str(name), LIMITS)}"))
        elif most is not None and (isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST):
            problems.append((field, f"{field} must be a whole number from 1 to {MOST}, or null for no limit"))
    return problems


CHECKS: Mapping[str, Callable[[Any], Problems]] = {
    "name": _word("name", NAME, "a text of at most 100 characters in one line"),
    "tenant": _word("tenant", TENANT, "1 to 64 of letters, digits, '.', '_' and '-', a letter or digit first"),
    "plan": _plan,
    "upstreams": _upstreams,
    "limits": _limits,
}
