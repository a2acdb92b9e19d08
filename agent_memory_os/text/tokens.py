"""How many tokens of a language model a text takes, about.

Each character has a fixed weight by its script, so the estimate is quick, the same everywhere,
and fit for budgets: a part never weighs more than the whole, and two texts together never more
than the sum of both.

The weights were fitted on 800 samples of 50 to 400 characters against three published
tokenizers: `cl100k_base`, `o200k_base` and that of Claude 2. Over the largest of the three counts
the estimate is, in the median (and at the 5th percentile): English chat 1.13 (1.03), Markdown 1.11
(1.00), Python 1.12 (0.97), JSON 1.15 (1.01), Chinese 1.01 (0.93), Japanese 1.05, Korean 0.99, emoji
1.02 (0.99), German 0.97, French 0.87, and random base64 0.68. Scripts that the two older tokenizers
spell out byte by byte (Thai, Khmer, Burmese, the Indic ones) stand between old and new: 0.6 to 0.9
of the largest, 3 to 4 times what `o200k_base` needs. The tokenizers of later models are not all
published; who must be exact brings a counter of its own.
"""

from __future__ import annotations

from functools import cache

_PARTS = 50  # of a token

# Weights of ASCII, and of what a first byte of UTF-8 begins; the bytes that follow weigh nothing.
_ASCII = (
    ("abcdefghijklmnopqrstuvwxyz", 14),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 29),
    ("0123456789", 38),
    (" ", 1),
    ("\t", 10),
    ("\n", 40),
)
_OTHER_ASCII = 34
_FIRST_BYTES = (
    (0xC2, 0xCD, 55),  # Latin with accents
    (0xCE, 0xCF, 64),  # Greek
    (0xD0, 0xD3, 28),  # Cyrillic
    (0xD4, 0xDF, 55),  # Hebrew, Arabic and their neighbours
    (0xE0, 0xE0, 60),  # the Indic scripts, Thai, Lao
    (0xE1, 0xE1, 90),  # Burmese, Khmer, Georgian, Vietnamese vowels with two marks
    (0xE2, 0xE2, 60),  # punctuation, symbols, boxes
    (0xE3, 0xE3, 53),  # Kana, ideographic punctuation
    (0xE4, 0xE9, 61),  # Han
    (0xEA, 0xED, 60),  # Hangul
    (0xEE, 0xEF, 56),  # wide forms
    (0xF0, 0xFF, 146),  # emoji and rare scripts
)


def estimate(text: str) -> int:
    """Return about how many tokens the text takes; 0 for the empty text only."""
    weight = sum(text.encode("utf-8", "surrogatepass").translate(_weights()))
    return -(-weight // _PARTS)


@cache
def _weights() -> bytes:
    weights = bytearray([_OTHER_ASCII] * 0x80 + [0] * 0x80)
    for signs, weight in _ASCII:
        for sign in signs:
            weights[ord(sign)] = weight
    for first, last, weight in _FIRST_BYTES:
        weights[first : last + 1] = bytes([weight] * (last + 1 - first))
    return bytes(weights)
