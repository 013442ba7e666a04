"""The words of a text that a reader may come back to: names, places, numbers; a plain word is none."""

from collections.abc import Iterable
from functools import cache

_BLANKS = {ord(mark): " " for mark in "()[]{},;\"'`=<>!&*+%^|?\\"}
_ENDS = ".:-/"
LEAST, MOST = 4, 120
DIGITS = 3
"""Characters of such a word at least and at most; of a number at least."""


def telling(texts: Iterable[str]) -> list[set[str]]:
    """The telling words of each text; a number in front of all is the line's own."""
    told, found = cache(_told), []
    for text in texts:
        words = text.translate(_BLANKS).split()
        if words and words[0].rstrip(":→").isdigit():
            del words[0]
        tells = set(map(told, words))
        tells.discard("")
        found.append(tells)
    return found


def _told(word: str) -> str:
    """The word without what ends it, if it tells anything; else nothing."""
    if word.isalpha() and word.islower():
        return ""
    word = word.strip(_ENDS)
    if word.isdigit():
        return word if len(word) >= DIGITS else ""
    plain = word.isalpha() and (word[1:].islower() or word.isupper())
    return "" if plain or not LEAST <= len(word) <= MOST or not any(map(str.isalpha, word)) else word
