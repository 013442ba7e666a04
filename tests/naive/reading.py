"""From a body to head and turns, on every surface."""

from . import anthropic, bedrock, chat, gemini, rawjson, responses
from .model import LISTS, Reading, split

MESSAGE = {
    "openai-chat": chat.message,
    "openai-responses": responses.message,
    "anthropic": anthropic.message,
    "bedrock": bedrock.message,
    "gemini": gemini.message,
}


class NotRead(Exception):
    """The body is not one of the surface."""


def read(body: bytes, surface: str) -> Reading:
    """Read a body from nothing."""
    try:
        text = body.decode()
        found = rawjson.value(text)
    except ValueError as error:
        raise NotRead(str(error)) from None
    key = LISTS.get(surface, "messages")
    if not isinstance(found, dict) or not isinstance(found.get(key), list):
        raise NotRead("no message list")
    start, end = rawjson.list_span(text, key)
    raws = rawjson.elements(text[start:end])
    if not all(isinstance(message, dict) for message in found[key]):
        raise NotRead("a message is no object")
    message = MESSAGE[surface]
    messages = [message(at, value, raw) for at, (value, raw) in enumerate(zip(found[key], raws, strict=True))]
    return split(surface, gemini.numbered(messages) if surface == "gemini" else messages, raws)


def ends(body: bytes, surface: str) -> list[int]:
    """For n = 1…N how many messages the request has that ends with turn n."""
    reading = read(body, surface)
    return [turn.messages[-1].at + 1 for turn in reading.turns]


def cut(body: bytes, count: int, surface: str) -> bytes:
    """The body with its first `count` messages alone, every byte of the rest as it was."""
    text = body.decode()
    start, end = rawjson.list_span(text, LISTS.get(surface, "messages"))
    spans = rawjson.element_spans(text[:end], start)
    return (text[: spans[count - 1][1]] + text[end - 1 :]).encode()


def prefixes(body: bytes, surface: str, most: int = 60) -> list[bytes]:
    """The requests that end with each turn: all of the first `most`, later two of twenty-five, and the last."""
    return [step for _, step in numbered(body, surface, most)]


def numbered(body: bytes, surface: str, most: int = 60) -> list[tuple[int, bytes]]:
    """(turn, the request that ends with it)."""
    counts = ends(body, surface)
    last = len(counts)
    wanted = [n for n in range(1, last + 1) if n <= most or n % 25 in (0, 1) or n == last]
    text = body.decode()
    start, end = rawjson.list_span(text, LISTS.get(surface, "messages"))
    spans = rawjson.element_spans(text[:end], start)
    return [(n, (text[: spans[counts[n - 1] - 1][1]] + text[end - 1 :]).encode()) for n in wanted]
