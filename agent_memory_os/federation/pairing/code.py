"""Codes: a number and three words, such as ``417-otter-violin-cedar``.

The number is public and says which invitation is meant; the words are its secret, 33 bits, which
are of use to nobody who may try three times. The words are the English ones of BIP 39: no two
begin with the same four letters, so four letters of each are enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from agent_memory_os.errors import InvalidInput, LimitReached, Refused

WORDS = 3
LOWEST, HIGHEST = 100, 999
"""The numbers of invitations that are open at one time."""

_LETTERS = 4
_DRAWN = 8
_EXAMPLE = "417-otter-violin-cedar"
_BETWEEN = re.compile(r"[\s_.,-]+")


class Code(NamedTuple):
    """A number, and the words that are its secret."""

    number: int
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The code as people say it and type it."""
        return "-".join((str(self.number), *self.words))

    @property
    def secret(self) -> bytes:
        """The words as both sides put them into the handshake."""
        return "-".join(self.words).encode()


@cache
def words() -> tuple[str, ...]:
    """Return the words that a code is made of, in alphabetical order."""
    with needing_extra():
        from mnemonic import Mnemonic

    return tuple(Mnemonic("english").wordlist)


@contextmanager
def needing_extra() -> Iterator[None]:
    """Turn the lack of a package that pairing needs into a sentence that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Refused(
            f"To pair by a code, the package {error.name} is needed.", "install_pairing"
        ) from error


def drawn(taken: Container[int], entropy: Callable[[int], bytes]) -> Code:
    """Return a new code whose number is not taken; raise where all are.

    ``entropy`` gives so many random bytes, which nobody can foretell.
    """
    free = [number for number in range(LOWEST, HIGHEST + 1) if number not in taken]
    if not free:
        raise LimitReached("So many invitations are open that there is no number left; wait a bit.")
    number, *said = (int.from_bytes(entropy(_DRAWN)) for _ in range(1 + WORDS))
    # There are 2,048 words, a power of two: each is as likely as any other.
    chosen = tuple(words()[one % len(words())] for one in said)
    return Code(free[number % len(free)], chosen)


def read(text: str) -> Code:
    """Read a code as people type it: in capitals, with spaces, with four letters of a word.

    Raises :class:`InvalidInput` where it is none.
    """
    number, *said = _BETWEEN.split(text.strip().casefold())
    if not (number.isascii() and number.isdigit() and LOWEST <= int(number[:4]) <= HIGHEST):
        raise InvalidInput(f"This is no code; one looks like {_EXAMPLE}.")
    if len(said) != WORDS:
        raise InvalidInput(f"A code has a number and {WORDS} words, such as {_EXAMPLE}.")
    return Code(int(number), tuple(map(_word, said)))


def _word(said: str) -> str:
    found = [word for word in words() if word == said]
    if not found and len(said) >= _LETTERS:
        found = [word for word in words() if word.startswith(said)]
    if len(found) != 1:
        raise InvalidInput(f"No code has the word {said!r}: look at it again.")
    return found[0]
