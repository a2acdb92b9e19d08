"""English words to their stems: the Porter2 algorithm, as Snowball publishes it.

The steps, their suffixes and their exceptions are those of the published description, in its
revision of Snowball 3, and are named here as they are there. R1 is the part of a word after the
first non-vowel that follows a vowel; R2 is the same within R1. A `y` that begins a word or
follows a vowel is a consonant, and is written `Y` until the end.

Promises: a word of letters never has an empty stem; one of up to two letters is its own stem; the
same word has the same stem always, for stems lie in the index. Stems of words are remembered,
the most recent ones, so that the memory they take is bounded.
"""

from __future__ import annotations

from functools import lru_cache

from agent_memory_os.text.pattern import pattern

_REMEMBERED = 16_384
_VOWELS = frozenset("aeiouy")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_BEFORE_LI = frozenset("cdeghkmnrt")
_REGION = "[^aeiouy]*[aeiouy]+[^aeiouy]"

# Words that begin so are cut here, whatever their letters: else "general", "generous" and
# "generate" would be one word.
_BEGINNINGS = ("gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter")

_SPECIAL = {
    "skies": "sky",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    "sky": "sky",
    "news": "news",
    "howe": "howe",
    "atlas": "atlas",
    "cosmos": "cosmos",
    "bias": "bias",
    "andes": "andes",
}
_KEEP_EED = frozenset(("succ", "proc", "exc"))
_KEEP_ING = frozenset(("inn", "out", "cann", "herr", "earr", "even"))

# Suffixes of one step by their last two letters, the longest first, with what replaces each.
_Suffixes = dict[str, tuple[tuple[str, str], ...]]
_STEP_2: _Suffixes = {
    "al": (("ational", "ate"), ("tional", "tion")),
    "ci": (("enci", "ence"), ("anci", "ance")),
    "li": (
        ("lessli", "less"),
        ("entli", "ent"),
        ("ousli", "ous"),
        ("fulli", "ful"),
        ("abli", "able"),
        ("alli", "al"),
        ("bli", "ble"),
        ("li", ""),
    ),
    "er": (("izer", "ize"),),
    "on": (("ization", "ize"), ("ation", "ate")),
    "or": (("ator", "ate"),),
    "sm": (("alism", "al"),),
    "ti": (("biliti", "ble"), ("aliti", "al"), ("iviti", "ive")),
    "ss": (("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive")),
    "st": (("ogist", "og"),),
    "gi": (("ogi", "og"),),
}
_STEP_3: _Suffixes = {
    "al": (("ational", "ate"), ("tional", "tion"), ("ical", "ic")),
    "ze": (("alize", "al"),),
    "te": (("icate", "ic"),),
    "ti": (("iciti", "ic"),),
    "ul": (("ful", ""),),
    "ss": (("ness", ""),),
    "ve": (("ative", ""),),
}
_STEP_4: _Suffixes = {
    "al": (("al", ""),),
    "ce": (("ance", ""), ("ence", "")),
    "er": (("er", ""),),
    "ic": (("ic", ""),),
    "le": (("able", ""), ("ible", "")),
    "nt": (("ement", ""), ("ment", ""), ("ant", ""), ("ent", "")),
    "sm": (("ism", ""),),
    "te": (("ate", ""),),
    "ti": (("iti", ""),),
    "us": (("ous", ""),),
    "ve": (("ive", ""),),
    "ze": (("ize", ""),),
    "on": (("ion", ""),),
}


@lru_cache(maxsize=_REMEMBERED)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; what is not English comes back nearly as it is."""
    if len(word) < 3:  # noqa: PLR2004 - as published
        return word
    special = _SPECIAL.get(word)
    return special if special is not None else _stem(word)


def _stem(word: str) -> str:
    word = word.removeprefix("'")
    if "y" in word:
        word = _mark_consonants(word)
    r1, r2 = _regions(word)
    # Most words end in nothing that a step knows: asking first is cheaper than calling.
    if "'" in word:
        word = _step_0(word)
    if word.endswith(("s", "ied")):
        word = _step_1a(word)
    if word.endswith(("ed", "ing", "ly")):
        word = _step_1b(word, r1)
    if word.endswith(("y", "Y")):
        word = _step_1c(word)
    if word[-2:] in _STEP_2:
        word = _step_2(word, r1)
    if word[-2:] in _STEP_3:
        word = _step_3(word, r1, r2)
    if word[-2:] in _STEP_4:
        word = _step_4(word, r2)
    if word.endswith(("e", "ll")):
        word = _step_5(word, r1, r2)
    return word.replace("Y", "y")


def _mark_consonants(word: str) -> str:
    letters = list(word)
    for place, letter in enumerate(letters):
        if letter == "y" and (place == 0 or letters[place - 1] in _VOWELS):
            letters[place] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin; the word's end where there is no such region."""
    region, end = pattern(_REGION), len(word)
    if word.startswith(_BEGINNINGS):
        r1 = next(len(begun) for begun in _BEGINNINGS if word.startswith(begun))
    else:
        first = region.match(word)
        r1 = first.end() if first else end
    second = region.match(word, r1)
    return r1, second.end() if second else end


def _step_0(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            return word[: -len(suffix)]
    return word


def _step_1a(word: str) -> str:
    """Plurals."""
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]  # noqa: PLR2004 - cries, but ties
    if word.endswith(("us", "ss")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if _has_vowel(word[:-2]) else word


def _step_1b(word: str, r1: int) -> str:
    """Past forms and present participles."""
    bare = word.removesuffix("ly")
    if bare.endswith("eed"):
        kept = bare[:-3] in _KEEP_EED
        return bare[:-1] if len(bare) - 3 >= r1 and not kept else word
    if bare.endswith("ed"):
        begun = bare[:-2]
    elif bare.endswith("ing"):
        begun = bare[:-3]
        exception = _exception(begun) if bare == word else ""
        if exception:
            return exception
    else:
        return word
    return _mend(begun, r1) if _has_vowel(begun) else word


def _exception(begun: str) -> str:
    """The participles that keep their ending, or change another way; else nothing."""
    if begun in _KEEP_ING:
        return begun + "ing"
    if len(begun) == 2 and begun[1] == "y" and begun[0] not in _VOWELS:  # noqa: PLR2004 - dying
        return begun[0] + "ie"
    return ""


def _mend(word: str, r1: int) -> str:
    """Give a word whose ending was cut the letters back that the ending had changed."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word[-2:] in _DOUBLES:
        return word if len(word) == 3 and word[0] in "aeo" else word[:-1]  # noqa: PLR2004 - add, egg, off
    return word + "e" if r1 >= len(word) and _ends_short(word) else word


def _step_1c(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:  # noqa: PLR2004 - by, but cry
        return word[:-1] + "i"
    return word


def _longest(word: str, suffixes: _Suffixes) -> tuple[str, str]:
    for suffix, replacement in suffixes.get(word[-2:], ()):
        if word.endswith(suffix):
            return suffix, replacement
    return "", ""


def _step_2(word: str, r1: int) -> str:
    suffix, replacement = _longest(word, _STEP_2)
    begun = word[: len(word) - len(suffix)]
    if not suffix or len(begun) < r1:
        return word
    if suffix == "li" and begun[-1:] not in _BEFORE_LI:
        return word
    if suffix == "ogi" and begun[-1:] != "l":
        return word
    return begun + replacement


def _step_3(word: str, r1: int, r2: int) -> str:
    suffix, replacement = _longest(word, _STEP_3)
    begun = word[: len(word) - len(suffix)]
    if not suffix or len(begun) < (r2 if suffix == "ative" else r1):
        return word
    return begun + replacement


def _step_4(word: str, r2: int) -> str:
    suffix, _ = _longest(word, _STEP_4)
    begun = word[: len(word) - len(suffix)]
    if not suffix or len(begun) < r2 or (suffix == "ion" and begun[-1:] not in ("s", "t")):
        return word
    return begun


def _step_5(word: str, r1: int, r2: int) -> str:
    begun = word[:-1]
    if word.endswith("e"):
        cut = len(begun) >= r2 or (len(begun) >= r1 and not _ends_short(begun))
    else:
        cut = word.endswith("ll") and len(begun) >= r2
    return begun if cut else word


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_short(word: str) -> bool:
    """Whether the word ends in a short syllable, as in "rap", "on" and "past"."""
    if len(word) > 2:  # noqa: PLR2004 - a syllable of three letters
        return (
            word[-1] not in "aeiouywxY" and word[-2] in _VOWELS and word[-3] not in _VOWELS
        ) or word.endswith("past")
    return len(word) == 2 and word[0] in _VOWELS and word[1] not in _VOWELS  # noqa: PLR2004
