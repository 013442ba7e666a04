"""The cache simulation against cases worked out by hand, and what must hold for every sequence of requests."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldpoint.core.errors import UnknownSurface, Unreadable
from foldpoint.core.usage import Usage
from foldpoint.lab.cache import (
    BreakpointRules,
    Cache,
    Charge,
    PrefixRules,
    Rules,
    Segment,
    Ttl,
    bill,
    charge,
    rules_of,
    segments,
    tokens,
)
from foldpoint.pricing.rates import Rates

MARKED = BreakpointRules(minimum=1000)
"""1,000 tokens are 3,000 bytes."""


def seg(letter: str, count: int, mark: Ttl | None = None) -> Segment:
    """A segment of so many tokens."""
    return Segment(letter.encode() * (3 * count), mark)


def cache(rules: Rules = MARKED) -> Cache:
    """An empty cache."""
    return Cache(rules)


def test_the_first_request_writes_and_the_second_reads() -> None:
    """What stands behind the breakpoint is plain input both times."""
    mine, prompt = cache(), [seg("a", 1000, "5m"), seg("b", 100)]
    assert bill(prompt, mine, 0) == Usage(input=100, cache_write=1000)
    assert bill(prompt, mine, 1) == Usage(input=100, cache_read=1000)


def test_a_moved_mark_reads_what_the_old_one_wrote() -> None:
    """Only what was added is written."""
    mine = cache()
    bill([seg("a", 1000, "5m")], mine, 0)
    assert bill([seg("a", 1000), seg("b", 200, "5m")], mine, 1) == Usage(cache_read=1000, cache_write=200)


def test_nothing_is_read_where_no_breakpoint_wrote() -> None:
    """A shared prefix alone is no entry."""
    mine = cache()
    bill([seg("a", 1000), seg("b", 1000, "5m")], mine, 0)
    assert bill([seg("a", 1000), seg("c", 500, "5m")], mine, 1) == Usage(cache_write=1500)


@pytest.mark.parametrize(
    ("added", "usage"), [(19, Usage(cache_read=1000, cache_write=19)), (20, Usage(cache_write=1020))]
)
def test_the_look_back_ends_after_20_blocks(added: int, usage: Usage) -> None:
    """The breakpoint itself is the first of the 20."""
    mine = cache()
    bill([seg("a", 1000, "5m")], mine, 0)
    prompt = [seg("a", 1000), *[seg("b", 1)] * (added - 1), seg("b", 1, "5m")]
    assert bill(prompt, mine, 1) == usage


def test_a_second_mark_on_the_old_end_removes_the_miss() -> None:
    """Each breakpoint has a look-back of its own."""
    mine = cache()
    bill([seg("a", 1000, "5m")], mine, 0)
    prompt = [seg("a", 1000, "5m"), *[seg("b", 1)] * 30, seg("b", 1, "5m")]
    assert bill(prompt, mine, 1) == Usage(cache_read=1000, cache_write=31)


def test_a_prefix_below_the_minimum_is_not_cached() -> None:
    """And nothing says so: it is plain input, the second time, too."""
    mine, prompt = cache(), [seg("a", 999, "5m")]
    assert [bill(prompt, mine, 0), bill(prompt, mine, 1)] == [Usage(input=999)] * 2


def test_an_entry_expires_after_five_minutes_without_use() -> None:
    """Each hit refreshes it, free of charge."""
    mine, prompt = cache(), [seg("a", 1000, "5m")]
    read, write = Usage(cache_read=1000), Usage(cache_write=1000)
    assert [bill(prompt, mine, at) for at in (0, 299, 598, 898)] == [write, read, read, write]


def test_two_lifetimes_are_billed_apart_and_expire_apart() -> None:
    """The one-hour part is what stands in front of the last one-hour breakpoint."""
    mine, prompt = cache(), [seg("a", 1000, "1h"), seg("b", 500, "5m"), seg("c", 10)]
    assert charge(prompt, mine, 0) == Charge(Usage(input=10, cache_write=1500), write_1h=1000)
    assert charge(prompt, mine, 1) == Charge(Usage(input=10, cache_read=1500))
    assert charge(prompt, mine, 600) == Charge(Usage(input=10, cache_read=1000, cache_write=500))


def test_the_cost_knows_both_write_prices() -> None:
    """10 + 100 · 0.1 + 40 · 1.25 + 60 · 2."""
    assert cache().cost(Charge(Usage(10, 100, 100), write_1h=60)) == pytest.approx(190)


def test_of_more_than_four_marks_the_last_four_count() -> None:
    """The first one writes nothing."""
    mine = cache()
    bill([seg(letter, 1000, "5m") for letter in "abcde"], mine, 0)
    assert bill([seg("a", 1000, "5m")], mine, 1) == Usage(cache_write=1000)


def test_an_implicit_breakpoint_stands_on_the_newest_segment() -> None:
    """As with OpenAI's models from GPT-5.6 on, where a changed message in front of it is no hit."""
    mine = cache(BreakpointRules(1000, look_back=None, implicit="30m"))
    assert bill([seg("a", 1000)], mine, 0) == Usage(cache_write=1000)
    grown = [seg("a", 1000), *[seg("b", 1)] * 100]
    assert bill(grown, mine, 1) == Usage(cache_read=1000, cache_write=100)
    assert bill([seg("a", 999), *grown[1:]], mine, 2) == Usage(cache_write=1099)


def test_prefixes_are_matched_in_steps_of_128_tokens() -> None:
    """1,100 tokens are alike: 8 · 128 of them are read, and the next time 10 · 128."""
    mine = cache(PrefixRules())
    assert bill([seg("a", 1100)], mine, 0) == Usage(input=1100)
    assert bill([seg("a", 1100), seg("b", 200)], mine, 1) == Usage(input=276, cache_read=1024)
    assert bill([seg("a", 1100), seg("b", 200)], mine, 2) == Usage(input=20, cache_read=1280)


def test_a_match_below_1024_tokens_is_none() -> None:
    """1,023 tokens alike are not enough."""
    mine = cache(PrefixRules())
    bill([seg("a", 1023), seg("b", 1000)], mine, 0)
    assert bill([seg("a", 1023), seg("c", 1000)], mine, 1) == Usage(input=2023)


def test_a_match_in_steps_of_one_is_exact() -> None:
    """Every earlier continuation counts, not the newest alone."""
    mine = cache(PrefixRules(step=1))
    for other in ("b", "c"):
        bill([seg("a", 1100), seg(other, 50)], mine, 0)
    assert bill([seg("a", 1100), seg("b", 10), seg("d", 9)], mine, 1) == Usage(input=9, cache_read=1110)


def test_a_prefix_cache_with_a_write_price_says_what_was_written() -> None:
    """The whole steps that were not read."""
    mine = cache(PrefixRules(write=1.25))
    assert bill([seg("a", 1100)], mine, 0) == Usage(input=76, cache_write=1024)
    assert bill([seg("a", 1300)], mine, 1) == Usage(input=20, cache_read=1024, cache_write=256)


def test_a_prefix_expires_after_its_last_use() -> None:
    """600 seconds, refreshed by each use."""
    mine, prompt = cache(PrefixRules()), [seg("a", 1024)]
    assert [bill(prompt, mine, at).cache_read for at in (0, 599, 1198, 1798)] == [0, 1024, 1024, 0]


def test_the_number_of_entries_is_bounded() -> None:
    """The one not used for longest goes first."""
    mine = Cache(MARKED, limit=2)
    for letter in "abac":
        bill([seg(letter, 1000, "5m")], mine, 0)
    assert [bill([seg(letter, 1000, "5m")], mine, 1).cache_read for letter in "acb"] == [1000, 1000, 0]


# -- reading bodies ----------------------------------------------------------------------------------------------------


def messages_body(*messages: dict[str, Any], **members: Any) -> bytes:
    """An Anthropic body."""
    return json.dumps({"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages, **members}).encode()


def contents(surface: str, body: bytes) -> list[bytes]:
    """What the model is given, piece by piece."""
    return [segment.content for segment in segments(surface, body)]


def test_a_string_is_one_text_block_and_marks_are_dropped() -> None:
    """In messages, in the system prompt and inside tool results."""
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]}
    plain = messages_body(
        {"role": "user", "content": "hi"},
        call,
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]},
        system="s",
    )
    mark = {"cache_control": {"type": "ephemeral"}}
    inside = [{"type": "text", "text": "r"}]
    blocks = messages_body(
        {"role": "user", "content": [{"type": "text", "text": "hi", **mark}]},
        call,
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": False, "content": inside, **mark}],
        },
        system=[{"type": "text", "text": "s", **mark}],
    )
    assert contents("anthropic", blocks) == contents("anthropic", plain)
    assert [segment.mark for segment in segments("anthropic", blocks)] == ["5m", "5m", None, "5m"]


def test_spelling_is_no_content_but_key_order_is() -> None:
    """Blanks and escapes of the JSON don't reach the model; the order of an input's keys does."""
    body = messages_body({"role": "user", "content": "hé"}, tools=[{"name": "f", "input_schema": {"a": 1, "b": 2}}])
    spelled = json.dumps(json.loads(body), ensure_ascii=False, indent=2).encode()
    assert contents("anthropic", spelled) == contents("anthropic", body)
    other = messages_body({"role": "user", "content": "hé"}, tools=[{"name": "f", "input_schema": {"b": 2, "a": 1}}])
    assert contents("anthropic", other)[0] != contents("anthropic", body)[0]


def test_automatic_caching_marks_the_last_block_that_can_have_a_mark() -> None:
    """Thinking can't."""
    body = messages_body(
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]},
        cache_control={"type": "ephemeral", "ttl": "1h"},
    )
    assert [segment.mark for segment in segments("anthropic", body)] == ["1h", None]


def test_tools_that_are_loaded_later_and_the_billing_line_are_not_in_the_prompt() -> None:
    """Neither of them is given to the model at the front."""
    body = messages_body(
        {"role": "user", "content": "hi"},
        tools=[{"name": "f", "defer_loading": True}],
        system=[{"type": "text", "text": "x-anthropic-billing-header: cc_version=1"}, {"type": "text", "text": "s"}],
    )
    assert len(segments("anthropic", body)) == 2


def test_a_changed_tool_choice_keeps_tools_and_system_in_the_cache() -> None:
    """Messages are written again, and a changed model shares nothing."""
    mark = {"cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": "s" * 2984, **mark}]
    said = {"role": "user", "content": [{"type": "text", "text": "m" * 2984, **mark}]}
    mine = cache()
    bill(segments("anthropic", messages_body(said, system=system)), mine, 0)
    chosen = messages_body(said, system=system, tool_choice={"type": "any"})
    assert bill(segments("anthropic", chosen), mine, 1) == Usage(cache_read=1000, cache_write=1000)
    other = messages_body(said, system=system, model="claude-opus-5")
    assert bill(segments("anthropic", other), mine, 1) == Usage(cache_write=2000)


def test_a_picture_counts_4800_bytes_whatever_its_payload() -> None:
    """On both surfaces."""
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 50_000}
    ours = messages_body({"role": "user", "content": [{"type": "image", "source": source}]})
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 50_000}}
    chat = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": [url]}]}).encode()
    assert [len(content) for content in contents("anthropic", ours)] == [4816]
    assert [len(content) for content in contents("openai-chat", chat)] == [4832]


def test_a_longer_text_on_the_chat_surface_changes_only_what_comes_after() -> None:
    """The prompt up to the added characters is the same bytes."""
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]}
    before = b"".join(contents("openai-chat", json.dumps(body).encode()))
    body["messages"] = [{"role": "user", "content": "hello there"}]
    assert b"".join(contents("openai-chat", json.dumps(body).encode())) == before + b" there"


def test_a_body_that_cannot_be_read_is_named() -> None:
    """No JSON, no object, no messages, no such surface."""
    for body in (b"{", b"[]", b'{"messages": 3}', b'{"messages": ["x"]}', b"[" * 100_000):
        with pytest.raises(Unreadable):
            segments("anthropic", body)
    with pytest.raises(UnknownSurface):
        segments("cohere", b"{}")


def test_the_rules_of_a_model_follow_its_surface_and_its_prices() -> None:
    """Marks with Anthropic, steps of 128 with older GPTs, an implicit breakpoint with newer ones, exact elsewhere."""
    assert rules_of("anthropic", "claude-opus-4-5") == BreakpointRules(4096, 20, None, 0.1, 1.25, 2.0)
    assert rules_of("openai-chat", "gpt-5.1") == PrefixRules(1024, 128, read=0.1, write=1.0)
    assert rules_of("openai-chat", "gpt-6-sol") == BreakpointRules(1024, None, "30m", 0.1, 1.25, 1.25)
    assert rules_of("openai-chat", "my-own-model") == PrefixRules(1024, 128, read=0.1, write=1.0)
    assert rules_of("gemini", "gemini-4-argon") == PrefixRules(4096, 1, read=0.05, write=1.0)
    assert rules_of("gemini", "of-another-name") == PrefixRules(1024, 1, read=0.1, write=1.0)
    assert rules_of("anthropic", "any", Rates(50, 1250, min_prefix=7)) == BreakpointRules(7, read=0.05)


# -- what always holds -------------------------------------------------------------------------------------------------

MARKS = st.sampled_from([None, None, None, "5m", "1h"])
SEGMENTS = st.lists(st.builds(Segment, st.sampled_from([b"ab" * 9, b"ab" * 10, b"abc", b"x"]), MARKS), max_size=12)
RULES = st.sampled_from(
    [
        BreakpointRules(minimum=4),
        BreakpointRules(minimum=1, look_back=3),
        BreakpointRules(minimum=2, look_back=None, implicit="30m"),
        PrefixRules(minimum=4, step=2),
        PrefixRules(minimum=3, step=1),
        PrefixRules(minimum=3, step=4, write=1.25),
    ]
)


@given(RULES, st.lists(st.tuples(SEGMENTS, st.integers(0, 400)), max_size=8))
def test_every_token_is_billed_once_and_only_shared_prefixes_are_read(
    rules: Rules, requests: list[tuple[list[Segment], int]]
) -> None:
    """Read + written + input is the whole prompt; no more is read than the longest prefix an earlier prompt had."""
    mine, now, seen = cache(rules), 0, [b""]
    for prompt, later in requests:
        now += later
        text = b"".join(segment.content for segment in prompt)
        found = charge(prompt, mine, now)
        shared = max(alike(text, other) for other in seen)
        assert found.usage.prompt == tokens(len(text))
        assert min(found.usage.input, found.usage.cache_read, found.write_1h, found.write_5m) >= 0
        assert found.usage.cache_read <= tokens(shared)
        seen.append(text)


@given(RULES, SEGMENTS)
def test_the_same_request_again_reads_all_that_was_cached(rules: Rules, prompt: list[Segment]) -> None:
    """Nothing is written twice."""
    mine = cache(rules)
    first, second = bill(prompt, mine, 0), bill(prompt, mine, 1)
    assert second.cache_write == 0
    assert second.cache_read >= first.cache_write


def alike(one: bytes, other: bytes) -> int:
    """Bytes that two prompts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
