"""Results read and told otherwise, against a naive reading of the same message, for any texts in any spelling."""

import copy
import json
from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foldpoint.core.told import retold
from foldpoint.core.transcript import Limits
from foldpoint.surfaces import SURFACES
from naive import told as naive
from naive.rawjson import value, whole
from naive.spelling import Speller, Twice

words = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ['"', "\\", "\\ud800", '","role":"model', "\x00\x1b[0m", "é\u2028\U0001f600", '{"type":"tool_result"}', ""]
)
halves = st.builds("{}\ud83d{}".format, words, words) | st.builds("{}\udc00".format, words)
said = words | words | halves
"""What is said; halves of surrogate pairs are read as U+FFFD."""
KEPT = ("role", "calls", "answered", "asks", "answers", "marked", "history", "alone", "own", "own_images", "line")
"""What of a view does not depend on what results say."""
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
BIG = {"rows": [{"number": number, "name": "x" * 8} for number in range(20)]}


def some(of: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(of, max_size=most)


def member(key: str, inner: st.SearchStrategy[Any], **others: Any) -> st.SearchStrategy[Any]:
    return inner.map(lambda value: {**others, key: value})


def anthropic() -> st.SearchStrategy[Any]:
    image = st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}})
    found = member("content", some(member("text", said, type="text"), 2), type="search_result", title="t", source="s")
    held = st.none() | said | some(member("text", said, type="text") | image | found)
    ids = names | st.none() | st.integers()
    result = st.builds(
        lambda id, content, mark: {"type": "tool_result", "tool_use_id": id, "content": content, "é": 1.50, **mark},
        ids,
        held,
        st.sampled_from([{}, {"cache_control": {"type": "ephemeral"}}]),
    )
    call = st.just({"type": "server_tool_use", "id": "s", "name": "bash_code_execution", "input": {}})
    content = said | some(result | member("text", said, type="text") | image | call, 4)
    return st.builds(
        lambda role, held: {"role": role, "content": held}, st.sampled_from(["user", "assistant"]), content
    )


def chat() -> st.SearchStrategy[Any]:
    image = st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}})
    content = st.none() | said | some(member("text", said, type="text") | image)
    return st.builds(
        lambda role, id, name, held: {"role": role, "tool_call_id": id, "content": held, "name": name},
        st.sampled_from(["tool", "function", "user", "assistant"]),
        names | st.none() | st.integers(),
        names,
        content,
    )


def responses() -> st.SearchStrategy[Any]:
    image = st.just({"type": "input_image", "image_url": "data:image/png;base64,AA"})
    ran = st.builds(lambda out, err: {"stdout": out, "stderr": err, "outcome": {"type": "timeout"}}, said, said)
    shot = st.just({"type": "computer_screenshot", "image_url": "data:image/png;base64,AA"})
    output = st.none() | said | shot | some(member("text", said, type="input_text") | image | ran)
    kinds = [*(f"{kind}_call_output" for kind in naive.KNOWN), "later_call_output", "tool_search_output"]
    return st.builds(
        lambda kind, id, held, more: {"type": kind, "call_id": id, "output": held, **more},
        st.sampled_from(kinds),
        names | st.none() | st.integers(),
        output,
        st.sampled_from(
            [{}, {"caller": {"type": "program", "caller_id": "p"}}, {"execution": "client"}, {"id": "own"}]
        ),
    )


def bedrock() -> st.SearchStrategy[Any]:
    image = st.just({"image": {"format": "png", "source": {"bytes": "AA"}}})
    inner = member("text", said) | member("json", said | st.just(BIG) | st.none()) | image
    result = st.builds(
        lambda id, held: {"toolResult": {"toolUseId": id, "content": held, "status": "error"}},
        names | st.none() | st.integers(),
        some(inner) | st.none(),
    )
    blocks = some(result | member("text", said) | image | st.just({"cachePoint": {"type": "default"}}), 4)
    return st.builds(lambda role, held: {"role": role, "content": held}, st.sampled_from(["user", "assistant"]), blocks)


def gemini() -> st.SearchStrategy[Any]:
    inner = said | st.integers(0, 9) | st.none() | st.booleans() | st.just(BIG)
    held = st.dictionaries(st.sampled_from(["output", "error", "result", "é", "content"]), inner, max_size=3)
    response = st.builds(
        lambda key, more, held: {key: {"name": "look", "response": held, **more}, "thoughtSignature": "AA"},
        st.sampled_from(["functionResponse", "function_response"]),
        st.sampled_from([{}, {"id": "c1"}, {"parts": [{"inlineData": {"mimeType": "image/png", "data": "AA"}}]}]),
        held | st.none(),
    )
    ran = st.just({"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {"output": "found"}}})
    parts = response | some(response | ran | member("text", said), 4) | st.none()
    return st.builds(
        lambda role, held: {"role": role, "parts": held}, st.sampled_from(["user", "function", "model"]), parts
    )


MADE = {
    "anthropic": anthropic(),
    "openai-chat": chat(),
    "openai-responses": responses(),
    "bedrock": bedrock(),
    "gemini": gemini(),
}
messages = st.sampled_from(sorted(MADE)).flatmap(lambda surface: st.tuples(st.just(surface), MADE[surface]))
spellers = st.builds(Speller, st.builds(Random, st.integers(0, 99)), st.booleans(), st.booleans())


def spelled(speller: Speller, message: Any) -> bytes:
    return speller.spell(doubled(speller.rng, message)).strip().encode()


def doubled(rng: Random, value: Any) -> Any:
    """The value with a member twice in some of its objects; the first of both says something else."""
    if isinstance(value, list):
        return [doubled(rng, inner) for inner in value]
    if not isinstance(value, dict):
        return value
    members = {key: doubled(rng, inner) for key, inner in value.items()}
    if not members or rng.random() > 0.2:
        return members
    key = rng.choice(sorted(members))
    return Twice((key, "first" if isinstance(value[key], str) else value[key]), members)


@given(messages, spellers)
def test_the_results_are_those_of_a_naive_reading(made: tuple[str, Any], speller: Speller) -> None:
    """Ids and texts, in order; and the ids are those of the view."""
    surface, message = made[0], whole(made[1])
    item = spelled(speller, made[1])
    results = SURFACES[surface].results(item)
    expected = naive.found(surface, message)
    assert [told.id for told in results] == [id for id, _ in expected]
    assert [len(told.texts) for told in results] == [len(slots) for _, slots in expected]
    for told, (_, slots) in zip(results, expected, strict=True):
        assert [naive.says(slot, text) for slot, text in zip(slots, told.texts, strict=True)] == [True] * len(slots)
    assert [told.id for told in results] == [each.id for each in SURFACES[surface].view(item, Limits()).results]


@given(messages, spellers)
def test_what_is_told_as_it_is_stays_the_same_object(made: tuple[str, Any], speller: Speller) -> None:
    """None for a result, None for each of its texts, or the text that stands there."""
    item = spelled(speller, made[1])
    results = SURFACES[made[0]].results(item)
    assert retold(item, results, [None] * len(results)) is item
    assert retold(item, results, [[None] * len(told.texts) for told in results]) is item
    assert retold(item, results, [told.texts for told in results]) is item


def chosen(data: st.DataObject, texts: Sequence[str]) -> list[str | None] | None:
    """Other texts for some of these."""
    return data.draw(st.none() | st.lists(st.none() | words, min_size=len(texts), max_size=len(texts)))


@given(messages, spellers, st.data())
def test_told_otherwise_it_says_that_and_nothing_else_changes(
    made: tuple[str, Any], speller: Speller, data: st.DataObject
) -> None:
    """The value is the naive one's, in UTF-8; what is read back is what was given; role, ids and calls stay."""
    surface, message = made[0], whole(made[1])
    item, format_ = spelled(speller, made[1]), SURFACES[made[0]]
    results = format_.results(item)
    texts = [chosen(data, told.texts) for told in results]
    changed = retold(item, results, texts)
    expected = [
        tuple(
            old if new is None else new for old, new in zip(told.texts, given or [None] * len(told.texts), strict=True)
        )
        for told, given in zip(results, texts, strict=True)
    ]
    wanted = naive.retold(surface, copy.deepcopy(message), same_left_out(results, texts))
    assert value(changed.decode()) == wanted
    assert [told.id for told in format_.results(changed)] == [told.id for told in results]
    assert [told.texts for told in format_.results(changed)] == expected
    before, after = format_.view(item, Limits()), format_.view(changed, Limits())
    assert [getattr(after, kept) for kept in KEPT] == [getattr(before, kept) for kept in KEPT]
    assert [(each.id, each.images) for each in after.results] == [(each.id, each.images) for each in before.results]


def same_left_out(results: Sequence[Any], texts: Sequence[Sequence[str | None] | None]) -> list[Any]:
    return [
        given and [None if new == old else new for old, new in zip(told.texts, given, strict=True)]
        for told, given in zip(results, texts, strict=True)
    ]


@given(messages, spellers)
def test_all_around_the_texts_is_as_it_was_written(made: tuple[str, Any], speller: Speller) -> None:
    """The pieces between the places stand in the new item in order, byte for byte."""
    item = spelled(speller, made[1])
    results = SURFACES[made[0]].results(item)
    places = sorted(place for told in results for place in told.places)
    changed = retold(item, results, [["\x01new"] * len(told.texts) for told in results])
    expected, at = b"", 0
    for place in places:
        expected += item[at : place.start] + place.lead + rb"\u0001new" + place.trail
        at = place.end
    assert changed == expected + item[at:]
    json.loads(changed)


def test_an_input_that_is_one_string_has_no_results() -> None:
    """As that of Responses may be."""
    assert SURFACES["openai-responses"].results(b'"a function_call_output"') == []
