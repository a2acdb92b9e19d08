"""Text in one form: what may be stored, and what is alike for search.

`clean` makes any Python string storable and changes nothing else: what was written is kept to the
byte. `fold` is for comparing: two texts that a person would take for the same words have one
folded form. It drops width, case, ligatures, typographic quotes and dashes, invisible characters,
the accents of Latin and Greek letters, stress marks and the dots of the Cyrillic yo, the optional
vowel points of Arabic and Hebrew, and writes the digits of every script as 0 to 9. It never drops
a mark that makes another letter: the vowel signs of the Indic and South-East Asian scripts, the
voicing marks of Kana and the parts of a Hangul syllable stay, and so does the breve of the
Cyrillic short i.

Promises: both are idempotent; `fold` of ASCII is its lower case; neither fails on any string.
"""

from __future__ import annotations

import re
from functools import cache

from agent_memory_os.text.pattern import pattern

_UNSTORABLE = "[\0\ud800-\udfff]"

# Invisible (joiners, marks of direction, selectors of a glyph, fillers), laid over another
# character (enclosing marks), or optional (tatweel, vowel points).
_IGNORED = (
    "[\u00ad\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640"
    "\u064b-\u0652\u0670\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u20d0-\u20f0\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
# Letters that may carry an accent, and the accents themselves.
_ACCENTED = "[\u00c0-\u024f\u0300-\u036f\u0370-\u052f\u1e00-\u1fff]"
_ACCENTS = (
    "(?<=[A-Za-z\u00c0-\u02af\u0370-\u03ff])[\u0300-\u036f]+"
    "|(?<=[\u0400-\u052f\u0306\u0308])[\u0300\u0301]+"
    "|(?<=[\u0415\u0435])\u0308"
)
_OTHER_DIGITS = r"[^\D0-9]"
_TYPOGRAPHIC = "[\u02bb-\u02bd\u2010-\u2015\u2018-\u201f\u2032\u2212\u00ab\u00bb\u2039\u203a]"


def clean(text: str) -> str:
    """Return the text with NUL and lone surrogates as U+FFFD, and all else as it is."""
    if text.isascii() and "\0" not in text:
        return text
    return pattern(_UNSTORABLE).sub("\ufffd", text)


def fold(text: str) -> str:
    """Return the form in which texts are compared; case is gone, and so is what search ignores."""
    if text.isascii():
        return text.lower()
    folded = unify(unify(text).casefold())
    return folded.lower() if folded.isascii() else folded.casefold()


def unify(text: str) -> str:
    """Return the text as `fold` does, but with its case, by which `camelCase` is cut."""
    if text.isascii():
        return text
    from unicodedata import normalize  # not needed before the first text that is not in ASCII

    text = pattern(_IGNORED).sub("", normalize("NFKC", text))
    if pattern(_ACCENTED).search(text):
        bare = pattern(_ACCENTS).sub("", normalize("NFD", text))
        text = normalize("NFKC", bare.translate(_plain_letters()))
    if pattern(_TYPOGRAPHIC).search(text):
        text = text.translate(_plain_marks())
    return pattern(_OTHER_DIGITS).sub(_digit, text)


def _digit(match: re.Match[str]) -> str:
    return str(int(match[0]))


@cache
def _plain_letters() -> dict[int, str]:
    """Latin letters that have a stroke or are a ligature, and so no accent to take away."""
    pairs = (
        "øo ØO łl ŁL đd ĐD ðd ÐD ħh ĦH ıi ŧt ŦT æae ÆAE œoe ŒOE þth ÞTH"  # no more than is typed
    )
    return {ord(pair[0]): pair[1:] for pair in pairs.split()}


@cache
def _plain_marks() -> dict[int, str]:
    """Quotes and dashes as ASCII; a dash that parts words is two hyphens, as a typist writes it."""
    marks = dict.fromkeys(map(ord, "ʻʼʽ‘’‚‛′‹›"), "'")
    marks |= dict.fromkeys(map(ord, "“”„‟«»"), '"')
    marks |= dict.fromkeys(map(ord, "‐‑‒–−"), "-")
    return marks | dict.fromkeys(map(ord, "—―"), "--")
