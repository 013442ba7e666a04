"""AWS's Signature Version 4: what a client signed, and how a request is signed anew once its body is another.

The signature covers the body's hash, the path and the host, so what we send needs one of ours. botocore makes it.
"""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from .headers import Field, raw_of, text

ALGORITHM = "AWS4-HMAC-SHA256"
ANY = b"AWS4-"
"""How the authorization of any signature of AWS's begins."""
_AUTHORIZATION = re.compile(
    rf"{ALGORITHM} +Credential=([^/,\s]+)/(\d{{8}})/([\w-]+)/([\w-]+)/aws4_request, *"
    r"SignedHeaders=([^,\s]+), *Signature=([0-9a-f]+)"
)
_REGION = re.compile(r"bedrock[\w-]*\.([a-z]{2}[a-z0-9-]+)\.(?:amazonaws|api\.aws)")
OF_A_SIGNATURE = frozenset((b"authorization", b"x-amz-date", b"x-amz-security-token", b"x-amz-content-sha256"))
SIGNED_TOO = frozenset(("content-type", "accept"))


class Keys(Protocol):
    """Credentials, as botocore has them."""

    access_key: str
    secret_key: str
    token: str | None


class Scope(NamedTuple):
    """What a signature is for, and which headers it covers (small letters)."""

    key_id: str
    region: str
    service: str
    headers: frozenset[str]
    signature: str


def scope_of(headers: Mapping[str, str]) -> Scope | None:
    """What a request's signature is for; None where it bears none."""
    found = _AUTHORIZATION.fullmatch(headers.get("authorization", "").strip())
    if found is None:
        return None
    key_id, _, region, service, names, signature = found.groups()
    return Scope(key_id, region, service, frozenset(names.lower().split(";")), signature)


def is_signed(headers: Mapping[str, str]) -> bool:
    """Does the request bear a signature, readable or not?"""
    return headers.get("authorization", "").lstrip().startswith(ANY.decode())


def scope_for(url: str) -> Scope:
    """What a request is signed for that came without a signature: Bedrock in the region of its address."""
    region = _REGION.search(url)
    return Scope("", region[1] if region else "us-east-1", "bedrock", SIGNED_TOO, "")


def signed(method: str, url: str, fields: list[Field], content: bytes, scope: Scope, keys: Keys) -> list[Field]:
    """The headers with a signature of ours over them, for the region and service of the scope."""
    from botocore.auth import SigV4Auth

    kept = [(name, value) for name, value in fields if name.lower() not in OF_A_SIGNATURE]
    covered = {"x-amz-content-sha256": sha256(content).hexdigest()}
    for name, raw in kept:
        low, value = text(name.lower()), text(raw)
        if (low in scope.headers or low.startswith("x-amz-")) and value.isascii():
            covered[low] = f"{covered[low]},{value}" if low in covered else value
    request = _request(method, url, covered, content)
    SigV4Auth(keys, scope.service, scope.region).add_auth(request)
    said = [(raw_of(name), raw_of(value)) for name, value in request.headers.items()]
    ours = [(name, value) for name, value in said if name.lower() in OF_A_SIGNATURE]
    return [*kept, *ours]


def is_signed_with(keys: Keys, method: str, url: str, headers: Mapping[str, str], content: bytes, scope: Scope) -> bool:
    """Did whoever signed the request hold these keys? `url` is the one the client asked, `headers` the client's."""
    from botocore.auth import SigV4Auth

    digest = headers.get("x-amz-content-sha256", "")
    stamp = headers.get("x-amz-date", "")
    if scope.key_id != keys.access_key or (digest and digest != sha256(content).hexdigest()):
        return False
    if (
        "host" not in scope.headers
        or not re.fullmatch(r"\d{8}T\d{6}Z", stamp)
        or not scope.headers <= {name.lower() for name in headers}
    ):
        return False
    covered = {name: headers[name] for name in scope.headers}
    if not "".join(covered.values()).isascii():
        return False
    request = _request(method, url, covered, content)
    request.context["timestamp"] = stamp
    auth = SigV4Auth(keys, scope.service, scope.region)
    mine = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    return hmac.compare_digest(mine, scope.signature)


def _request(method: str, url: str, headers: Mapping[str, str], content: bytes) -> Any:
    from botocore.awsrequest import AWSRequest

    return AWSRequest(method=method, url=url, headers=dict(headers), data=content)
