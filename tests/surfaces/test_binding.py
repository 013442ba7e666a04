"""The setting that leaves out thinking of another prefix, as it is written into a body."""

import json

import pytest

from foldpoint.surfaces.binding import BETA, bound

SET = b'"block_binding":{"prefix_mismatch_behavior":"drop_block"}'


@pytest.mark.parametrize(
    ("given", "asking"),
    [
        (b'{"a":1}', b'{"thinking":{"type":"adaptive",' + SET + b'},"a":1}'),
        (b" { }", b' {"thinking":{"type":"adaptive",' + SET + b"} }"),
        (b'{"thinking": null, "a":1}', b'{"thinking": {"type":"adaptive",' + SET + b'}, "a":1}'),
        (b'{"a":1,"thinking":{"type":"adaptive"}}', b'{"a":1,"thinking":{' + SET + b',"type":"adaptive"}}'),
        (
            b'{"thinking":{"type":"enabled","budget_tokens":9,"block_binding":null}}',
            b'{"thinking":{"type":"enabled","budget_tokens":9,' + SET + b"}}",
        ),
        (
            b'{"thinking":{"type":"adaptive","block_binding":{ }}}',
            b'{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block" }}}',
        ),
        (
            b'{"thinking":{"type":"adaptive","block_binding":{"x":1,"prefix_mismatch_behavior":null}}}',
            b'{"thinking":{"type":"adaptive","block_binding":{"x":1,"prefix_mismatch_behavior":"drop_block"}}}',
        ),
        (
            b'{"t":"\\ud800","thinking":{"type":"adaptive"}}',
            b'{"t":"\\ud800","thinking":{' + SET + b',"type":"adaptive"}}',
        ),
        (
            b'{"thinking":{"type":"disabled"},"thinking":{"type":"adaptive"}}',
            b'{"thinking":{"type":"disabled"},"thinking":{' + SET + b',"type":"adaptive"}}',
        ),
    ],
)
def test_the_setting_is_put_in(given: bytes, asking: bytes) -> None:
    """Where there is none; every other byte stays, and the beta is for a header."""
    assert bound(given, "anthropic", "/v1/messages") == (asking, BETA)
    assert json.loads(asking)["thinking"]["block_binding"]["prefix_mismatch_behavior"] == "drop_block"


@pytest.mark.parametrize(
    "given",
    [
        b'{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}}',
        b'{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}}',
        b'{"thinking":{"type":"disabled"}}',
        b'{"thinking":{"type":"between_tools"}}',
        b'{"thinking":{}}',
        b'{"tool_choice":{"type":"any"}}',
        b'{"tool_choice":{"type":"tool","name":"t"},"thinking":null}',
        b'{"thinking":3}',
        b"[]",
        b"{",
    ],
)
def test_a_body_that_has_it_or_cant_have_it_stays(given: bytes) -> None:
    """The caller's own setting stands; thinking that is off has none."""
    sent, beta = bound(given, "anthropic", "/v1/messages")
    assert (sent is given, beta) == (True, "")


@pytest.mark.parametrize(
    ("given", "asking"),
    [
        (b"{}", b'{"anthropic_beta":["' + BETA.encode() + b'"],"thinking":{"type":"adaptive",' + SET + b"}}"),
        (
            b'{"anthropic_beta":["a"]}',
            b'{"thinking":{"type":"adaptive",' + SET + b'},"anthropic_beta":["' + BETA.encode() + b'","a"]}',
        ),
        (
            b'{"anthropic_beta":[ ]}',
            b'{"thinking":{"type":"adaptive",' + SET + b'},"anthropic_beta":["' + BETA.encode() + b'" ]}',
        ),
        (
            b'{"anthropic_beta":null}',
            b'{"thinking":{"type":"adaptive",' + SET + b'},"anthropic_beta":["' + BETA.encode() + b'"]}',
        ),
        (
            b'{"anthropic_beta":["' + BETA.encode() + b'"]}',
            b'{"thinking":{"type":"adaptive",' + SET + b'},"anthropic_beta":["' + BETA.encode() + b'"]}',
        ),
    ],
)
def test_invoke_model_names_the_beta_in_the_body(given: bytes, asking: bytes) -> None:
    """Bedrock reads no `anthropic-beta` header."""
    assert bound(given, "anthropic", "/model/anthropic.claude-opus-5-5/invoke") == (asking, "")
    assert BETA in json.loads(asking)["anthropic_beta"]


def test_other_surfaces_have_no_such_setting() -> None:
    """A Claude model behind chat completions gets its body as it is."""
    body = b"{}"
    assert bound(body, "openai-chat", "/v1/chat/completions") == (body, "")
