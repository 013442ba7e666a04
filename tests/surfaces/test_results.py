"""Forms of results that are seldom: several in one item, empty ones, marks, roles, members that come twice."""

from typing import Any

import pytest

from foldpoint.core.errors import Unreadable
from foldpoint.core.told import Place, Told, retold
from foldpoint.core.transcript import Limits
from foldpoint.surfaces import SURFACES
from transcripts import MARK, compact

DEPTHS = (400, 990, 1_000, 1_100, 100_000)


def texts(surface: str, item: bytes) -> list[tuple[str, tuple[str, ...]]]:
    return [(told.id, told.texts) for told in SURFACES[surface].results(item)]


def block(id: Any, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def response(given: Any, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": "look", "response": given, **more}}


SEVERAL = {
    "anthropic": {
        "role": "user",
        "content": [
            block("a", "one", is_error=True),
            {"type": "text", "text": "beside"},
            block("b", [], cache_control=MARK),
            block(7, ""),
            block("c", [{"type": "text", "text": "two", "cache_control": MARK}, {"type": "text", "text": None}]),
        ],
    },
    "bedrock": {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": "a", "content": [{"text": "one"}], "status": "error"}},
            {"cachePoint": {"type": "default"}},
            {"text": "beside"},
            {"toolResult": {"toolUseId": "b", "content": None}},
            {"toolResult": {"toolUseId": 7, "content": [{"text": ""}]}},
            {"toolResult": {"toolUseId": "c", "content": [{"text": "two"}, {"video": {}}, {"searchResult": {}}]}},
        ],
    },
    "gemini": {
        "role": "function",
        "parts": [
            response({"error": "one"}, id="a"),
            {"text": "beside"},
            {"function_response": {"name": "look", "id": "b", "response": {}}},
            response({"output": ""}, id=7),
            response({"output": "two"}, id="c", parts=[{"inlineData": {"mimeType": "image/png", "data": "AA"}}]),
        ],
    },
}
NO_ID = {"anthropic": "", "bedrock": "", "gemini": "look#"}


@pytest.mark.parametrize("surface", sorted(SEVERAL))
def test_several_results_come_in_order_each_with_its_own_texts(surface: str) -> None:
    """What stands beside them is of no result; an id that is no text is none."""
    expected = [("a", ("one",)), ("b", ()), (NO_ID[surface], ("",)), ("c", ("two",))]
    assert texts(surface, compact(SEVERAL[surface])) == expected


@pytest.mark.parametrize("surface", sorted(SEVERAL))
def test_one_of_several_is_told_otherwise(surface: str) -> None:
    """The others, their marks and what stands beside stay; an empty text can be told, too."""
    item = compact(SEVERAL[surface])
    told = retold(item, SURFACES[surface].results(item), [None, (), ("full",), ["three"]])
    assert told == item.replace(b'"two"', b'"three"').replace(b'""', b'"full"')
    before, after = SURFACES[surface].view(item, Limits()), SURFACES[surface].view(told, Limits())
    assert (after.marked, after.own, after.line) == (before.marked, before.own, before.line)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ok": True}, '{"ok":true}'),
        ({"output": ["a", "b"]}, '{"output":["a","b"]}'),
        ({"error": 0}, '{"error":0}'),
        ({"error": None, "output": None}, '{"error":null,"output":null}'),
    ],
)
def test_an_object_without_strings_says_itself(given: Any, said: str) -> None:
    """However short it is: nothing else would say what the tool gave back."""
    assert texts("gemini", compact({"parts": [response(given)]})) == [("look#", (said,))]


@pytest.mark.parametrize(
    ("given", "key"),
    [({"error": 0}, "error"), ({"error": {"code": 5}}, "error"), ({"error": None, "n": 1}, "output"), ([], "")],
)
def test_an_object_told_otherwise_fails_as_it_did(given: Any, key: str) -> None:
    """An error that says nothing is none; what is no object stays."""
    item = compact({"parts": [response(given)]})
    results = SURFACES["gemini"].results(item)
    told = retold(item, results, [["new"] * len(each.texts) for each in results])
    assert told == compact({"parts": [response({key: "new"} if key else given)]})


@pytest.mark.parametrize("role", ["model", "assistant", "tool"])
def test_a_content_of_another_role_offers_none(role: str) -> None:
    """Of a model, or of a role that the API does not have."""
    assert texts("gemini", compact({"role": role, "parts": [response({"output": "said"})]})) == []


@pytest.mark.parametrize(("beside", "whole"), [("x" * 236, False), ("x" * 237, True)])
def test_240_bytes_beside_the_strings_are_few(beside: str, whole: bool) -> None:
    """One more, and the object is told as a whole."""
    given = {"output": "said", "list": [beside]}
    expected = compact(given).decode() if whole else "said"
    assert texts("gemini", compact({"parts": [response(given)]})) == [("look#", (expected,))]


@pytest.mark.parametrize(
    ("surface", "item", "expected"),
    [
        (
            "anthropic",
            b'{"role":"assistant","role":"user","content":"no","content":[{"type":"text","type":"tool_result",'
            b'"tool_use_id":"no","tool_use_id":"a","content":[{"type":"text","text":"no","text":"yes"}]}]}',
            [("a", ("yes",))],
        ),
        (
            "openai-chat",
            b'{"role":"user","role":"tool","tool_call_id":"no","tool_call_id":"a","content":"no","content":"yes"}',
            [("a", ("yes",))],
        ),
        ("openai-chat", b'{"role":"tool","role":"user","tool_call_id":"a","content":"no"}', []),
        (
            "openai-responses",
            b'{"type":"message","type":"function_call_output","call_id":"a","output":"no","output":["no"],'
            b'"output":[{"type":"input_text","text":"no","text":"yes"}]}',
            [("a", ("yes",))],
        ),
        (
            "bedrock",
            b'{"role":"user","content":[{"toolResult":{"toolUseId":"no","content":[{"text":"no"}]},'
            b'"toolResult":{"toolUseId":"a","content":[{"text":"no","text":"yes"}]}}]}',
            [("a", ("yes",))],
        ),
        (
            "gemini",
            b'{"role":"model","role":"user","parts":[{"functionResponse":{"name":"no"},'
            b'"functionResponse":{"name":"f","id":"a","response":{"output":"no"},"response":{"o":"no","o":"yes"}}}]}',
            [("a", ("yes",))],
        ),
    ],
)
def test_of_members_that_come_twice_the_last_counts(
    surface: str, item: bytes, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    """At every level, and that one alone is told otherwise."""
    results = SURFACES[surface].results(item)
    assert [(told.id, told.texts) for told in results] == expected
    assert retold(item, results, [("new",)] * len(results)) == item.replace(b'"yes"', b'"new"')


NESTED = {
    "anthropic": '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","x":%s,"content":"said"}]}',
    "openai-chat": '{"role":"tool","tool_call_id":"a","x":%s,"content":"said"}',
    "openai-responses": '{"type":"function_call_output","call_id":"a","x":%s,"output":"said"}',
    "bedrock": '{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":%s}]}}]}',
    "gemini": '{"parts":[{"functionResponse":{"id":"a","response":{"output":%s}}}]}',
}


@pytest.mark.parametrize("surface", sorted(NESTED))
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_nests_too_deep_is_not_read(surface: str, opening: str, closing: str) -> None:
    """By neither of both: what the view reads has its results, and nothing else is raised."""
    items = [(NESTED[surface] % (opening * n + "1" + closing * n)).encode() for n in DEPTHS]
    assert [reads(surface, item) for item in items] == [views(surface, item) for item in items]
    assert (reads(surface, items[0]), reads(surface, items[-1])) == (1, None)


def reads(surface: str, item: bytes) -> int | None:
    """How many results there are; None where it is unreadable."""
    try:
        return len(SURFACES[surface].results(item))
    except Unreadable:
        return None


def views(surface: str, item: bytes) -> int | None:
    try:
        return len(SURFACES[surface].view(item, Limits()).results)
    except Unreadable:
        return None


def test_places_are_those_of_the_literals() -> None:
    """With their quotes; characters are those of all texts."""
    item = '{"role":"tool","tool_call_id":"é","content":[{"text":"ü"},{"text":"😀\\n"}]}'.encode()
    (told,) = SURFACES["openai-chat"].results(item)
    assert told == Told("é", "", ("ü", "😀\n"), (Place(54, 58), Place(68, 76)))
    assert [item[place.start : place.end] for place in told.places] == ['"ü"'.encode(), '"😀\\n"'.encode()]
    assert told.characters == 3


def test_a_number_of_texts_that_does_not_fit_is_refused() -> None:
    """Too few results, or too few texts in one."""
    item = b'{"role":"tool","tool_call_id":"a","content":"said"}'
    results = SURFACES["openai-chat"].results(item)
    for given in ([], [()], [("a", "b")]):
        with pytest.raises(ValueError, match="zip"):
            retold(item, results, given)
