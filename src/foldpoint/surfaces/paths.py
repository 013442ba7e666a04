"""What a request's path says: some providers name the model there and not in the body."""

import re

_MODEL = re.compile(r"/model/([^?]+)/[a-z-]+(?:\?|$)|/models/([^?]+):[A-Za-z]+(?:\?|$)")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def model_in(path: str) -> str:
    """The model that a path names, percent-escapes read (`/model/ID/converse`, `…/models/ID:rawPredict`); else nothing.

    Behind it an id may hold a bare `:` or an escaped one, an ARN a bare `/` or an escaped one.
    """
    found = _MODEL.search(path)
    return unescaped(found[1] or found[2]) if found else ""


def unescaped(text: str) -> str:
    """The text with its percent-escapes read as UTF-8."""
    return _ESCAPED.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)
