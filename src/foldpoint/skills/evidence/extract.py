"""Head, tail and the evidence between them: a text of one line, a pure function of the result and a length."""

from foldpoint.core.text import ELLIPSIS, collapsed, cut, one_line

from .records import records_of
from .weighing import Snippet, snippets_of

HEAD, TAIL = 7, 11
"""The parts of the length that head and tail get: one in so many."""
LONGEST = 110
"""Characters of one piece of evidence."""
BREAK = f" {ELLIPSIS} "
_REST = 24
"""Characters below which the room that is left is not worth a search."""


def extract(text: str, length: int) -> str:
    """What a line carries of a result: at most `length` characters and an ellipsis; 0 = the whole text."""
    if not length or (len(text) <= 8 * length and len(collapsed(text)) <= length):
        return one_line(text, length)
    shaped = records_of(text)
    head, snippets = shaped if shaped else ("", snippets_of(text))
    head = cut(head or collapsed(text[:length]), length // HEAD if not shaped else length // 3).rstrip()
    tail = "" if shaped else ended(text, length // TAIL)
    chosen = chosen_of(snippets, length - len(head) - len(tail) - 2 * len(BREAK), head, tail)
    if not chosen:
        return one_line(text, length)
    return cut(BREAK.join([part for part in (head, *chosen, tail) if part]), length) + ELLIPSIS


def ended(text: str, length: int) -> str:
    """The last words, at most so many characters."""
    line = collapsed(text[-4 * length :])
    return line if len(line) <= length else line[-length:].partition(" ")[2]


def chosen_of(snippets: list[Snippet], room: int, head: str, tail: str) -> list[str]:
    """The snippets that tell most for their length, as far as there is room, in the order of the text."""
    taken: list[tuple[int, str]] = []
    for snippet in sorted(snippets, key=lambda each: (-each.score / (24 + len(each.text)) ** 0.5, each.number)):
        said = cut(collapsed(snippet.text), LONGEST)
        if said in head or said in tail or len(said) + len(BREAK) > room:
            continue
        room -= len(said) + len(BREAK)
        taken.append((snippet.number, said))
        if room < _REST:
            break
    return [said for _, said in sorted(taken)]
