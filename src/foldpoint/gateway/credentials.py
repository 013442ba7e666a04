"""Our own credential for a provider, put in where the client sent none.

Never for a page in a browser: any page may send requests to a loopback port.
"""

from collections.abc import Mapping

from .headers import Pairs
from .sigv4 import ANY, OF_A_SIGNATURE

CREDENTIALS = frozenset(("authorization", "x-api-key", "x-goog-api-key", "api-key"))
FROM_BROWSERS = frozenset(("origin", "sec-fetch-site"))
HEADER: Mapping[str, tuple[str, str]] = {
    "openai": ("Authorization", "Bearer "),
    "anthropic": ("x-api-key", ""),
    "gemini": ("x-goog-api-key", ""),
    "bedrock": ("Authorization", "Bearer "),
}


def with_credential(headers: Pairs, upstream: str, key: str | None) -> Pairs:
    """The headers with our key, where there is one and the client is a program that brought none of its own.

    A signature counts for none: it is over the address of the gateway, and AWS would refuse it.
    """
    if key is None:
        return headers
    if any(name.lower() == "authorization" and value.startswith(ANY) for name, value in headers):
        headers = [(name, value) for name, value in headers if name.lower() not in OF_A_SIGNATURE]
    if any(name.lower() in CREDENTIALS | FROM_BROWSERS for name, _ in headers):
        return headers
    name, prefix = HEADER[upstream]
    return [*headers, (name, prefix + key)]
