"""Requests to AWS: signed anew where the gateway holds keys for it, else sent as they are and measured alone."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from loopback import Canned, Got, gateway
from yarl import URL

from foldpoint.config import Aws
from foldpoint.core.errors import FoldpointError
from foldpoint.core.record import Record
from foldpoint.gateway.sealing import Sealing
from foldpoint.gateway.serving import run

BODY = b'{"messages":[{"role":"user","content":[{"text":"long"}]}]}'
FOLDED = b'{"messages":[]}'
PATH = "/model/us.anthropic.claude-x-v1%3A0/converse"
ENV = Aws("AKIDOURS", "secret")
LENT = Aws("AKIDOURS", "secret", lends=True)
VERDICT = "x-ace-trajectory-compaction"


@dataclass
class Sent:
    """What came of one request: what the provider got, the answer's headers and the record."""

    got: Got
    headers: dict[str, str]
    record: Record
    url: str

    def one(self, name: str) -> str:
        """The header, once."""
        (value,) = self.got.values(name)
        return value


@dataclass
class Client:
    """How a client asks. `key`: its id and secret; None: it does not sign."""

    key: tuple[str, str] | None = ("AKIDOURS", "secret")
    region: str = "eu-west-1"
    headers: dict[str, str] = field(default_factory=dict)
    path: str = PATH
    body: bytes = BODY
    token: str | None = None
    hashed: bool = False


def signed(client: Client, url: str) -> dict[str, str]:
    """The headers as botocore signs them."""
    headers = {"content-type": "application/json", **client.headers}
    if client.hashed:
        headers["x-amz-content-sha256"] = sha256(client.body).hexdigest()
    request = AWSRequest("POST", url, headers=headers, data=client.body)
    if client.key:
        SigV4Auth(Credentials(*client.key, client.token), "bedrock", client.region).add_auth(request)
    return dict(request.headers.items())


def sent(client: Client, **settings: Any) -> Sent:
    """Send a request through a gateway whose engine folds everything."""

    async def main() -> Sent:
        async with gateway(Canned(FOLDED), **settings) as it:
            url = URL(f"{it.url}/bedrock{client.path}", encoded=True)
            async with it.client.post(url, data=client.body, headers=signed(client, str(url))) as answer:
                await answer.read()
            record = await it.recorder.first()
            return Sent(it.provider.got[0], dict(answer.headers), record, it.provider.url)

    return run(main())


def is_sound(sent: Sent, keys: Credentials, region: str) -> bool:
    """Does the signature that the provider got fit what it got, under these keys?"""
    authorization = sent.one("authorization")
    names = authorization.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    covered = {name: ",".join(sent.got.values(name)) for name in names}
    target = sent.got.line.split(" ")[1]
    request = AWSRequest("POST", f"http://{covered['host']}{target}", headers=covered, data=sent.got.body)
    request.context["timestamp"] = covered["x-amz-date"]
    auth = SigV4Auth(keys, "bedrock", region)
    mine = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    return authorization.endswith(f"Signature={mine}")


OURS = Credentials("AKIDOURS", "secret")


@pytest.mark.parametrize("hashed", [False, True])
def test_what_was_signed_with_the_gateways_keys_is_signed_anew(hashed: bool) -> None:
    """The folded body goes out under a signature that fits it, for the client's region."""
    it = sent(Client(hashed=hashed), aws=ENV)
    assert (it.got.body, it.headers[VERDICT], it.record.mode) == (FOLDED, "compacted", "prod")
    assert it.one("authorization").startswith("AWS4-HMAC-SHA256 Credential=AKIDOURS/")
    assert "/eu-west-1/bedrock/aws4_request" in it.one("authorization")
    assert it.one("x-amz-content-sha256") == sha256(FOLDED).hexdigest()
    assert it.one("content-length") == str(len(FOLDED))
    assert is_sound(it, OURS, "eu-west-1")


def test_headers_that_the_client_signed_are_signed_again() -> None:
    """And so is every header of AWS's own."""
    it = sent(Client(headers={"x-amzn-bedrock-trace": "ENABLED", "x-amz-user-agent": "js", "x-app": "cli"}), aws=ENV)
    names = it.one("authorization").partition("SignedHeaders=")[2].partition(",")[0]
    assert names == "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-user-agent;x-amzn-bedrock-trace;x-app"
    assert is_sound(it, OURS, "eu-west-1")


@pytest.mark.parametrize("path", ["/model/a.m-v1:0/converse", "/model/arn%3Aaws%3Ax%2Fa.m/converse?x=%20&a=1", PATH])
def test_paths_are_signed_as_they_are_sent(path: str) -> None:
    """Bare colons, escapes and queries."""
    it = sent(Client(path=path), aws=ENV)
    assert (it.got.line, is_sound(it, OURS, "eu-west-1")) == (f"POST {path} HTTP/1.1", True)


def test_a_session_token_is_the_gateways() -> None:
    """Temporary keys are three."""
    keys = Aws("AKIDOURS", "secret", "token")
    it = sent(Client(token="token"), aws=keys)
    assert (it.one("x-amz-security-token"), is_sound(it, Credentials("AKIDOURS", "secret", "token"), "eu-west-1")) == (
        "token",
        True,
    )


@pytest.mark.parametrize(
    ("client", "aws"),
    [
        (Client(), Aws()),
        (Client(key=("AKIDOTHER", "secret")), ENV),
        (Client(key=("AKIDOURS", "wrong")), ENV),
        (Client(headers={"origin": "http://page"}), LENT),
    ],
    ids=["no keys", "other keys", "another secret", "a page in a browser"],
)
def test_what_cannot_be_signed_anew_is_measured_alone(client: Client, aws: Aws) -> None:
    """Body and signature reach the provider as they are; verdict, record and mode say what and why."""
    it = sent(client, aws=aws)
    assert it.got.body == BODY
    assert it.one("authorization").startswith(f"AWS4-HMAC-SHA256 Credential={(client.key or [''])[0]}/")
    assert (it.headers[VERDICT], it.headers[f"{VERDICT}-reason"]) == ("would_compact", "signed")
    assert (it.headers[f"{VERDICT}-tokens-saved"], it.headers[f"{VERDICT}-messages-after"]) == ("0", "13")
    assert (it.record.mode, it.record.verdict, it.record.reason) == ("shadow", "would_compact", "signed")
    assert (it.record.tokens_saved, it.record.tokens_after, it.record.messages_compacted_count) == (0, 900, 0)


def test_a_session_id_stays_in_a_body_that_is_signed() -> None:
    """Nothing is taken out where the signature covers it."""
    body = b'{"session_id":"s","messages":[]}'
    it = sent(Client(body=body), aws=Aws())
    assert (it.got.body, it.record.session) == (body, "s")


@pytest.mark.parametrize("given", ["AWS4-HMAC-SHA256 Credential=REDACTED", "AWS4-ECDSA-P256-SHA256 Credential=a/b"])
def test_a_signature_that_cannot_be_read_is_measured_alone(given: str) -> None:
    """It may cover the body all the same."""
    it = sent(Client(key=None, headers={"authorization": given}), aws=LENT)
    assert (it.got.body, it.record.reason, it.one("authorization")) == (BODY, "signed", given)


def test_a_header_beyond_ascii_breaks_nothing() -> None:
    """It is sent and not signed where the keys were set; elsewhere the signature counts as another's."""
    client = Client(headers={"x-app": "ü"})
    lent, env = sent(client, aws=LENT), sent(client, aws=ENV)
    assert (lent.got.body, is_sound(lent, OURS, "eu-west-1"), lent.got.values("x-app") != []) == (FOLDED, True, True)
    assert (env.got.body, env.record.reason) == (BODY, "signed")


@pytest.mark.parametrize("client", [Client(key=("AKIDDUMMY", "dummy")), Client(key=None)], ids=["other", "none"])
def test_keys_that_were_set_serve_every_program(client: Client) -> None:
    """Whoever signed, or nobody; without a signature the region is that of the address, else us-east-1."""
    it = sent(client, aws=LENT)
    region = client.region if client.key else "us-east-1"
    assert (it.got.body, it.headers[VERDICT], is_sound(it, OURS, region)) == (FOLDED, "compacted", True)


def test_keys_in_the_environment_serve_nobody_who_does_not_sign() -> None:
    """Such a request goes on without a credential."""
    it = sent(Client(key=None), aws=ENV)
    assert (it.got.body, it.got.values("authorization"), it.record.mode) == (FOLDED, [], "prod")


@pytest.mark.parametrize("aws", [Aws(), ENV, LENT])
def test_a_bearer_key_passes_as_it_is(aws: Aws) -> None:
    """It vouches for any body."""
    it = sent(Client(key=None, headers={"authorization": "Bearer abc"}), aws=aws)
    assert (it.got.body, it.one("authorization"), it.headers[VERDICT]) == (FOLDED, "Bearer abc", "compacted")
    assert it.got.values("x-amz-date") == []


def test_a_bearer_key_of_ours_stands_in_for_a_signature() -> None:
    """The signature is over our address: AWS would refuse it."""
    it = sent(Client(), api_key="key")
    assert (it.got.body, it.one("authorization"), it.headers[VERDICT]) == (FOLDED, "Bearer key", "compacted")
    assert it.got.values("x-amz-date") == []


def test_in_shadow_a_request_is_signed_anew_too() -> None:
    """AWS takes no signature over the gateway's address."""
    it = sent(Client(), aws=ENV, mode="off")
    assert (it.got.body, it.record.mode, is_sound(it, OURS, "eu-west-1")) == (BODY, "off", True)


def test_other_paths_of_bedrock_are_signed_too() -> None:
    """A list that Claude Code asks for, without a body."""

    async def main() -> tuple[str, str]:
        async with gateway(Canned(FOLDED), aws=ENV) as it:
            url = f"{it.url}/bedrock/inference-profiles?type=SYSTEM_DEFINED"
            request = AWSRequest("GET", url)
            SigV4Auth(OURS, "bedrock", "us-east-1").add_auth(request)
            async with it.client.get(URL(url, encoded=True), headers=dict(request.headers.items())) as answer:
                await answer.read()
            got = it.provider.got[0]
            return got.line, got.values("x-amz-content-sha256")[0]

    line, digest = run(main())
    assert (line, digest) == ("GET /inference-profiles?type=SYSTEM_DEFINED HTTP/1.1", sha256(b"").hexdigest())


def test_other_providers_signatures_are_none_of_ours() -> None:
    """Only Bedrock's requests are looked at."""

    async def main() -> list[str]:
        async with gateway(Canned(FOLDED), aws=LENT) as it:
            headers = {"authorization": "AWS4-HMAC-SHA256 Credential=a"}
            async with it.client.post(f"{it.url}/v1/chat/completions", data=BODY, headers=headers) as answer:
                await answer.read()
            return [it.provider.got[0].body.decode(), *it.provider.got[0].values("authorization")]

    assert run(main()) == [FOLDED.decode(), "AWS4-HMAC-SHA256 Credential=a"]


def test_a_body_that_is_streamed_keeps_its_signature() -> None:
    """What is too large to be read is too large to be signed."""

    async def main() -> tuple[int, str]:
        async with gateway(Canned(FOLDED), aws=LENT, max_body_bytes=10) as it:
            url = URL(f"{it.url}/bedrock{PATH}", encoded=True)
            headers = signed(Client(), str(url))
            async with it.client.post(url, data=BODY, headers=headers) as answer:
                await answer.read()
            await asyncio.sleep(0)
            got = it.provider.got[0]
            return len(got.body), "same" if got.values("authorization") == [headers["Authorization"]] else "other"

    assert run(main()) == (len(BODY), "same")


def test_the_error_of_ours_has_the_shape_of_aws() -> None:
    """With its type in a header, on InvokeModel as on Converse."""

    async def main() -> tuple[int, str, Any]:
        async with (
            gateway(at="http://127.0.0.1:9") as it,
            it.client.post(f"{it.url}/bedrock/model/m/invoke", data=b"{}") as answer,
        ):
            return answer.status, answer.headers["x-amzn-errortype"], (await answer.json())["message"][:10]

    assert run(main()) == (502, "ServiceUnavailableException", "foldpoint:")


def test_a_profile_that_is_not_there_is_refused_at_the_start() -> None:
    """By the setting's name."""
    with pytest.raises(FoldpointError, match=r"upstreams\.bedrock\.aws_credentials: .*no-such-profile"):
        Sealing(Aws(profile="no-such-profile", lends=True))
