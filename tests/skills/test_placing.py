"""Where each block and each carried text goes."""

from typing import Any

from foldpoint.core.edit import Block, Carried, KeptImage, Layout, Slot
from foldpoint.core.policy import Trajectory
from foldpoint.pricing.gate import Gate
from foldpoint.skills.epoch import replayed, start
from foldpoint.skills.placing import laid_out
from transcripts import SAID, USUAL, Turn, image, image_url, ledger, messages, said


def shown(written: list[Any], surface: str) -> tuple[list[Any], int]:
    """The folded list: a slot is its item, or (item, additions); blocks by their newest turn, carried ones by item."""
    read = ledger(surface, written)
    policy = Trajectory(token_watermark=0)
    layout = laid_out(read, replayed(read, policy, Gate(1, 12, payback_turns=1_000), start(read), read.count))
    return [
        (slot.item, [named(each) for each in slot.added]) if slot.added else slot.item for slot in layout.slots
    ], layout.tail


def named(addition: Block | Carried | KeptImage) -> str:
    """An addition in a word."""
    match addition:
        case Block(json=json):
            return "block " + said(json).rsplit("\nturn ", 1)[1].split(" ")[0]
        case Carried(item=item, dropped=dropped):
            return f"carried {item}" + (f" without {dropped}" if dropped else "")
        case KeptImage(item=item):
            return f"image {item}"


def placed(surface: str, turns: int, odd: dict[int, Turn] | None = None, usual: Turn = USUAL) -> tuple[list[Any], int]:
    """The folded list of a transcript."""
    return shown(messages(surface, turns, odd, usual), surface)


def test_a_block_is_merged_into_the_opening() -> None:
    """Head with the block behind its content, then the tail from turn 5 on."""
    assert (placed("anthropic", 6), placed("openai-chat", 6)) == (([(0, ["block 4"])], 9), ([(0, ["block 4"])], 9))


def test_a_later_block_goes_behind_the_first() -> None:
    """Both in the opening message, in order."""
    assert placed("anthropic", 11) == ([(0, ["block 4", "block 9"])], 19)


def test_what_a_fold_carries_stands_behind_its_block() -> None:
    """Fold by fold."""
    odd = {2: Turn(beside="Hurry."), 7: Turn(beside="Now.")}
    assert placed("anthropic", 11, odd) == ([(0, ["block 4", "carried 4", "block 9", "carried 14"])], 19)


def test_what_a_chat_fold_carries_stands_behind_its_block() -> None:
    """A user message behind the results is an item of its own there."""
    odd = {2: Turn(beside="Hurry."), 7: Turn(beside="Now.")}
    assert placed("openai-chat", 11, odd) == ([(0, ["block 4", "carried 5", "block 9", "carried 16"])], 21)


def test_on_anthropic_a_block_goes_in_front_of_a_kept_turn() -> None:
    """A message of results takes nothing: the next block goes to the user message in front of the kept turn."""
    assert placed("anthropic", 11, {2: Turn(marked=True)}) == ([(0, ["block 4", "block 9"]), 3, 4], 19)


def test_on_chat_a_block_behind_a_kept_turn_is_a_message_of_its_own() -> None:
    """A tool message takes nothing, and user messages may stand behind it."""
    assert placed("openai-chat", 11, {2: Turn(marked=True)}) == ([(0, ["block 4"]), 3, 4, (None, ["block 9"])], 19)


def test_on_chat_a_carried_message_behind_a_kept_turn_is_itself() -> None:
    """It stands there as the caller's own message, and takes the next block."""
    odd = {2: Turn(marked=True), 3: Turn(beside="Hurry.")}
    assert placed("openai-chat", 11, odd) == ([(0, ["block 4"]), 3, 4, (7, ["block 9"])], 20)


def test_on_chat_a_carried_message_that_loses_an_image_is_written_anew() -> None:
    """Behind a kept turn it is a message of ours."""
    odd = {2: Turn(marked=True), 3: Turn(beside=[image_url("A")]), 4: Turn(images=("B",))}
    assert placed("openai-chat", 6, odd) == (
        [(0, ["block 4"]), 3, 4, (None, ["carried 7 without (0,)", "image 9"])],
        10,
    )


def test_a_kept_turn_that_ends_in_a_plain_message_takes_the_next_block() -> None:
    """On either surface no user message is put beside it."""
    odd = {2: Turn(calls=0, said="a", beside=[{"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}}])}
    assert placed("anthropic", 11, odd) == ([(0, ["block 4"]), 3, (4, ["block 9"])], 19)


def test_a_system_message_in_the_head_keeps_its_place_on_anthropic() -> None:
    """The block goes into the user message in front of it."""
    written = messages("anthropic", 6)
    written.insert(1, {"role": "system", "content": "Be brief."})
    assert shown(written, "anthropic") == ([(0, ["block 4"]), 1], 10)


def test_a_system_message_in_front_is_left_alone_on_chat() -> None:
    """The block goes into the opening."""
    written = [{"role": "system", "content": "Be brief."}, *messages("openai-chat", 6)]
    assert shown(written, "openai-chat") == ([0, (1, ["block 4"])], 10)


def test_behind_a_system_message_in_a_chat_head_the_block_is_a_message_of_its_own() -> None:
    """A developer message behind the opening takes nothing."""
    written = messages("openai-chat", 6)
    written.insert(1, {"role": "developer", "content": "Be brief."})
    assert shown(written, "openai-chat") == ([0, 1, (None, ["block 4"])], 10)


def test_a_system_message_in_a_chat_turn_is_kept() -> None:
    """As a message, behind the block of its fold; the next block stands behind it."""
    assert placed("openai-chat", 11, {2: Turn(system="Be brief.")}) == ([(0, ["block 4"]), 5, (None, ["block 9"])], 20)


def test_a_system_message_in_an_anthropic_turn_keeps_its_turn() -> None:
    """Whole, behind the block."""
    assert placed("anthropic", 6, {2: Turn(system="Be brief.")}) == ([(0, ["block 4"]), 3, 4, 5], 10)


def test_kept_images_stand_last() -> None:
    """Behind every block and all that is carried."""
    odd = {3: Turn(images=("A",)), 4: Turn(beside="Hurry."), 7: Turn(beside="Now.")}
    assert placed("anthropic", 11, odd) == ([(0, ["block 4", "carried 8", "block 9", "carried 14", "image 6"])], 19)


def test_a_kept_image_behind_a_kept_turn_goes_in_front_of_it_on_anthropic() -> None:
    """Only a user message without results takes it."""
    odd = {1: Turn(images=("A",)), 4: Turn(marked=True)}
    assert placed("anthropic", 6, odd) == ([(0, ["block 4", "image 2"]), 7, 8], 9)


def test_a_text_trajectory_carries_nothing() -> None:
    """Its observations are in the lines."""
    assert placed("openai-chat", 6, usual=SAID) == ([(0, ["block 4"])], 9)


def test_what_a_trajectory_carries_follows_its_kind_at_the_fold() -> None:
    """Messages sealed as texts stay in their lines when a later fold is one of results."""
    odd = dict.fromkeys([*range(1, 7), 8], SAID)
    assert placed("openai-chat", 11, odd) == (
        [(0, ["block 4", "block 9", "carried 10", "carried 12", "carried 16"])],
        19,
    )


def test_nothing_sealed_is_the_head_and_the_rest() -> None:
    """A state without a fold lays out the request as it is."""
    read = ledger("anthropic", messages("anthropic", 3))
    assert laid_out(read, start(read)) == Layout((Slot(0),), 1)


def test_a_carried_document_goes_with_its_message() -> None:
    """Whatever stands beside results is one carried message."""
    odd = {2: Turn(beside=[image("A"), {"type": "document", "source": {"type": "text", "data": "d"}}])}
    assert placed("anthropic", 6, odd) == ([(0, ["block 4", "carried 4"])], 9)
