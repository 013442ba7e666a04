"""What may be asked for, as JSON schemas: made from the lists that the checks use."""

from typing import Any

from foldpoint.core.key import PLANS, UPSTREAMS
from foldpoint.core.key_skills import SETTABLE
from foldpoint.core.new_key import LIMITS, NAME, REFERENCE, TENANT
from foldpoint.core.parameters import LONGEST_TEXT, MOST, PARAMETERS, Parameter
from foldpoint.core.policy import MODES, SKILLS

Schema = dict[str, Any]


def table(properties: dict[str, Schema], about: str) -> Schema:
    """An object with these members and no others, none of which must be there."""
    return {"type": "object", "description": about, "properties": properties, "additionalProperties": False}


def parameter(each: Parameter) -> Schema:
    """The values that a parameter takes; null goes back to what the gateway is configured with."""
    if each.later or each.kind == "choice":
        allowed = [each.default] if each.later else list(each.choices)
        return {"enum": [*allowed, None], "description": each.about}
    if each.kind == "bool":
        return {"type": ["boolean", "null"], "description": each.about}
    if each.kind == "text":
        lengths = {"minLength": each.floor, "maxLength": LONGEST_TEXT}
        return {"type": ["string", "null"], **lengths, "description": each.about}
    kind = "integer" if each.kind == "int" else "number"
    some: Schema = {"type": kind, "minimum": each.least or each.floor, "maximum": MOST}
    if each.least:
        return {"anyOf": [{"enum": [0, None]}, some], "description": each.about}
    return {**some, "type": [kind, "null"], "description": each.about}


def mode(skill: str) -> Schema:
    """The modes of a skill."""
    allowed = MODES if skill in PARAMETERS else ("off",)
    return {"enum": [*allowed, None]}


def nullable(schema: Schema) -> Schema:
    """The schema, or null: as if it were left out."""
    return {**schema, "type": [schema["type"], "null"]}


PARAMS = {
    skill: table({name: parameter(each) for name, each in settable.items()}, f"parameters of {skill}")
    for skill, settable in SETTABLE.items()
}
SKILLS_SAVE = {
    "skills": {
        "type": ["array", "null"],
        "description": "the skills that are on; all others are off",
        "items": {"enum": list(PARAMETERS)},
    },
    "skill_modes": nullable(table({skill: mode(skill) for skill in SKILLS}, "mode of each skill")),
    "skill_params": nullable(table(PARAMS, "on the Enterprise plan alone")),
}
SAVE = table(SKILLS_SAVE, "what is left out stays; null goes back to what the gateway is configured with")
LIMIT: Schema = {"type": ["integer", "null"], "minimum": 1, "maximum": MOST}
REFERENCES: Schema = {"type": "string", "pattern": f"^{REFERENCE}$"}
KEY = table(
    {
        "name": {"type": "string", "pattern": f"^{NAME}$", "description": "what people call it"},
        "tenant": {"type": "string", "pattern": f"^{TENANT}$", "default": "local"},
        "plan": {"enum": list(PLANS), "default": PLANS[0]},
        "upstreams": table(
            dict.fromkeys(UPSTREAMS, REFERENCES), "where our credential for a provider lies: env:NAME or file:PATH"
        ),
        "limits": table(dict.fromkeys(LIMITS, LIMIT), "what it may use up; null is no limit"),
        **SKILLS_SAVE,
    },
    "a key that is wanted",
)
