"""Views of Gemini contents: what the fold needs of their parts."""

import msgspec

from ..core.errors import Unreadable
from ..core.text import READ_AHEAD, bare, called, observed, result_head, said, spelled, weight
from ..core.transcript import (
    BLOCK_SIZE,
    IMAGE_SIZE,
    MESSAGE_SIZE,
    Call,
    Limits,
    Result,
    View,
    action_view,
    lead_of,
    result_of,
    result_view,
)
from .content import arguments, word
from .gemini_content import CODE, Code, Function, Part, read_content
from .spans import decoded

_NONE = msgspec.Raw()
_ROLES = ("user", "function", "model", "")
_BESIDE = (
    "text",
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
    "mediaResolution",
    "media_resolution",
    "partMetadata",
    "part_metadata",
)
"""Members of a part that are not its content, and text."""


class _Keys(msgspec.Struct, gc=False):
    parts: list[dict[str, msgspec.Raw]] | dict[str, msgspec.Raw] | None = None


_KEYS = msgspec.json.Decoder(_Keys)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)


def view_of(item: bytes, limits: Limits) -> View:
    """The view of a content. Raises Unreadable."""
    role, parts = read_content(item)
    if role not in _ROLES:
        raise Unreadable(f"a content has the role {role!r}: user, model or function is known")
    return _model(item, parts, limits) if role == "model" else _user(item, parts, limits)


class _Action:
    """What a model's content says, gathered part by part."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.size, self.thinking = MESSAGE_SIZE, 0
        self.lines: list[str] = []
        self.calls: list[Call] = []
        self.answered: list[str] = []

    def asked(self, key: str, name: str, written: str, size: int) -> None:
        self.size += size
        self.calls.append(Call(key, name))
        self.lines.append(called(key, name, written, self.limits.arguments))

    def answer(self, key: str, name: str, texts: list[str], failed: bool, size: int) -> None:
        self.size += size
        self.answered.append(key)
        head = result_head(self.limits.told(" ".join(texts)), failed)
        self.lines.append(lead_of(key, name) + head)


def _model(item: bytes, parts: list[Part], limits: Limits) -> View:
    action = _Action(limits)
    for at, part in enumerate(parts):
        action.size += part.signed
        if not (_acted(action, part) or _worked(action, part)):
            action.size += _size(part)
            if part.thought is True:
                action.thinking += _size(part)
            elif part.text is not None:
                action.lines.append(said(word(part.text), limits.verbatim))
            else:
                action.lines.append(_named(item, at, part))
    return action_view(action.size, action.lines, action.calls, action.answered, False, thinking=action.thinking)


def _acted(action: _Action, part: Part) -> bool:
    """Take a call of the client's tools, or one of the server's; was it one?"""
    call = part.call or part.toolCall or part.tool_call
    if call is not None:
        written = arguments(call.args, action.limits.arguments)
        action.asked(call.key, call.named, written, _asking(call.named, call, len(call.args)))
    return call is not None


def _worked(action: _Action, part: Part) -> bool:
    """Take what the server ran and what came of it; was it such a part?"""
    code, came = part.executableCode or part.executable_code, part.codeExecutionResult or part.code_execution_result
    answer = part.toolResponse or part.tool_response
    if code is not None:
        action.asked(code.key, CODE, word(code.code), _asking("", code, weight(word(code.code))))
    elif came is not None:
        failed = came.outcome not in (None, "OUTCOME_OK")
        action.answer(came.key, CODE, [word(came.output)], failed, _asking("", came, weight(word(came.output))))
    elif answer is not None:
        texts, failed, size = _said(answer, action.limits.reach)
        action.answer(answer.key, answer.named, texts, failed, _asking("", answer, size))
    return not (code is None and came is None and answer is None)


def _asking(name: str, part: Function | Code, size: int) -> int:
    return BLOCK_SIZE + len(word(part.id)) + len(name) + size


def _user(item: bytes, parts: list[Part], limits: Limits) -> View:
    if len(parts) == 1 and parts[0].response is not None:
        result, size = _result(parts[0].response, limits)
        return result_view("user", MESSAGE_SIZE + size, result, False)
    size, own, own_images = MESSAGE_SIZE, 0, 0
    lines: list[str] = []
    results: list[Result] = []
    for at, part in enumerate(parts):
        if part.response is not None:
            result, counted = _result(part.response, limits)
            size += counted
            results.append(result)
        elif part.text == "":
            size += BLOCK_SIZE
        else:
            own += _size(part)
            own_images += part.is_image
            text = part.text
            lines.append(_named(item, at, part) if text is None else observed(word(text), limits.verbatim, limits.told))
    line = " | ".join([each for each in lines if each])
    return View(
        role="user",
        size=size + own,
        line=spelled(line),
        results=tuple(results),
        own=own,
        own_images=own_images,
    )


def _size(part: Part) -> int:
    """Bytes counted for a part that is no call and no result: its text or payload, and 16."""
    if part.is_image:
        return BLOCK_SIZE + IMAGE_SIZE
    return BLOCK_SIZE + weight(word(part.blob.data if part.blob is not None else part.text))


def _named(item: bytes, at: int, part: Part) -> str:
    """What stands in a line for a part that is no text; nothing where it holds no data."""
    if part.blob is not None:
        return "[image]" if part.is_image else "[document]"
    found = decoded(_KEYS, item).parts
    members = found[at] if isinstance(found, list) else found or {}
    kind = next((key for key, value in members.items() if key not in _BESIDE and bytes(value) != b"null"), "")
    return f"[{bare(kind)}]" if kind else ""


def _result(response: Function, limits: Limits) -> tuple[Result, int]:
    """A result and the bytes counted for it."""
    texts, failed, size = _said(response, limits.reach)
    inner = response.parts or []
    texts += ["[image]" if part.is_image else "[document]" for part in inner]
    size += sum([IMAGE_SIZE if part.is_image else _size(part) - BLOCK_SIZE for part in inner])
    head = result_head(limits.told(" ".join(texts)), failed)
    images = sum([part.is_image for part in inner])
    return result_of(response.key, head, response.named, images), _asking("", response, size)


def _said(response: Function, limit: int) -> tuple[list[str], bool, int]:
    """The texts of a response as far as a line may need them, whether it says that it failed, and its bytes.

    By the API's convention `output` is what the tool said and `error` what went wrong: these come first. Other
    members are led by their names, but where there is one alone.
    """
    written = bytes(response.response)
    if written[:1] != b"{":
        return [_head(written, limit)] if written else [], False, len(written)
    members = decoded(_MEMBERS, written)
    values = {key: _value(bytes(raw), limit) for key, raw in members.items()}
    size = sum([counted for _, counted in values.values()])
    failed = bytes(members.get("error", _NONE)) not in (b"", b"null", b"false", b'""', b"{}", b"[]")
    first = [key for key in ("error", "output") if key in values and (key == "output" or failed)]
    rest = [key for key in values if key not in ("error", "output")]
    texts = [values[key][0] for key in first]
    texts += [values[key][0] if len(rest) == 1 and not first else f"{bare(key)}: {values[key][0]}" for key in rest]
    return texts, failed, size


def _value(written: bytes, limit: int) -> tuple[str, int]:
    """A member of a response as a line may need it, and its bytes: a text decoded, all else as it is written."""
    if written[:1] != b'"':
        return _head(written, limit), len(written)
    text = decoded(_TEXT, written)
    return text[: limit * READ_AHEAD + 1] if limit else text, weight(text)


def _head(written: bytes, limit: int) -> str:
    return (written[: 2 * limit * READ_AHEAD] if limit else written).decode("utf-8", "ignore")


def whole(response: Function) -> tuple[str, bool]:
    """All that a response says, and whether it says that it failed."""
    texts, failed, _ = _said(response, 0)
    return " ".join(texts), failed
