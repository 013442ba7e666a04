"""What a command prints, kept as its head and its tail, and the text that a model reads of it."""

import codecs
import re

_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n\r\b\f\x1b") + b"\x7f"


class Output:
    """Takes output of any length in the memory of `most` bytes: the first half of them and the last."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take what came next."""
        self.size += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(room, 0) :][-self._half :]
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def text(self) -> str:
        """All of it, or head and tail and between them how many bytes are left out; binary output is described."""
        head, tail = bytes(self._head), bytes(self._tail[-self._half :])
        left = self.size - len(head) - len(tail)
        if is_binary(head + tail):
            return f"[binary output, {self.size} bytes, begins {head[:16].hex(' ')}]"
        if not left:
            return plain(head + tail)
        begin = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
        return f"{begin.replace(chr(0), '�')}\n[{left} bytes left out]\n{plain(_from_a_character(tail))}"


def storable(text: str) -> str:
    """The text as every store and provider takes it: without NUL and halves of characters."""
    return plain(text.encode("utf-8", "replace"))


def plain(data: bytes) -> str:
    """The bytes as text: what is no UTF-8, and NUL, as U+FFFD."""
    return data.decode("utf-8", "replace").replace("\0", "�")


def is_binary(data: bytes) -> bool:
    """Whether more than a tenth of it is control characters or a third of it no UTF-8."""
    controls = len(data) - len(data.translate(None, _CONTROL))
    broken = data.decode("utf-8", "replace").count("�") if not data.isascii() else 0
    return controls * 10 > len(data) or broken * 3 > len(data)


def _from_a_character(tail: bytes) -> bytes:
    """The tail without the rest of a character that was cut."""
    return re.sub(rb"\A[\x80-\xbf]{1,3}", b"", tail)
