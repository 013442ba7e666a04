"""Source code, numbered or not: what it imports, defines and sets; bodies by what they alone say."""

import re
from collections.abc import Sequence

from .reader import Lines, counted, share

NUMBERED = re.compile(r"\s+\d{1,7}\t|\s*\d{1,7}(?:\s?[:|→]\s?|  )")
DEFINES = re.compile(
    r"(?:\s*\d{1,7}(?:\t|\s?[:|→]\s?|  ))?\s*"
    r"(?:(?:export|default|public|private|protected|static|final|abstract|async|pub|inline|virtual)\s+){0,4}"
    r"(?:(?:def|class|function|fn|func|struct|interface|enum|trait|impl|type|module|namespace|package|import|from|use|"
    r"#include|#define|@\w+|const|let|var|raise|throw|static|extern|void|int|bool|unsigned)\b|"
    r"[A-Z][A-Z0-9_]{2,}\s*[:=]|\w[\w.]{1,60}\s*=\s*[\"'\d\[{(])"
)
_CODE = re.compile(r"[;{}(),:\\]\s*$|^\s*(?://|#|\*|/\*|@)|=|^\s*(?:return|else|end|try|if|for|while)\b|\w\(")
USED = 1.0
"""The part of the room that is used: in code, every line says something else."""
DEFINED = 10.0
"""What a definition, an import or a setting is worth."""
MOST = 0.5
"""Share of the lines above which definitions are nothing rare, and none of them worth more."""


def _fits(lines: Sequence[str]) -> bool:
    numbered = share(lines, NUMBERED.match) >= 0.8
    return numbered or (
        share(lines, _CODE.search) >= 0.55 and (share(lines, _indented) >= 0.3 or share(lines, DEFINES.match) >= 0.3)
    )


def _indented(line: str) -> bool:
    return line[:1] in (" ", "\t")


def _weigh(lines: Sequence[str]) -> tuple[list[float], list[str]]:
    defines = [DEFINES.match(line) is not None for line in lines]
    worth = DEFINED if sum(defines) <= MOST * len(lines) else 0.0
    return [worth if each else 0.0 for each in defines], [""] * len(lines)


def _told(text: str, start: int, end: int) -> str:
    """How many lines; nothing where the lines say their numbers."""
    return "" if NUMBERED.match(text, start, min(end, start + 40)) else counted(text, start, end)


READER = Lines(fits=_fits, weigh=_weigh, told=_told, share=USED)
