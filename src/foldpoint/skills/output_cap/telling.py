"""The words of a text that a reader may come back to: names, places, numbers; a plain word is none."""

_BLANKS = {ord(mark): " " for mark in "()[]{},;\"'`=<>!&*+%^|?\\"}
_ENDS = ".:-/"
LEAST, MOST = 4, 120
DIGITS = 3
"""Characters of such a word at least and at most; of a number at least."""


def telling(texts: list[str]) -> list[set[str]]:
    """The telling words of each text; a number in front of all is the line's own."""
    known: dict[str, str] = {}
    found = []
    for text in texts:
        words = set()
        listed = text.translate(_BLANKS).split()
        for word in listed[1:] if listed and listed[0].rstrip(":→").isdigit() else listed:
            if word.isalpha() and word.islower():
                continue
            told = known.get(word)
            if told is None:
                known[word] = told = _told(word)
            if told:
                words.add(told)
        found.append(words)
    return found


def _told(word: str) -> str:
    """The word without what ends it, if it tells anything; else nothing."""
    word = word.strip(_ENDS)
    if word.isdigit():
        return word if len(word) >= DIGITS else ""
    plain = word.isalpha() and (word[1:].islower() or word.isupper())
    return "" if plain or not LEAST <= len(word) <= MOST or not any(map(str.isalpha, word)) else word
