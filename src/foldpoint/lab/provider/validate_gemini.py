"""What generateContent refuses with a 400. Sources: its API description, and the texts of its errors as reported."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldpoint.lab.cache.gemini import either, plain

from .refusal import Refused

FIELDS = frozenset(
    (
        "model",
        "contents",
        "tools",
        "toolconfig",
        "safetysettings",
        "systeminstruction",
        "generationconfig",
        "cachedcontent",
        "labels",
        "servicetier",
        "store",
    )
)
DATA = frozenset(
    (
        "text",
        "inlinedata",
        "filedata",
        "functioncall",
        "functionresponse",
        "executablecode",
        "codeexecutionresult",
        "toolcall",
        "toolresponse",
    )
)
BESIDE = frozenset(("thought", "thoughtsignature", "videometadata", "mediaresolution", "partmetadata"))
SIGNS = re.compile(r"gemini-(?:[3-9]|\d\d)")
"""Models that want the signature of each step's first call back."""

Part = Mapping[str, Any]
Group = tuple[str, list[Part]]
"""(role, parts) of neighbouring contents of one role."""


def check(body: Mapping[str, Any], model: str) -> None:
    """Raise Refused where the API would."""
    check_fields(body, FIELDS, "")
    if either(body, "cachedContent"):
        raise Refused("CachedContent not found (or permission denied)", 403)
    contents = checked_contents(body.get("contents"))
    groups = grouped(contents)
    for place, (role, parts) in enumerate(groups):
        if role == "model":
            check_calls(groups, place, parts)
        elif any(kept(parts, "functionResponse")) and not (place and any(kept(groups[place - 1][1], "functionCall"))):
            raise Refused("Please ensure that function response turn comes immediately after a function call turn.")
    if SIGNS.match(model):
        check_signed(contents)


def check_fields(found: Mapping[str, Any], known: frozenset[str], place: str) -> None:
    """Refuse members that the message has not."""
    for field in found:
        if plain(field) not in known:
            at = f" at '{place}'" if place else ""
            raise Refused(f'Invalid JSON payload received. Unknown name "{field}"{at}: Cannot find field.')


def checked_contents(contents: Any) -> list[Mapping[str, Any]]:
    """The contents, each looked at by itself."""
    if isinstance(contents, Mapping):
        contents = [contents]
    if not isinstance(contents, list) or not contents:
        raise Refused("* GenerateContentRequest.contents: contents is not specified")
    for number, content in enumerate(contents):
        place = f"contents[{number}]"
        if not isinstance(content, Mapping):
            raise Refused(f"Invalid value at '{place}' (type.googleapis.com/google.ai.generativelanguage.Content)")
        check_fields(content, frozenset(("role", "parts")), place)
        if (content.get("role") or "user") not in ("user", "model", "function"):
            raise Refused("Please use a valid role: user, model.")
        if not parts_of(content):
            raise Refused(f"* GenerateContentRequest.{place}.parts: contents.parts must not be empty.")
        for position, part in enumerate(parts_of(content)):
            check_part(part, content.get("role") or "user", f"{place}.parts[{position}]")
    return contents


def parts_of(content: Mapping[str, Any]) -> list[Part]:
    """The parts of a content; one may stand without its list."""
    parts = content.get("parts") or []
    return [parts] if isinstance(parts, Mapping) else list(parts)


def check_part(part: Part, role: str, place: str) -> None:
    """A part holds one kind of data; a call or a response has a name."""
    if not isinstance(part, Mapping):
        raise Refused(f"Invalid value at '{place}' (type.googleapis.com/google.ai.generativelanguage.Part)")
    check_fields(part, DATA | BESIDE, place)
    data = [key for key, value in part.items() if plain(key) in DATA and value is not None]
    if not data:
        raise Refused(
            f"* GenerateContentRequest.{place}.data: required oneof field 'data' must have one initialized field"
        )
    if len(data) > 1:
        raise Refused(f"Invalid value at '{place}' (oneof), oneof field 'data' is already set. Cannot set '{data[1]}'")
    if plain(data[0]) in ("functioncall", "functionresponse"):
        if not part[data[0]].get("name"):
            member = "function_call" if plain(data[0]) == "functioncall" else "function_response"
            raise Refused(f"* GenerateContentRequest.{place}.{member}.name: Name cannot be empty.")
        if (plain(data[0]) == "functioncall") != (role == "model"):
            raise Refused(f"Role '{role}' must not have a part of the kind {data[0]}")


def grouped(contents: Sequence[Mapping[str, Any]]) -> list[Group]:
    """Neighbouring contents of one role as one."""
    groups: list[Group] = []
    for content in contents:
        role = "model" if content.get("role") == "model" else "user"
        if not groups or groups[-1][0] != role:
            groups.append((role, []))
        groups[-1][1].extend(parts_of(content))
    return groups


def kept(parts: Sequence[Part], key: str) -> Iterator[Mapping[str, Any]]:
    """The data of one kind in some parts."""
    return (found for part in parts if (found := either(part, key)))


def check_calls(groups: Sequence[Group], place: int, parts: Sequence[Part]) -> None:
    """Calls stand behind a user's content, and the next content answers each of them."""
    calls = [*kept(parts, "functionCall")]
    if not calls:
        return
    if place == 0:
        raise Refused(
            "Please ensure that function call turn comes immediately after a user turn or after a function response "
            "turn."
        )
    answers = [*kept(groups[place + 1][1], "functionResponse")] if place + 1 < len(groups) else []
    if len(answers) != len(calls):
        raise Refused(
            "Please ensure that the number of function response parts is equal to the number of function call parts of "
            "the function call turn."
        )
    for key in ("name", "id"):
        asked, given = (Counter(one.get(key) for one in found) for found in (calls, answers))
        if asked != given and not (key == "id" and (asked[None] or given[None])):
            odd = next(iter(given - asked))
            raise Refused(f"Function response {key} `{odd}` does not match a function call of the turn before.")


def check_signed(contents: Sequence[Mapping[str, Any]]) -> None:
    """In the current turn, behind the newest message of the user's own, the first call of each step is signed."""
    for number in range(len(contents) - 1, -1, -1):
        content, parts = contents[number], parts_of(contents[number])
        if content.get("role") != "model":
            if not any(kept(parts, "functionResponse")):
                return
            continue
        first = next((part for part in parts if either(part, "functionCall")), None)
        if first is not None and not either(first, "thoughtSignature"):
            name = either(first, "functionCall").get("name")
            raise Refused(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `default_api:{name}` , position {number + 1}."
            )
