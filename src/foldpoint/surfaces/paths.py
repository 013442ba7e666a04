"""What a request's path says: some providers name the model there and not in the body."""

import re

_MODEL = re.compile(r"/model/(.+)/[a-z-]+$|([^/:]+)(?::|%3[Aa])[A-Za-z]+/?$")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def model_in(path: str) -> str:
    """The model that a path names, percent-escapes read (`/model/ID/converse`, `…/ID:generateContent`); else nothing.

    On Bedrock an id may hold a `:`, an ARN a `/`, bare or escaped.
    """
    found = _MODEL.search(path.partition("?")[0])
    return unescaped(found[1] or found[2]) if found else ""


def unescaped(text: str) -> str:
    """The text with its percent-escapes read as UTF-8."""
    return _ESCAPED.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)
