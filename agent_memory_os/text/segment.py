"""The terms of a text, as they lie in the index.

A text is cut at white space, and the terms of a chunk depend on that chunk alone. So what is asked
for gives terms that are among those of every text in which it stands between spaces; and the
chunks of everyday language, being few, are remembered, a bounded number of them.

Stop words are in the index, and a question leaves them out (`text.query`). Leaving them out of
both found the same (recall@10 of 63.2 and 63.1 on three LoCoMo conversations, BM25 alone), and
would save 20 bytes of index in a memory of 150 characters with two grants (86 to 66, FTS5 with
`detail=none`) and a fifth of the index's own time. In exchange a question of nothing but stop words
finds what contains them, and another list of stop words needs no new index.
"""

from __future__ import annotations

from itertools import chain

from agent_memory_os.text.stem import stem
from agent_memory_os.text.word import cut_words

_REMEMBERED = 32_768
_MEMORABLE = 32

# What may stand around a plain word and change nothing; plus and hash belong to "C++" and "C#".
_AROUND = "".join(map(chr, range(0x20))) + "!\"$%&'()*,-./:;<=>?@[\\]^_`{|}~\x7f"


def terms(text: str) -> list[str]:
    """Return the index terms of a text, in order and with repetition.

    Any string is a legal text. A term is not empty, has at most 64 characters, and none of them
    is white space, a control character or a lone surrogate.
    """
    return list(chain.from_iterable(map(_known.__getitem__, text.split())))


def cut(chunk: str, *, asked: bool = False, drop: bool = False) -> tuple[str, ...]:
    """Return the terms of what stands between spaces.

    With `asked` as for a question (pairs without their single characters), with `drop` without
    stop words.
    """
    found: list[str] = []
    if chunk.isascii():
        cut_words(chunk, found, drop=drop)
        return tuple(found)
    # Not needed before the first text that is not in ASCII.
    from agent_memory_os.text.normalise import unify
    from agent_memory_os.text.script import cut_runs

    cut_runs(unify(chunk), found, asked=asked, drop=drop)
    return tuple(found)


class _Known(dict[str, tuple[str, ...]]):
    """The terms of the chunks met lately, made when they are asked for.

    A plain dictionary, for it is asked once for each word of each text; when it is full it begins
    anew, and what is common is back at once.
    """

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(chunk) > _MEMORABLE:
            return cut(chunk)
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[chunk] = _plain(chunk) or cut(chunk)
        return found


def _plain(chunk: str) -> tuple[str, ...]:
    """The term of a short chunk that is a plain English word with marks around it; or nothing."""
    word = chunk.strip(_AROUND)
    is_one = word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper())
    if not is_one or ("." in chunk and not chunk[0].isalpha()):  # a dot may lead, as in `.NET`
        return ()
    return (stem(word.lower()),)


_known = _Known()
