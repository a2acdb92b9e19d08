"""Runs of scripts, and the terms of those that write words without spaces between them.

Chinese and Japanese (Han, Kana, Bopomofo) are one script here: words mix them. No dictionary is
used: a run gives each character and each pair of neighbours, so that a word of two characters is
found wherever it stands, and a longer one by its pairs. Thai, Lao, Khmer and Burmese are cut into
clusters first, a letter with the signs that belong to it, for a sign alone says nothing; clusters
then stand for characters. A Korean run also gives the whole, which mostly is a word. Emoji and
other pictures are terms, each with and without its skin tone; a flag is one.

For a question, a run of two or more gives its pairs only: a single character is in half of all
memories. A pair is no promise that the word is there, but several seldom meet by chance. Pairs
with a character that only asks or points (`text.stop`) go the way of stop words.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from unicodedata import category

from agent_memory_os.text.pattern import pattern
from agent_memory_os.text.stop import STOP_CHARACTERS
from agent_memory_os.text.word import cut_words, keep

_HAN_KANA = (
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_HANGUL = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"
_THAI_LAO = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
_KHMER_BURMESE = (
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u1000-\u103f\u1050-\u109d\ua9e0-\ua9fe\uaa60-\uaa7f"
)
_PICTURE = (
    "\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"
_TONE = "\U0001f3fb-\U0001f3ff"

# The groups are, in order, what `_CUTTERS` cuts.
_RUNS = (
    f"([{_HAN_KANA}]+)|([{_HANGUL}]+)|([{_THAI_LAO}{_KHMER_BURMESE}]+)"
    f"|([{_PICTURE}][{_TONE}]?|[{_FLAG}]{{1,2}}|[{_TONE}])"
    f"|([^{_HAN_KANA}{_HANGUL}{_THAI_LAO}{_KHMER_BURMESE}{_PICTURE}{_FLAG}{_TONE}]+)"
)
# A vowel written before its letter, the letter, the signs on it or stacked below it, and a vowel
# written after it. No language has eight signs on a letter; noise has, and a term has an end.
_CLUSTER = (
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?.(?:"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u17b4-\u17d1\u17d3\u17dd"
    "\u102b-\u1038\u103a-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    "\u1082-\u108d\u108f\u109a-\u109d]|[\u17d2\u1039].){0,8}[\u0e30\u0e32\u0e45\u0eb0\u0eb2]?"
)
_HAN, _KOREAN, _CLUSTERED, _PICTURED, _SPACED = range(1, 6)
_LETTER_LIKE = frozenset(("Mn", "Mc", "Me", "Co", "Cn"))


def cut_runs(text: str, found: list[str], *, asked: bool, drop: bool) -> None:
    """Add the terms of a unified text; `asked` as for a question, `drop` without stop words."""
    for match in pattern(_RUNS).finditer(text):
        run, kind = match[0], match.lastindex
        if kind == _SPACED:
            if len(run) > 1 or run.isalnum():  # most often a lone comma or full stop
                cut_words(_speakable(run), found, drop=drop)
        elif kind == _PICTURED:
            _cut_picture(run, found)
        elif kind == _CLUSTERED:
            _cut_units(pattern(_CLUSTER).findall(run), found, asked=asked, drop=False)
        else:
            if kind == _KOREAN and len(run) > 2:  # noqa: PLR2004 - a pair is its own whole
                keep(run, found)
            _cut_units(run, found, asked=asked, drop=drop)


def _cut_units(units: Sequence[str], found: list[str], *, asked: bool, drop: bool) -> None:
    pairs = list(map(add, units, units[1:]))
    if asked:
        asking = pairs or units
        found += [term for term in asking if not drop or STOP_CHARACTERS.isdisjoint(term)]
        return
    both: list[str] = [""] * (len(units) + len(pairs))
    both[::2] = units
    both[1::2] = pairs
    found += both


def _cut_picture(run: str, found: list[str]) -> None:
    found.append(run)
    if len(run) > 1 and pattern(f"[{_TONE}]").match(run, 1):
        found.append(run[0])


def _speakable(run: str) -> str:
    """The run with a space for each mark that is no part of a word.

    What this Python's tables do not know yet counts as a letter, so that it can be found.
    """
    if run.isascii() or run.isalnum():
        return run
    return "".join(
        sign if sign < "\x80" or sign.isalnum() or category(sign) in _LETTER_LIKE else " "
        for sign in run
    )
