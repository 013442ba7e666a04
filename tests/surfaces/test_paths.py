"""The model that a path names."""

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.surfaces import SURFACES
from foldpoint.surfaces.paths import model_in


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/model/a.m-v1%3A0/converse", "a.m-v1:0"),
        ("/model/a.m-v1%3a0/invoke", "a.m-v1:0"),
        ("/model/a.m-v1:0/invoke-with-response-stream?x=/y", "a.m-v1:0"),
        ("/model/arn:aws:bedrock:x:1:inference-profile/a.m/converse", "arn:aws:bedrock:x:1:inference-profile/a.m"),
        ("/model/arn%3Aaws%3Ax%2Feu.a.m/count-tokens", "arn:aws:x/eu.a.m"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5@x:rawPredict", "claude-opus-5-5@x"),
        ("/v1beta/models/g-1.5:streamGenerateContent?alt=sse", "g-1.5"),
        ("/model/%FF/converse", "\ufffd"),
        ("/model/100%/converse", "100%"),
        ("/v1/messages", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_model_in_a_path(path: str, model: str) -> None:
    """Escapes read as UTF-8; nothing where the path names none."""
    assert model_in(path) == model


def test_invoke_model_names_the_model_in_the_path() -> None:
    """A body of Anthropic's, without `model`."""
    body = b'{"anthropic_version":"bedrock-2023-05-31","messages":[]}'
    assert SURFACES["anthropic"].read(body, "/model/us.anthropic.claude-opus-5-5/invoke").model == (
        "us.anthropic.claude-opus-5-5"
    )


def test_invoke_model_takes_other_formats() -> None:
    """A list of messages that is not Anthropic's is none of ours to fold."""
    with pytest.raises(Unreadable):
        SURFACES["anthropic"].read(b'{"messages":[]}', "/model/amazon.nova-pro-v1:0/invoke")
