"""Words and identifiers of the scripts that part words by spaces: whole, and in parts.

A lump is what is left of a text between spaces, brackets and the like. It is cut in four steps,
and a step that finds more than one piece also gives the whole that it cut:

1. at ``/ : @``: paths, addresses, scopes, `error:timeout`;
2. at the dot: files, domains, versions, `.NET`;
3. at hyphen, underscore, apostrophe, plus and hash: `POL-358`, `snake_case`, `state-of-the-art`;
4. where the case changes, or letters meet digits: `camelCase`, `gpt4`.

A whole of nothing but letters that hyphens, underscores, apostrophes or case hold together is
written as one word, so that `e-mail` finds `email`, and `user_id` finds `userId`. Any other whole
is kept as it is, in lower case. A word of ASCII letters is stemmed. `C++` and `C#` keep their
marks; a date gives its day, month and year (`2026-05-08`, `2026-05`, `2026`) and the hour and
minute behind it, a version also its first two numbers, a UUID no parts; of other numbers that
only marks hold together (`10:30`, `555-1234`), parts of one or two digits are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent_memory_os.text.pattern import pattern
from agent_memory_os.text.stem import stem
from agent_memory_os.text.stop import STOP_WORDS

LONGEST = 64

# What holds no two pieces together: controls, brackets, quotes, commas, repeated dots and hyphens.
_BREAKS = r"""[\x00-\x20,;()\[\]{}<>"|!?`*^$=&%~\x7f]+|--+|\.\.+|:?//+"""
_THOUSANDS = r"(?<=\d),(?=\d{3}(?!\d))"
_OUTER = "[/:@]+"
_INNER = "[-_'+#]+"
_EDGES = "/:@.-_'"
_AROUND = "!\"$%&'()*,-/:;<=>?@[\\]^_`{|}~"  # a dot, plus or hash may belong to the word
_DATE = r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)"
_TIME = r"T(\d\d:\d\d)"
_VERSION = r"[vV]?(\d+(?:\.\d+)+)(?![^\W_])"
_UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_MARKED = r"[A-Za-z]+\+\+|[A-Za-z]#(?![A-Za-z])"
_CASES = "[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
_SEAM = "([A-Za-z]{2,})([0-9]+)|([0-9]+)([A-Za-z]{2,})"
_CONTRACTIONS = ("'s", "'ll", "'ve", "'re", "'d", "'m")


def cut_words(text: str, found: list[str], *, drop: bool) -> None:
    """Add the terms of a text without other scripts' runs; with `drop`, without stop words."""
    word = text.strip(_AROUND).rstrip(_AROUND + ".")
    if word.isalnum():  # most are, and then no pattern is needed
        _cut_word(word, found, drop=drop)
        return
    if "\\" in text:
        text = text.replace("\\", "/")
    if "," in text:
        text = pattern(_THOUSANDS).sub("", text)
    for lump in pattern(_BREAKS).split(text):
        if lump:
            _cut_lump(lump, found, drop=drop)


def keep(term: str, found: list[str]) -> None:
    """Add a term, cut to the length that a term may have."""
    found.append(term[:LONGEST])


def _cut_lump(lump: str, found: list[str], *, drop: bool) -> None:
    date = pattern(_DATE).match(lump) if lump[0].isdigit() else None
    if date and _keep_date(date, found):
        time = pattern(_TIME).match(lump, date.end())
        if time:
            found.append(time[1])
            return
        lump = lump[date.end() :]
    pieces = _filled(pattern(_OUTER).split(lump))
    if len(pieces) > 1:
        keep(_trimmed(lump), found)
        if _all_numbers(pieces):
            pieces = _telling(pieces)
    for piece in pieces:
        _cut_dotted(piece, found, drop=drop)


def _cut_dotted(piece: str, found: list[str], *, drop: bool) -> None:
    if piece[0] == "." and piece[1:2].isalpha():
        keep(piece.rstrip(_EDGES).casefold(), found)
        piece = piece[1:]
    version = pattern(_VERSION).match(piece) if "." in piece else None
    if version:
        _keep_version(version, found)
        if version.end() < len(piece.rstrip(_EDGES)):
            keep(_trimmed(piece), found)
        piece = piece[version.end() :]
    parts = _filled(piece.split("."))
    if len(parts) > 1 and not version:
        keep(_trimmed(piece), found)
    for part in parts:
        _cut_hyphened(part, found, drop=drop)


def _cut_hyphened(piece: str, found: list[str], *, drop: bool) -> None:
    if piece.isalnum():
        _cut_word(piece, found, drop=drop)
        return
    piece = piece.strip("-_'")
    marked = pattern(_MARKED).match(piece)
    if marked:
        _cut_marked(piece, marked.end(), found, drop=drop)
        return
    piece = _without_contraction(piece)
    parts = _filled(pattern(_INNER).split(piece))
    if len(parts) > 1:
        _keep_joined(piece, parts, found, drop=drop)
        if _all_numbers(parts):
            parts = _telling(parts)
        elif pattern(_UUID).fullmatch(piece):
            return
        elif "'" in piece:
            parts = [part for part in parts if len(part) > 1]
    for part in parts:
        _cut_word(part, found, drop=drop)


def _cut_marked(piece: str, end: int, found: list[str], *, drop: bool) -> None:
    """`C++`, `C#`, `C++17`, `notepad++`: what has a mark is another thing than what has none."""
    name = piece[:end].casefold()
    keep(name, found)
    if end < len(piece):
        keep(piece.casefold(), found)
    bare = name.rstrip("+#")
    if len(bare) > 1:
        _cut_word(bare, found, drop=drop)
    for part in _filled(pattern(_INNER).split(piece[end:])):
        _cut_word(part, found, drop=drop)


def _without_contraction(piece: str) -> str:
    """Cut "'s" and the like, and write "don't" as one word."""
    if "'" not in piece:
        return piece
    lower = piece.casefold()
    if lower.endswith("n't"):
        return piece[:-2] + piece[-1]
    for ending in _CONTRACTIONS:
        if lower.endswith(ending):
            return piece[: -len(ending)]
    return piece


def _keep_joined(piece: str, parts: list[str], found: list[str], *, drop: bool) -> None:
    if all(map(str.isalpha, parts)) and "+" not in piece and "#" not in piece:
        word = "".join(parts).casefold()
        if not (drop and word in STOP_WORDS):
            keep(_stemmed(word), found)
    else:
        keep(_trimmed(piece).replace("_", "-"), found)


def _cut_word(word: str, found: list[str], *, drop: bool) -> None:
    lower = word.casefold()
    if drop and lower in STOP_WORDS:
        return
    if not word.isascii() or word.isdigit():
        keep(lower, found)
        return
    keep(_stemmed(lower) if word.isalpha() else lower, found)
    if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):
        return
    seam = pattern(_SEAM).fullmatch(word)
    parts = _filled(seam.groups("")) if seam else _cases(word)
    for part in parts:
        lower = part.lower()
        if not (drop and lower in STOP_WORDS):
            keep(stem(lower), found)


def _stemmed(word: str) -> str:
    return stem(word) if word.isascii() and len(word) <= LONGEST else word


def _cases(word: str) -> list[str]:
    """The parts of `camelCase`; none of what only looks like it: keys, hashes, encoded bytes."""
    if len(word) > LONGEST:
        return []
    parts = pattern(_CASES).findall(word)
    letters = [part for part in parts if len(part) > 1 and part.isalpha()]
    return letters if len(letters) > 1 and len(word) >= 3 * len(parts) else []


def _keep_date(date: re.Match[str], found: list[str]) -> bool:
    year, month, day = date[1], int(date[3]), int(date[4])
    if not (1 <= month <= 12 and 1 <= day <= 31):  # noqa: PLR2004 - a calendar's
        return False
    found += (f"{year}-{month:02}-{day:02}", f"{year}-{month:02}", year)
    return True


def _keep_version(version: re.Match[str], found: list[str]) -> None:
    number = version[1]
    keep(version[0].casefold(), found)
    if version[0] != number:
        keep(number, found)
    first, second, *others = number.split(".")
    if others:
        keep(f"{first}.{second}", found)


def _trimmed(whole: str) -> str:
    return whole.strip(_EDGES).casefold()


def _filled(pieces: Iterable[str]) -> list[str]:
    """Those pieces that hold more than marks."""
    return [piece for piece in pieces if piece.strip(_EDGES)]


def _all_numbers(pieces: list[str]) -> bool:
    return all(map(str.isdigit, pieces))


def _telling(numbers: list[str]) -> list[str]:
    return [number for number in numbers if len(number) > 2]  # noqa: PLR2004 - as documented
