"""Becoming a further device of an account whose root key lies on another machine."""

from __future__ import annotations

from agent_memory_os.errors import Refused
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.identity import account_of, adopt


def take_account(home: str, card: str, *, is_new: bool) -> None:
    """Put the public keys of a card's account into a home that has no node yet (``is_new``).

    Raises :class:`Refused` where the home is of another account.
    """
    shown = cards.read(card)
    if shown.certificate is None:
        raise Refused(
            "The device of this card is not certified by its account yet: take the card of the "
            "machine where the account was made."
        )
    if is_new:
        adopt(home, shown.root, shown.recovery)
    elif account_of(home) != shown.account:
        raise Refused(f"{home} is a home of another account already.", "other_home")
