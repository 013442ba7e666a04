"""Head, tail and the evidence between them: a text of one line, a pure function of the result and a length."""

from foldpoint.core.text import ELLIPSIS, READ_AHEAD, collapsed, cut, one_line

from .gaps import unended
from .records import records_of
from .weighing import Snippet, snippets_of

SHORTEST = 64
"""A length below which there is room for a head alone."""
HEAD, TAIL = 7, 11
"""The parts of the length that head and tail get at least: one in so many."""
SHAPE = 4
"""The part of it that the shape of a JSON text gets."""
SHARE = 0.6
"""The part of the length that evidence gets at most; what it does not take is the head's."""
LEAST = 10.0
"""What a snippet must be worth to take room from the head."""
LEAST_AGAIN = 8.0
"""The same of a capped text, in which much that is evidence stands beside each other."""
LONGEST = 110
"""Characters of one piece of evidence."""
BREAK = f" {ELLIPSIS} "
_REST = 24
"""Characters below which the room that is left is not worth a search."""


def extract(text: str, length: int) -> str:
    """What a line carries of a result: at most `length` characters and an ellipsis; 0 = the whole text."""
    if length < SHORTEST or (len(text) <= 8 * length and len(collapsed(text)) <= length):
        return one_line(text, length)
    text, left = unended(text)
    shape, snippets = records_of(text) or ("", snippets_of(text, LEAST_AGAIN if left else LEAST, left))
    lead = cut(collapsed(shape or text[:length]), length // (SHAPE if shape else HEAD)).rstrip()
    tail = "" if shape else ended(text, length // TAIL)
    room = int(SHARE * length) - (len(lead) if shape else 0)
    chosen = chosen_of([each for each in snippets if each.score >= LEAST_AGAIN], room, f"{lead}\n{tail}")
    if not chosen:
        return one_line(text, length)
    rest = [*([lead] if shape else []), *chosen, *([tail] if tail else [])]
    left = length - sum([len(each) + len(BREAK) for each in rest])
    return joined([cut(collapsed(text[: length * READ_AHEAD]), max(0, left)).rstrip(), *rest], length)


def joined(parts: list[str], length: int) -> str:
    """The parts that say anything, with a sign that something is left out between them and behind them."""
    return cut(BREAK.join([part for part in parts if part]), length).rstrip() + ELLIPSIS


def ended(text: str, length: int) -> str:
    """The last words, at most so many characters."""
    line = collapsed(text[-4 * length :])
    return line if len(line) <= length else line[-length:].partition(" ")[2]


def chosen_of(snippets: list[Snippet], room: int, shown: str) -> list[str]:
    """The snippets that tell most for their length, as far as there is room, in the order of the text."""
    taken: list[tuple[int, str]] = []
    for snippet in sorted(snippets, key=lambda each: (-each.score / (24 + len(each.text)) ** 0.5, each.number)):
        said = cut(collapsed(snippet.text), LONGEST)
        if said in shown or len(said) + len(BREAK) > room:
            continue
        room -= len(said) + len(BREAK)
        taken.append((snippet.number, said))
        if room < _REST:
            break
    return [said for _, said in sorted(taken)]
