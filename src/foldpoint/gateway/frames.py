"""AWS's binary event stream (`application/vnd.amazon.eventstream`), cut anywhere, as the events that it carries."""

from collections.abc import Iterator

import msgspec

KIND = "application/vnd.amazon.eventstream"
LONGEST_FRAME = 1 << 20
PIECE = 16 << 10
"""Bytes taken at once: the decoder copies what it holds for each frame that it finds in it."""


class _Chunk(msgspec.Struct, gc=False):
    bytes: bytes


_CHUNK = msgspec.json.Decoder(_Chunk)


class Frames:
    """The events as JSON: Converse's own, or those that InvokeModel wraps in its chunks.

    Raises ImportError where botocore (the extra `bedrock`) is not installed.
    """

    def __init__(self) -> None:
        from botocore.eventstream import EventStreamBuffer, ParserError

        self._buffer = EventStreamBuffer()
        self._wrong = (ParserError, UnicodeDecodeError)
        self._waiting = 0
        self._broken = False

    def events(self, chunk: bytes) -> Iterator[bytes]:
        """The events that end in the next bytes; a stream that is none, or a long frame, is given up."""
        for at in range(0, len(chunk), PIECE):
            if self._broken:
                return
            yield from self._taken(chunk[at : at + PIECE])

    def _taken(self, piece: bytes) -> Iterator[bytes]:
        self._waiting += len(piece)
        self._buffer.add_data(piece)
        try:
            for message in self._buffer:
                self._waiting = 0
                yield event_of(message.headers.get(":event-type"), message.payload)
        except self._wrong:
            self._broken = True
        self._broken = self._broken or self._waiting > LONGEST_FRAME


def event_of(kind: object, payload: bytes) -> bytes:
    """The event of a frame; nothing for a chunk that can't be read."""
    if kind != "chunk":
        return payload
    try:
        return _CHUNK.decode(payload).bytes
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return b""


def frames() -> Frames | None:
    """A reader of such a stream; None where botocore is not installed."""
    try:
        return Frames()
    except ImportError:
        return None
