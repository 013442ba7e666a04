"""Gemini: what is read in a content, and how parts of ours are written into one."""

import json
from typing import Any

import pytest

from foldpoint import fold
from foldpoint.core.edit import Block, Carried, KeptImage
from foldpoint.core.errors import Unreadable
from foldpoint.core.ports import Exchange
from foldpoint.core.text import unspelled
from foldpoint.core.transcript import Limits, View
from foldpoint.surfaces import SURFACES
from foldpoint.surfaces.gemini import model_of
from transcripts import HEAD, LONG, PNG, compact, policy

SURFACE = SURFACES["gemini"]
LIMITS = Limits()
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
PDF = {"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}}


def view(*parts: Any, role: str = "user", limits: Limits = LIMITS) -> View:
    """The view of a content."""
    return SURFACE.view(compact({"role": role, "parts": list(parts)}), limits)


def call(name: str = "query", id: str = "", **beside: Any) -> dict[str, Any]:
    """A call's part."""
    return {"functionCall": {**({"id": id} if id else {}), "name": name, "args": {"n": 1}}, **beside}


def result(response: Any, name: str = "query", id: str = "", **beside: Any) -> dict[str, Any]:
    """A result's part."""
    return {"functionResponse": {**({"id": id} if id else {}), "name": name, "response": response, **beside}}


def head(response: Any, limits: Limits = LIMITS, **beside: Any) -> str:
    """What a line says of a result."""
    return unspelled(view(result(response, **beside), limits=limits).results[0].head)


# Reading


def test_a_body_is_read_into_spans() -> None:
    """Items are the caller's bytes; the model is that of the path."""
    request = SURFACE.read(b'{"contents":[ {"parts":[]}, {} ]}', "/v1beta/models/gemini-2.5-pro:generateContent")
    assert (list(request.items), request.model) == ([b'{"parts":[]}', b"{}"], "gemini-2.5-pro")


def test_a_model_in_the_body_counts_before_that_of_the_path() -> None:
    """It is the more exact one where both are there."""
    body = b'{"model":"models/gemini-4-argon","contents":[]}'
    assert SURFACE.read(body, "/v1/models/other:generateContent").model == "models/gemini-4-argon"


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro"),
        ("/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini-2.5-pro"),
        ("/v1beta1/projects/p/locations/l/publishers/google/models/g-1:countTokens", "g-1"),
        ("/v1/tunedModels/mine%201%3AgenerateContent", "mine 1"),
        ("/v1beta/models/g%2D1:generateContent/", "g-1"),
        ("/v1beta/models", ""),
        ("", ""),
    ],
)
def test_the_path_names_the_model(path: str, model: str) -> None:
    """Between the last slash and the colon, escapes undone."""
    assert model_of(path) == model


def test_a_count_of_a_whole_request_is_read() -> None:
    """The contents of the request inside; its model, too."""
    body = b'{"generateContentRequest": {"model": "models/g", "contents": [ {"parts":[]} ]}}'
    request = SURFACE.read(body, "/v1beta/models/g:countTokens")
    assert (list(request.items), request.model) == ([b'{"parts":[]}'], "models/g")


@pytest.mark.parametrize("key", ["cachedContent", "cached_content"])
def test_cached_content_is_history_that_the_provider_holds(key: str) -> None:
    """The head of the conversation may stand in it."""
    assert SURFACE.read(compact({key: "cachedContents/1", "contents": []})).state is True
    assert SURFACE.read(compact({key: None, "contents": []})).state is False


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"contents":{}}', b'{"contents":null}', b'{"contents":[]', b"\xff"]
)
def test_what_is_no_body_is_unreadable(body: bytes) -> None:
    """Broken JSON and other shapes are refused by name of the error."""
    with pytest.raises(Unreadable):
        SURFACE.read(body)


@pytest.mark.parametrize(
    "item",
    [b'{"role":"assistant","parts":[]}', b'{"role":5}', b'{"parts":"a"}', b'{"parts":[1]}', b"[]"],
)
def test_a_content_of_another_shape_is_unreadable(item: bytes) -> None:
    """Roles and parts that the format does not have are not guessed at."""
    with pytest.raises(Unreadable):
        SURFACE.view(item, LIMITS)


@pytest.mark.parametrize(
    ("role", "part", "size"),
    [
        ("user", {"text": "abc"}, 16 + 3),
        ("user", {"text": "é€"}, 16 + 5),
        ("user", IMAGE, 16 + 4_800),
        ("user", PDF, 16 + 4),
        ("user", {"fileData": {"mimeType": "image/png", "fileUri": "gs://b/x"}}, 16 + 4_800),
        ("user", {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/x"}}, 16),
        ("user", result({"output": "abc", "more": 1}, id="c1"), 16 + 2 + 3 + 1),
        ("user", result({"output": "abc"}, parts=[IMAGE, PDF]), 16 + 3 + 4_800 + 4),
        ("model", call(id="c1"), 16 + 2 + 5 + 7),
        ("model", call(thoughtSignature="c2ln"), 16 + 5 + 7 + 4),
        ("model", {"text": "hm", "thought": True, "thought_signature": "c2ln"}, 16 + 2 + 4),
        ("model", {"executableCode": {"language": "PYTHON", "code": "1+1"}}, 16 + 3),
        ("model", {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}, 16 + 1),
        ("model", {"toolCall": {"toolType": "MAPS", "args": {}, "id": "t"}}, 16 + 1 + 4 + 2),
        ("model", {"thoughtSignature": "c2ln"}, 16 + 4),
    ],
)
def test_sizes_are_those_of_the_normalised_content(role: str, part: dict[str, Any], size: int) -> None:
    """24 a content, 16 a part, then texts, names, arguments, signatures, payloads."""
    assert view(part, role=role).size == 24 + size


def test_members_are_read_in_snake_case_too() -> None:
    """Both spellings are one view."""
    spelled = {"function_response": {"name": "query", "response": {"output": "x"}, "parts": [
        {"inline_data": {"mime_type": "image/png", "data": PNG}}]}}  # fmt: skip
    assert view(spelled) == view(result({"output": "x"}, parts=[IMAGE]))
    acted = {"function_call": {"name": "query", "args": {"n": 1}}, "thought_signature": "c2ln"}
    assert view(acted, role="model") == view(call(thoughtSignature="c2ln"), role="model")


def test_one_part_may_stand_without_its_list() -> None:
    """As the documentation writes it."""
    assert SURFACE.view(b'{"parts":{"text":"abc"}}', LIMITS) == view({"text": "abc"})


def test_a_content_without_a_role_is_the_users() -> None:
    """And one of the role `function` is a result's."""
    assert SURFACE.view(compact({"parts": [{"text": "abc"}]}), LIMITS).role == "user"
    assert view(result({"output": "x"}), role="function") == view(result({"output": "x"}))


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"output": LONG}, HEAD),
        ({"result": "a\nb"}, "a b"),
        ({"error": "no such file"}, "(error) no such file"),
        ({"output": "partly", "error": "timeout"}, "(error) timeout partly"),
        ({"output": "fine", "error": None}, "fine"),
        ({"exit_code": 1, "output": "boom"}, "boom exit_code: 1"),
        ({"name": "sh", "content": "ok"}, "name: sh content: ok"),
        ({"rows": [1, 2]}, "[1,2]"),
        ({"output": ""}, "(empty)"),
        ({}, "(empty)"),
        ({"output": "| tool_use[x] y"}, "|| tool_use[x] y"),
    ],
)
def test_a_response_is_said_by_its_texts(response: Any, said: str) -> None:
    """Errors and outputs first, other members behind their names; one alone without."""
    assert head(response) == said


def test_a_spelling_of_a_response_changes_nothing() -> None:
    """Blanks and escapes in the body are not what the tool said."""
    one = b'{"parts":[{"functionResponse":{"name":"q","response":{"output":"\\u00e9 \\/"}}}]}'
    two = '{"parts":[{"functionResponse": {"response": {"output": "é /"}, "name": "q"}}]}'.encode()
    assert SURFACE.view(one, LIMITS) == SURFACE.view(two, LIMITS)


def test_images_and_files_in_a_result_are_named() -> None:
    """And counted as images of the result."""
    seen = view(result({"output": "shot"}, parts=[IMAGE, PDF]))
    assert (seen.results[0].head, seen.results[0].images, seen.own_images) == (b"shot [image] [document]", 1, 0)


def test_what_stands_beside_a_result_is_the_users_own() -> None:
    """Texts and images; empty texts are nothing."""
    seen = view(result({"output": "x"}), {"text": "Hurry."}, IMAGE, {"text": ""})
    assert (seen.line, seen.own, seen.own_images, seen.size) == (b"Hurry. | [image]", 16 + 6 + 16 + 4_800, 1,
        24 + 16 + 1 + 16 + 6 + 16 + 4_800 + 16)  # fmt: skip


def test_an_action_is_said_by_its_texts_and_calls() -> None:
    """Thoughts and signatures never; what is not known by its name."""
    seen = view(
        {"text": "I think.", "thought": True},
        {"text": "I look.", "thoughtSignature": "c2ln"},
        call(id="c1"),
        {"hologram": {}},
        {"thoughtSignature": "c2ln"},
        role="model",
    )
    assert unspelled(seen.line) == 'I look. | tool_use[c1] query {"n":1} | [hologram]'
    assert [(each.id, each.name) for each in seen.calls] == [("c1", "query")]
    assert seen.thinking == 16 + 8


def test_code_that_the_server_ran_stands_with_its_outcome() -> None:
    """As a call that is answered in the same content."""
    seen = view(
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "boom"}},
        role="model",
    )
    assert unspelled(seen.line) == (
        "tool_use[code_execution#] code_execution print(1) | tool_result[code_execution#] code_execution: (error) boom"
    )
    assert seen.answered == ("code_execution#",)


def test_exchanges_pair_by_id_and_else_by_name() -> None:
    """In order; a result without its call is left out."""
    items = [
        compact({"role": "model", "parts": [call("a"), call("b", id="c2"), call("a")]}),
        compact({"role": "user", "parts": [result({"output": "2"}, "b", "c2"), result({"output": "1"}, "a")]}),
        compact({"role": "user", "parts": [result({"error": "3"}, "a"), result({"output": "4"}, "z")]}),
    ]
    assert SURFACE.exchanges(items) == [
        Exchange("b", b'{"n":1}', "2"),
        Exchange("a", b'{"n":1}', "1"),
        Exchange("a", b'{"n":1}', "(error) 3"),
    ]


def test_a_digest_knows_one_spelling() -> None:
    """Members in camelCase and sorted, a part alone as a list; arguments and responses as they are."""
    one = {"parts": {"function_response": {"response": {"a_b": 1}, "name": "q", "parts": [{"inline_data": {}}]}}}
    two = {"role": "user", "parts": [result({"a_b": 1}, "q", parts=[{"inlineData": {}}])]}
    assert SURFACE.normal(compact(one)) == SURFACE.normal(compact(two))


# Writing


def test_a_block_stands_behind_the_parts() -> None:
    """Every byte of the content stays."""
    item = b'{ "parts" : [ {"text": "a\\u00e9"} ] , "role":"user"}'
    grown = SURFACE.extended(item, [Block(b'"S"')], [])
    assert grown == b'{ "parts" : [ {"text": "a\\u00e9"},{"text":"S"}] , "role":"user"}'


@pytest.mark.parametrize(
    ("item", "grown"),
    [
        (None, b'{"role":"user","parts":[{"text":"S"}]}'),
        (b'{"parts":{"text":"a"}}', b'{"parts":[{"text":"a"},{"text":"S"}]}'),
        (b'{"parts":[ ]}', b'{"parts":[{"text":"S"}]}'),
        (b'{"parts":null}', b'{"parts":[{"text":"S"}]}'),
        (b'{"role":"user" }', b'{"role":"user","parts":[{"text":"S"}]}'),
        (b"{}", b'{"parts":[{"text":"S"}]}'),
    ],
)
def test_a_block_finds_its_place(item: bytes | None, grown: bytes) -> None:
    """In a content of its own, beside one part, and where there are none."""
    assert SURFACE.extended(item, [Block(b'"S"')], []) == grown


def test_what_is_carried_leaves_results_and_empty_texts() -> None:
    """The caller's own parts as they are written; an older image becomes its name."""
    image = b'{"inlineData": {"mimeType":"image/png","data":"x"}}'
    item = (
        b'{"parts":[{"functionResponse":{"name":"q"}}, {"text": "Hurry."},{"text":""},' + image + b"," + image + b"]}"
    )
    grown = SURFACE.extended(None, [Carried(0, 1, (0,))], [item])
    assert grown == b'{"role":"user","parts":[{"text": "Hurry."},{"text":"[image]"},' + image + b"]}"


def test_an_image_of_a_result_becomes_a_part() -> None:
    """Behind its label, without the name that only a result's image may have; then come the user's own."""
    shot = {"inlineData": {"mimeType": "image/png", "data": "AAAA", "displayName": "shot.png"}}
    item = compact({"parts": [IMAGE, result({"output": "x"}, parts=[PDF, shot])]})
    kept = [KeptImage(0, 0, "[one]"), KeptImage(0, 1, "[two]")]
    assert json.loads(SURFACE.extended(None, kept, [item]))["parts"] == [
        {"text": "[one]"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"text": "[two]"},
        IMAGE,
    ]


def test_thinking_and_breakpoints_are_left_alone() -> None:
    """Signatures bind thoughts to their own part; the cache is automatic."""
    item = compact({"role": "model", "parts": [{"text": "hm", "thought": True}, call(thoughtSignature="c2ln")]})
    assert SURFACE.without_thinking(item) is item


# Folding


def loop(turns: int, ids: bool = False, split: bool = False) -> dict[str, Any]:
    """A request of that many turns of two calls each; `split`: each result in a content of its own."""
    contents: list[Any] = [{"role": "user", "parts": [{"text": "Go."}]}]
    for turn in range(1, turns + 1):
        named = [f"c{turn}a", f"c{turn}b"] if ids else ["", ""]
        contents.append(
            {"role": "model", "parts": [call("sh", named[0], thoughtSignature="c2ln"), call("ls", named[1])]}
        )
        answers = [result({"output": LONG}, "sh", named[0]), result({"output": f"out {turn}"}, "ls", named[1])]
        contents += (
            [{"role": "user", "parts": [one]} for one in answers] if split else [{"role": "user", "parts": answers}]
        )
    return {"contents": contents}


@pytest.mark.parametrize("split", [False, True])
def test_calls_without_ids_are_numbered_by_name(split: bool) -> None:
    """The n of a name counts its calls through the whole conversation; split results find theirs."""
    folded = fold(compact(loop(8, split=split)), "gemini", policy())
    first = json.loads(folded.body)["contents"][0]["parts"][1]["text"].split("\n")
    assert (folded.receipt.sealed, folded.receipt.total) == (4, 8)
    assert first[4] == (
        f'turn 3 | tool_use[sh#3] sh {{"n":1}} | tool_use[ls#3] ls {{"n":1}} | tool_result[sh#3] sh: {HEAD} | '
        "tool_result[ls#3] ls: out 3"
    )


def test_what_is_kept_keeps_its_signatures() -> None:
    """Every content of the kept turns is the caller's bytes."""
    body = compact(loop(8, ids=True))
    folded = json.loads(fold(body, "gemini", policy()).body)
    assert folded["contents"][1:] == json.loads(body)["contents"][9:]


def test_the_models_price_band_is_read_from_the_path() -> None:
    """Over 200,000 tokens Gemini 2.5 Pro costs twice as much: a fold is made unasked; on a model without a band not."""
    body = compact(loop(320))
    held = policy(payback_turns=1, token_watermark=0, expected_task_steps=1)
    pro, flash = (
        fold(body, "gemini", held, f"/v1beta/models/{model}:generateContent").receipt
        for model in ("gemini-2.5-pro", "gemini-2.5-flash")
    )
    assert (pro.verdict, flash.verdict) == ("compacted", "no_op")


def test_cached_content_is_passed_on() -> None:
    """The receipt says that the provider holds the history."""
    body = compact({"cachedContent": "cachedContents/1", **loop(8)})
    folded = fold(body, "gemini", policy())
    assert folded.body is body
    assert (folded.receipt.verdict, folded.receipt.reason) == ("skipped", "provider_state")
