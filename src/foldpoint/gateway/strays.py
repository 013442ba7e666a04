"""Keys of ours where none belongs: in another header, a scheme or an address that would go on to the provider."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from .credentials import CREDENTIALS
from .headers import Fields, is_sent_on, raw_of, text

BEGINS = b"fp-"
BEARER = re.compile(rb"(?i:bearer)[ \t]+")
AUTHORIZATION, BASIC = b"authorization", b"basic"
PLACES = CREDENTIALS | {b"x-foldpoint-key"}
"""Headers that a key of ours may stand in."""
ALIKE = re.compile(rb"(?=(fp-[A-Za-z0-9_-]{43}))")
"""What has the form of a key, wherever it begins."""


def token_of(value: bytes) -> bytes:
    """The credential in a header's value."""
    value = value.strip()
    scheme = BEARER.match(value)
    return value[scheme.end() :] if scheme else value


def strays(fields: Fields, target: str) -> dict[bytes, str]:
    """What looks like a key of ours where it would be sent on, and where that is.

    A header that holds nothing else in its place is left out: it is taken off.
    """
    found: dict[bytes, str] = {}
    for name, value in fields:
        if BEGINS in value or (len(name) == len(AUTHORIZATION) and value[:1] in b"bB"):
            low = name.lower()
            if is_sent_on(low) and not is_a_key(low, value):
                found.update(dict.fromkeys(ALIKE.findall(value + b" " + _decoded(value)), f"the header {text(low)}"))
    if "fp-" in target or "%" in target:
        said = raw_of(target)
        found.update(dict.fromkeys(ALIKE.findall(said + b" " + unquote_to_bytes(said)), "the address"))
    return found


def is_a_key(low: bytes, value: bytes) -> bool:
    """Is the header of that (lower-case) name one of a key of ours, and of nothing else?"""
    return BEGINS in value and low in PLACES and token_of(value).startswith(BEGINS)


def credentials(fields: Fields, target: str) -> Iterator[bytes]:
    """Everything that a request may bring to be let in by, for a comparison with another secret."""
    for name, value in fields:
        if name.lower() in PLACES:
            yield token_of(value)
    for member in raw_of(target.partition("?")[2]).split(b"&") if "?" in target else ():
        yield unquote_to_bytes(member.partition(b"=")[2])


def _decoded(value: bytes) -> bytes:
    """What a header's value says behind `Basic`; nothing where it is another."""
    try:
        return b64decode(value[len(BASIC) :]) if value[: len(BASIC)].lower() == BASIC else b""
    except binascii.Error:
        return b""
