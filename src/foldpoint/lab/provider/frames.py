"""AWS's binary event stream, written: a prelude with lengths, headers, a payload, and a checksum of each part."""

import struct
from binascii import crc32
from collections.abc import Mapping
from typing import Any

import msgspec

KIND = "application/vnd.amazon.eventstream"
STRING = 7


def event(kind: str, payload: Mapping[str, Any]) -> bytes:
    """One event of a stream."""
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, msgspec.json.encode(payload))


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One frame (docs.aws.amazon.com, Amazon Transcribe, "Event stream encoding")."""
    named = b"".join(header(name, value.encode()) for name, value in headers.items())
    prelude = struct.pack("!II", 16 + len(named) + len(payload), len(named))
    whole = prelude + struct.pack("!I", crc32(prelude)) + named + payload
    return whole + struct.pack("!I", crc32(whole))


def header(name: str, value: bytes) -> bytes:
    """A header whose value is a string."""
    return struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", STRING, len(value)) + value
