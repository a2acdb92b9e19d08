"""Secrets in a text, found and masked whole.

`mask` puts `[secret:KIND]` in the place of each; `text.secret` says what counts as one. Promises:
of a secret that is found nothing is left; masking what is masked changes nothing; no text makes
it slow, for a pattern begins only at a fixed word or where a run begins, takes the whole run, and
gives nothing back. Ordinary text costs a few searches for fixed strings.
"""

from __future__ import annotations

import re

from agent_memory_os.text.pattern import pattern
from agent_memory_os.value import NamedTuple

# One of these is in every secret, in lower case; those with a hyphen or an underscore are looked
# for only where there is one. `text.secret.form` says which of them leads to what.
_HINTS = tuple(
    "akia asia aiza ya29 eyj bearer authorization :// passw passphrase passcode pwd secret "
    "token key credential fernet 密码 密碼 口令 密钥 密鑰 令牌".split()
)
_HYPHENED = tuple("sk- xox xapp- glpat- gldt- glrt- pypi- gocspx- -----begin -----end".split())
_UNDERSCORED = tuple(
    "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ npm_ hf_ "
    "dckr_pat_ gsk_".split()
)


# "key" is in many words; these are the ones that name a secret.
_KEY_NAMES = "(?:api|access|account|auth|private|signing|encryption|fernet|master|service)[_ -]?key"


class Masked(NamedTuple):
    """A text without its secrets, and the kinds of those that it had, each once."""

    text: str
    found: tuple[str, ...]


def mask(text: str) -> Masked:
    """Return the text with every secret masked, and which kinds there were."""
    hints = _hints(text)
    return _mask(text, frozenset(hints)) if hints else Masked(text, ())


def is_harmless(text: str) -> bool:
    """Say whether nothing in the text even hints at a secret, so that no part of it has one."""
    return not _hints(text)


def _hints(text: str) -> list[str]:
    lower = text.lower()
    hints = list(filter(lower.__contains__, _HINTS))
    if "-" in lower:
        hints += filter(lower.__contains__, _HYPHENED)
    if "_" in lower:
        hints += filter(lower.__contains__, _UNDERSCORED)
    if "key" in hints and not pattern(_KEY_NAMES).search(lower):
        hints.remove("key")
    return hints


def _mask(text: str, hints: frozenset[str]) -> Masked:
    from agent_memory_os.text.secret import (
        form as forms,
    )  # not needed for a text that has no hint of one

    found: dict[str, None] = {}
    if not hints.isdisjoint(("-----begin", "-----end")):
        text = _without_keys(text, found)
    for form in forms.FORMS:
        if hints.isdisjoint(form.hints):
            continue

        def masked(match: re.Match[str], form: forms.Form = form) -> str:
            if not form.is_real(match):
                return match[0]
            kind = form.kind_of(match)
            found[kind] = None
            begin, end = (place - match.start() for place in match.span("s"))
            return f"{match[0][:begin]}[secret:{kind}]{match[0][end:]}"

        text = pattern(form.source).sub(masked, text)
    return Masked(text, tuple(found))


def _without_keys(text: str, found: dict[str, None]) -> str:
    from agent_memory_os.text.secret import armour

    kept: list[str] = []
    done = 0
    for begin, end in armour.find(text):
        kept += (text[done:begin], "[secret:private-key]")
        done = end
        found["private-key"] = None
    return "".join((*kept, text[done:]))
