"""Invented memories and questions, the same for every run: no real text, and no list of words.

Words follow Zipf's law, as those of English do: a few dozen function words are nearly half of a
text, and most of the vocabulary is met once. The other words are made of syllables, shorter the
more often they are used, and take English endings, so that a stemmer has its work. A memory has a
topic, from which every third of its words comes; so words are met together, as in real notes. It
has 150 characters on average, from one clause to a paragraph, and one in five has a number or a
code in it.

A question is asked about one memory, in one of three ways: ``mixed`` takes its words as they come,
``middling`` those of middling frequency, ``common`` only the commonest words of the vocabulary.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

SEED = 20_261_101
VOCABULARY = 40_000
TOPICS = 400
TOPIC_WORDS = 40
MEAN_LENGTH = 150

_FUNCTION = (
    "the of and to in is that for it on with as was be by are this at from or an but not have had "
    "they we you which one all there has were when can more if no out so what about up into than "
    "them only some could time these two may then do first any my now such like our over"
).split()
_FUNCTION_SHARE = 0.42
_TOPIC_SHARE = 0.33
_SCALE = 6
"""Shifts Zipf's law, so that the commonest content word is in some percent of the memories."""

_OPENING = ("when did the", "what is the", "who has the", "how do we", "where was the", "which")
_COMMON = 12
_MIDDLING = slice(150, 2500)


class Note(NamedTuple):
    """One invented memory: its text, its author, and its place in a session."""

    text: str
    author: str
    session: str
    position: int


class Corpus:
    """Invented text; two corpora of one seed say the same."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = Random(seed)
        self.words = _vocabulary(self._random)
        self._rank = {word: rank for rank, word in enumerate(self.words)}
        weights = [1 / (rank + _SCALE) for rank in range(VOCABULARY)]
        self._steps = list(accumulate(weights))
        self._function = list(accumulate(1 / (rank + 2) for rank in range(len(_FUNCTION))))
        self._topics = [[self._content() for _ in range(TOPIC_WORDS)] for _ in range(TOPICS)]

    def notes(self, count: int) -> Iterator[Note]:
        """Yield memories, in sessions of a dozen by two authors each."""
        draw = self._random
        for number in range(count):
            session, position = divmod(number, 12)
            author = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn")[(session + position) % 6]
            yield Note(self.text(draw.randrange(TOPICS)), author, f"s{session}", position)

    def text(self, topic: int) -> str:
        """Return one memory's words."""
        draw = self._random
        length = min(max(draw.gauss(MEAN_LENGTH - 8, 55), 30), 420)
        words: list[str] = []
        size = 0
        while size < length:
            word = self._word(self._topics[topic])
            words.append(word)
            size += len(word) + 1
        if draw.random() < 0.2:  # noqa: PLR2004 - one in five
            words[draw.randrange(len(words))] = self._code()
        return _sentences(words, draw)

    def question(self, text: str, kind: str = "mixed") -> str:
        """Return a question about a memory: ``mixed``, ``middling`` or ``common`` words of it."""
        draw = self._random
        content = [word.strip(".,") for word in text.lower().split()]
        known = [word for word in dict.fromkeys(content) if word in self._rank]
        if kind == "common":
            asked = draw.sample(self.words[:_COMMON], 6)
        elif kind == "middling":
            asked = draw.sample(self.words[_MIDDLING], 6)
        else:
            asked = draw.sample(known, min(5, len(known)))
        return f"{draw.choice(_OPENING)} {' '.join(asked)}?"

    def _word(self, topic: list[str]) -> str:
        chance = self._random.random()
        if chance < _FUNCTION_SHARE:
            return _FUNCTION[bisect(self._function, self._random.random() * self._function[-1])]
        if chance < _FUNCTION_SHARE + _TOPIC_SHARE:
            return self._random.choice(topic)
        return self._content()

    def _content(self) -> str:
        return self.words[bisect(self._steps, self._random.random() * self._steps[-1])]

    def _code(self) -> str:
        number = self._random.randrange(10_000)
        return self._random.choice((f"{number}", f"PRJ-{number}", f"v{number % 9}.{number % 17}"))


def _vocabulary(draw: Random) -> list[str]:
    starts = "b c d f g h j k l m n p r s t v w b d f l m p r s t ch cl gr pr sh st th tr".split()
    middles = "a e i o u a e i o a e i o ea ai ou".split()
    ends = [*("" for _ in range(16)), *"n r l s t d m n r l ck nd nt st".split()]
    suffixes = [*("" for _ in range(10)), *"s s ed ed ing ing er ly tion ment".split()]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        # The common ones are short.
        syllables = 1 + (len(words) > 300) + (len(words) > 6000) * (draw.random() < 0.6)  # noqa: PLR2004
        word = "".join(
            draw.choice(starts) + draw.choice(middles) + draw.choice(ends) for _ in range(syllables)
        )
        word += draw.choice(suffixes)
        if word not in _FUNCTION:
            words[word] = None
    return list(words)


def _sentences(words: list[str], draw: Random) -> str:
    left = 0
    for place, word in enumerate(words):
        if left == 0:
            words[place] = word[0].upper() + word[1:]
            left = draw.randrange(6, 15)
        left -= 1
        if left == 0 or place == len(words) - 1:
            words[place] += "."
        elif draw.random() < 0.07:  # noqa: PLR2004 - a comma now and then
            words[place] += ","
    return " ".join(words)
