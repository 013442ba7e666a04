"""Names of what lies in Valkey: one place for the prefix, and no name of ours inside another's."""

from urllib.parse import quote

PREFIX = "foldpoint"


def named(kind: str, name: str) -> str:
    """The key for something of that kind; two names never share one."""
    return f"{PREFIX}:{kind}:{quote(name, safe='', errors='surrogatepass')}"
