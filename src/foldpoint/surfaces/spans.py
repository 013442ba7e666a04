"""Spans: where the values of a JSON body stand, so that what is kept leaves as the bytes that came in."""

import ctypes
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

import msgspec

from ..core.errors import Unreadable
from ..core.span import Spans

T = TypeVar("T")
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])

_BLANKS = b" \t\r\n"
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


class _Buffer(ctypes.Structure):
    """CPython's Py_buffer: the only way to learn where a msgspec.Raw points into its body without searching for it."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_get_buffer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)(
    ("PyObject_GetBuffer", ctypes.pythonapi)
)
_release_buffer = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Buffer))(("PyBuffer_Release", ctypes.pythonapi))


def _address(value: bytes | msgspec.Raw) -> int:
    view = _Buffer()
    _get_buffer(value, view, 0)
    address = view.buf or 0
    _release_buffer(view)
    return int(address)


def offset(raw: msgspec.Raw, body: bytes) -> int:
    """Where a Raw that was decoded from `body` begins in it, in bytes."""
    return _address(raw) - _address(body)


def spans(raws: Sequence[msgspec.Raw], source: bytes, body: bytes) -> Spans:
    """Where neighbouring array elements that were decoded from `source`, which is like `body`, stand in `body`."""
    if not raws:
        return Spans(body, [], [])
    sizes, base = [len(raw) + 1 for raw in raws], _address(source)
    starts = list(accumulate(sizes, initial=_address(raws[0]) - base))
    starts.pop()
    if starts[-1] != _address(raws[-1]) - base:
        starts = [_address(raw) - base for raw in raws]
    return Spans(body, starts, [start + size - 1 for start, size in zip(starts, sizes, strict=True)])


def elements(array: bytes) -> list[bytes]:
    """The elements of a JSON array, each as it is written."""
    raws, source = sourced(_RAWS, array)
    return spans(raws, source, array)[:]


def past_blanks(body: bytes, at: int) -> int:
    """The next position from `at` on that holds no blank."""
    while at < len(body) and body[at] in _BLANKS:
        at += 1
    return at


def whole_surrogates(body: bytes) -> bytes:
    """A copy of the same length in which every escape of half a surrogate pair is `\\ufffd`."""
    return _ESCAPES.sub(lambda found: rb"\ufffd" if found[1] else found[0], body)


def sourced(decoder: msgspec.json.Decoder[T], data: bytes) -> tuple[T, bytes]:
    """Decode, half surrogates read as U+FFFD; with it the bytes that were decoded. Raises Unreadable."""
    try:
        return decoder.decode(data), data
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        patched = whole_surrogates(data)
        if patched == data:
            raise Unreadable(str(error)) from None
    try:
        return decoder.decode(patched), patched
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def decoded(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    """Decode, half surrogates read as U+FFFD. Raises Unreadable."""
    return sourced(decoder, data)[0]
