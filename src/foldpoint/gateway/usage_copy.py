"""What a provider billed, read from a copy of the answer as it passes: incremental, in bounded memory.

Only events of a stream that hold a usage object are parsed, of a long line its end alone; a plain answer is kept up to
`LONGEST_JSON`.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from foldpoint.core.usage import MOST, Usage

from .frames import KIND, Frames, frames

LONGEST_JSON = 4 << 20
LONGEST_LINE = 256 << 10
KEPT_OF_LINE = 64 << 10
"""Bytes of the end of a longer line: the last event of a Responses stream repeats the whole answer, usage last."""
INFLATED_AT_ONCE = 256 << 10
USAGE = re.compile(rb'"usage(?:Metadata)?"\s*:\s*\{')
USAGE_TEXT = re.compile(USAGE.pattern.decode())

Counts = dict[str, Any]


class Copy(Protocol):
    """Something that is fed an answer's plain bytes and knows the usage object afterwards."""

    def feed(self, chunk: bytes) -> None: ...

    def counts(self) -> Counts: ...


class EventStreamCopy:
    """Server-sent events: the usage objects of all events, the larger count of each name (they are cumulative)."""

    def __init__(self) -> None:
        self._counts: Counts = {}
        self._line = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        end = chunk.rfind(b"\n") + 1
        if end:
            self._lines(bytes(self._line) + chunk[:end] if self._line or self._too_long else chunk[:end])
            self._line.clear()
        self._line += chunk[end:]
        if len(self._line) > LONGEST_LINE:
            del self._line[:-KEPT_OF_LINE]
            self._too_long = True

    def counts(self) -> Counts:
        """The counts so far, the last line without a line feed included."""
        self._lines(bytes(self._line))
        return self._counts

    def _lines(self, block: bytes) -> None:
        if self._too_long:
            cut, _, block = block.partition(b"\n")
            merge(self._counts, last_usage(cut))
            self._too_long = False
        if b'"usage' in block and USAGE.search(block):
            for line in block.splitlines():
                if line.startswith(b"data:") and USAGE.search(line):
                    merge(self._counts, usage_object(line[5:]))


class FramesCopy:
    """AWS's binary event stream: the usage objects of all events."""

    def __init__(self, read: Frames) -> None:
        self._counts: Counts = {}
        self._read = read

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        for event in self._read.events(chunk):
            if b'"usage"' in event:
                merge(self._counts, usage_object(event))

    def counts(self) -> Counts:
        """The counts so far."""
        return self._counts


class JsonCopy:
    """One JSON document."""

    def __init__(self) -> None:
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; past `LONGEST_JSON` the answer is given up."""
        if len(self._body) <= LONGEST_JSON:
            self._body += chunk

    def counts(self) -> Counts:
        """The document's usage object; of a list of events (Gemini streams so) that of all."""
        return usage_object(self._body) if len(self._body) <= LONGEST_JSON and USAGE.search(self._body) else {}


class InflatedCopy:
    """A gzip or deflate answer, inflated piece by piece for the copy behind it."""

    def __init__(self, inner: Copy, window: int) -> None:
        self._inner = inner
        self._inflate = zlib.decompressobj(window)
        self._broken = False

    def feed(self, chunk: bytes) -> None:
        """Take the next compressed bytes; what does not inflate is given up."""
        while chunk and not self._broken:
            try:
                plain = self._inflate.decompress(chunk, INFLATED_AT_ONCE)
            except zlib.error:
                self._broken = True
                return
            self._inner.feed(plain)
            chunk = self._inflate.unconsumed_tail

    def counts(self) -> Counts:
        """The counts of the copy behind it."""
        return self._inner.counts()


class UsageCopy:
    """The copy of one answer: feed it every chunk, then ask for the usage."""

    def __init__(self, surface: str, headers: Mapping[str, str]) -> None:
        self._normalised = NORMALISED.get(surface)
        self._copy = copy_of(headers) if self._normalised else None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer as they were sent."""
        if self._copy is not None:
            self._copy.feed(chunk)

    def usage(self) -> Usage | None:
        """What was billed; None where the answer does not say it, or not in a way we can read."""
        counts = self._copy.counts() if self._copy is not None else {}
        return self._normalised(counts) if self._normalised and counts else None


def copy_of(headers: Mapping[str, str]) -> Copy | None:
    """The copy that an answer with these headers needs; None where none can be read."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    copy = copy_of_kind(kind)
    encoding = headers.get("content-encoding", "").strip().lower()
    if copy is None or encoding in ("", "identity"):
        return copy
    window = {"gzip": 31, "x-gzip": 31, "deflate": 15}.get(encoding)
    return InflatedCopy(copy, window) if window else None


def copy_of_kind(kind: str) -> Copy | None:
    """The copy of an answer of a content type; None where it says no usage, or what reads it is not installed."""
    if kind == KIND:
        read = frames()
        return FramesCopy(read) if read else None
    return EventStreamCopy() if kind == "text/event-stream" else JsonCopy() if kind.endswith("json") else None


def usage_object(document: bytes | bytearray) -> Counts:
    """The usage object of an answer or event: at the top, inside `message` as Anthropic begins a stream, or inside
    `response` as a Responses stream ends."""
    try:
        event = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    if isinstance(event, list):
        counts: Counts = {}
        for each in event:
            merge(counts, usage_of(each))
        return counts
    return usage_of(event)


def usage_of(event: object) -> Counts:
    """The usage object of a decoded answer or event."""
    if not isinstance(event, dict):
        return {}
    message = event.get("message") or event.get("response")
    usage = (
        event.get("usage")
        or event.get("usageMetadata")
        or (message.get("usage") if isinstance(message, dict) else None)
    )
    return usage if isinstance(usage, dict) else {}


def last_usage(cut: bytes) -> Counts:
    """The last usage object in the end of a long line; what only looks like one counts no tokens."""
    text = cut.decode("utf-8", "replace")
    for found in reversed(list(USAGE_TEXT.finditer(text))):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, found.end() - 1)
        except (ValueError, RecursionError):
            continue
        if any(name.endswith("_tokens") and isinstance(value[name], int) for name in value):
            return dict(value)
    return {}


def merge(counts: Counts, later: Counts) -> None:
    """Take over what a later event counts; a smaller count is no news (counts only grow)."""
    for name, value in later.items():
        before = counts.get(name)
        if value is not None and not (isinstance(before, int) and isinstance(value, int) and value < before):
            counts[name] = value


def anthropic(counts: Counts) -> Usage:
    """`input_tokens` leaves out what was read from and written to the cache."""
    return Usage(
        input=count(counts, "input_tokens"),
        cache_read=count(counts, "cache_read_input_tokens"),
        cache_write=count(counts, "cache_creation_input_tokens"),
        output=count(counts, "output_tokens"),
    )


def openai_chat(counts: Counts) -> Usage:
    """Chat completions' names."""
    return openai(counts, "prompt_tokens", "completion_tokens")


def openai_responses(counts: Counts) -> Usage:
    """The Responses API's names."""
    return openai(counts, "input_tokens", "output_tokens")


def openai(counts: Counts, prompt: str, answer: str) -> Usage:
    """The count of the whole prompt, whose details say what of it was cached and what written to the cache."""
    given = counts.get(f"{prompt}_details")
    details = given if isinstance(given, dict) else {}
    read, write = count(details, "cached_tokens"), count(details, "cache_write_tokens")
    plain = max(0, count(counts, prompt) - read - write)
    return Usage(input=plain, cache_read=read, cache_write=write, output=count(counts, answer))


def gemini(counts: Counts) -> Usage:
    """`promptTokenCount` is the whole prompt, cached tokens too; what the server's tools read is counted beside it."""
    read = count(counts, "cachedContentTokenCount")
    prompt = count(counts, "promptTokenCount") + count(counts, "toolUsePromptTokenCount")
    output = count(counts, "candidatesTokenCount") + count(counts, "thoughtsTokenCount")
    return Usage(input=max(0, prompt - read), cache_read=read, output=output)


def bedrock(counts: Counts) -> Usage:
    """`totalTokens` is all of it; `inputTokens` leaves out cached tokens with some models and not with others."""
    read, write = count(counts, "cacheReadInputTokens"), count(counts, "cacheWriteInputTokens")
    total, output = count(counts, "totalTokens"), count(counts, "outputTokens")
    plain = total - output - read - write if total else count(counts, "inputTokens")
    return Usage(input=max(0, plain), cache_read=read, cache_write=write, output=output)


def count(counts: Counts, name: str) -> int:
    """A count, 0 where there is none; of one that cannot be, as much as may be."""
    value = counts.get(name)
    return min(value, MOST) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


NORMALISED: Mapping[str, Callable[[Counts], Usage]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "bedrock": bedrock,
    "gemini": gemini,
}
