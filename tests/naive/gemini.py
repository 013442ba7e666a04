"""Contents of a Gemini request, read naively, made from messages, and shown as messages of blocks."""

from dataclasses import replace
from typing import Any

from . import rawjson
from .model import Message, Part, counted, width, words

ROLES = {"user": "user", "function": "user", "model": "assistant", None: "user", "": "user"}
NOT_DATA = ("text", "thought", "thoughtSignature")
SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
}


def message(at: int, found: dict[str, Any], raw: str) -> Message:
    """Read one content; ids that are not there are given by `numbered`."""
    spelled = rawjson.member(raw, "parts")
    listed = [spelled] if spelled and spelled.startswith("{") else rawjson.elements(spelled)
    role = ROLES.get(found.get("role"), "other")
    return Message(at, role, tuple(part(rawjson.value(text), text) for text in listed))


def part(found: dict[str, Any], raw: str) -> Part:
    """Read one part; its signature counts like a text."""
    signature = width(words(found.get("thoughtSignature")))
    read = data(found, raw)
    return replace(read, size_of_text=read.size_of_text + signature)


def data(found: dict[str, Any], raw: str) -> Part:
    """What a part holds."""
    if isinstance(call := found.get("functionCall"), dict):
        arguments = rawjson.member(rawjson.member(raw, "functionCall") or "{}", "args") or ""
        read = Part("call", arguments, width(arguments))
        return read.named(id=words(call.get("id")), name=words(call.get("name")))
    if isinstance(found.get("functionResponse"), dict):
        return result(found["functionResponse"], rawjson.member(raw, "functionResponse") or "{}")
    if isinstance(found.get("inlineData"), dict):
        return file(found["inlineData"])
    if found.get("text") is not None:
        kind = "thinking" if found.get("thought") is True else "text"
        return Part(kind, words(found["text"]), counted(rawjson.member(raw, "text")))
    other = next((key for key, value in found.items() if key not in NOT_DATA and value is not None), "")
    return Part("other" if other else "thinking", name=other)


def file(blob: dict[str, Any]) -> Part:
    """An image, or a document that counts its payload."""
    if words(blob.get("mimeType") or blob.get("mime_type")).startswith("image/"):
        return Part("image")
    return Part("document", size_of_text=width(words(blob.get("data"))))


def result(found: dict[str, Any], raw: str) -> Part:
    """Read a result: what the tool said, its error first, other members led by their names."""
    response, spelled = found.get("response"), rawjson.member(raw, "response")
    inner = [file(one.get("inlineData") or one["inline_data"]) for one in found.get("parts") or []]
    read = Part("result").named(id=words(found.get("id")), name=words(found.get("name")))
    if not isinstance(response, dict):
        said = [Part("text", spelled, width(spelled))] if spelled else []
        return read.named(inner=(*said, *inner))
    failed = response.get("error") not in (None, False, "", {}, [])
    values = {key: value_of(value, rawjson.member(spelled or "{}", key) or "") for key, value in response.items()}
    first = [values[key] for key in ("error", "output") if key in values and (failed or key == "output")]
    rest = [key for key in values if key not in ("error", "output")]
    alone = len(rest) == 1 and not first
    said = first + [values[key] if alone else values[key].named(text=f"{key}: {values[key].text}") for key in rest]
    hidden = sum(values[key].size_of_text for key in values if key == "error" and not failed)
    return read.named(inner=(*said, *inner), error=failed, size_of_text=hidden)


def value_of(value: Any, spelled: str) -> Part:
    """A member of a response: a text as it reads, all else as it is written."""
    if isinstance(value, str):
        return Part("text", value, counted(spelled))
    return Part("text", spelled, width(spelled))


def numbered(messages: list[Message]) -> list[Message]:
    """Give each call without an id `name#n`, each result the id of the call it answers; ids of ours weigh nothing."""
    counts: dict[str, int] = {}
    waiting: list[tuple[Part, str]] = []
    found: list[Message] = []
    for one in messages:
        if one.role == "assistant" and found and found[-1].role != "assistant":
            waiting = []
        parts = []
        for read in one.parts:
            if read.kind == "call" and one.role == "assistant":
                given = read.id
                if not given:
                    counts[read.name] = counts.get(read.name, 0) + 1
                    read = weightless(read, f"{read.name}#{counts[read.name]}")
                waiting.append((read, given))
            elif read.kind == "result" and one.role != "assistant":
                read = answered(read, waiting)
            parts.append(read)
        found.append(replace(one, parts=tuple(parts)))
    return found


def answered(result: Part, waiting: list[tuple[Part, str]]) -> Part:
    """The result under the id of its call: by id, else by name where one of both has none."""
    fits = [one for one in waiting if result.id and one[1] == result.id]
    fits += [one for one in waiting if one[0].name == result.name and not one[1]]
    fits += [one for one in waiting if one[0].name == result.name and not result.id]
    if not fits:
        return result if result.id else weightless(result, f"{result.name}#")
    waiting.remove(fits[0])
    return weightless(result, fits[0][0].id)


def weightless(read: Part, name: str) -> Part:
    """The part under another id, as heavy as it was."""
    return replace(read, id=name, size_of_text=read.size_of_text + width(read.id) - width(name))


def as_message(content: dict[str, Any]) -> dict[str, Any]:
    """A content as a message of blocks, so that one look at pairs, roles and texts serves every surface."""
    parts = content.get("parts") or []
    blocks = [as_block(one) for one in (parts if isinstance(parts, list) else [parts])]
    others = {key: value for key, value in content.items() if key not in ("role", "parts")}
    return {"role": ROLES.get(content.get("role"), "other"), "content": blocks, **others}


def as_block(found: dict[str, Any]) -> dict[str, Any]:
    """A part as a block; a name stands where there is no id."""
    if isinstance(call := found.get("functionCall"), dict):
        return {"type": "tool_use", "id": call.get("id") or call.get("name"), **found}
    if isinstance(response := found.get("functionResponse"), dict):
        return {"type": "tool_result", "tool_use_id": response.get("id") or response.get("name"), **found}
    return {"type": "text", **found} if "text" in found and not found.get("thought") else {"type": "other", **found}


class Contents:
    """Writes made messages of blocks as contents; `ids`: whether calls have them."""

    def __init__(self, ids: bool) -> None:
        self.ids = ids
        self.tools: dict[str, str] = {}

    def content(self, made: dict[str, Any]) -> dict[str, Any]:
        """One message; what it has beside role and content stays."""
        roles = {"assistant": "model"}
        given = made.get("content")
        blocks = [{"type": "text", "text": given}] if isinstance(given, str) else given or []
        others = {key: value for key, value in made.items() if key not in ("role", "content")}
        role = {"role": roles.get(made["role"], made["role"])} if "role" in made else {}
        return {**role, "parts": [self.part(block) for block in blocks], **others}

    def part(self, block: dict[str, Any]) -> dict[str, Any]:
        """One block."""
        kind = block["type"]
        if kind == "text":
            return {"text": block["text"]}
        if kind == "thinking":
            return {"text": block["thinking"], "thought": True}
        if kind == "redacted_thinking":
            return {"thoughtSignature": block["data"]}
        if kind in ("image", "document"):
            return {"inlineData": self.blob(block["source"])}
        if kind == "tool_use":
            self.tools[block["id"]] = block["name"]
            named = {"id": block["id"]} if self.ids else {}
            signed = {} if len(self.tools) % 3 else {"thoughtSignature": "c2lnbmF0dXJl" * 4}
            return {"functionCall": {**named, "name": block["name"], "args": block["input"]}, **signed}
        return {"functionResponse": self.response(block)} if kind == "tool_result" else {kind: block.get("data")}

    def blob(self, source: dict[str, Any]) -> dict[str, Any]:
        return {"mimeType": source["media_type"], "data": source["data"]}

    def response(self, block: dict[str, Any]) -> dict[str, Any]:
        """A result, in one of the forms that clients use."""
        name = self.tools.get(block["tool_use_id"], "orphan")
        named = {"id": block["tool_use_id"], "name": name} if self.ids else {"name": name}
        content = block.get("content")
        inner = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
        said = "\n".join(one["text"] for one in inner if one["type"] == "text")
        files = [{"inlineData": self.blob(one["source"])} for one in inner if one["type"] != "text"]
        forms: list[dict[str, Any]] = [
            {"output": said},
            {"result": said},
            {"name": name, "content": said, "lines": [1, 2.50]},
            {"exit_code": 0, "output": said, "error": None},
        ]
        response = {"error": said or "failed"} if block.get("is_error") else forms[len(said) % 4]
        return {**named, "response": response, **({"parts": files} if files else {})}


def in_snake_case(found: Any, deep: int = 3) -> Any:
    """The contents, parts and what is in them with members in snake_case; arguments and responses as they are."""
    if isinstance(found, list):
        return [in_snake_case(one, deep) for one in found]
    if not isinstance(found, dict) or not deep:
        return found
    return {
        SNAKE.get(key, key): value if key in ("args", "response") else in_snake_case(value, deep - (key != "parts"))
        for key, value in found.items()
    }
