"""What goes over the wire when two nodes pair: two questions of the joiner, and their answers.

The first question and answer are the handshake; in the answer lies, sealed, what the inviter
offers. The second shows that the joiner has the words, and has, sealed, who joins. All are JSON
objects of at most :data:`MOST_BYTES`; what is sealed was packed before. Whoever reads one that is
not whole raises :class:`InvalidInput`.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.federation.pairing.handshake import (
    CONFIRM_BYTES,
    MESSAGE_BYTES,
    check_shown,
    opened,
    sealed,
)
from agent_memory_os.federation.statement import read_object
from agent_memory_os.model.canonical import digest, encode, fits

OPEN_PATH, CLOSE_PATH = "/v1/pair/open", "/v1/pair/close"
"""Where the two questions are asked."""

MOST_BYTES = 4_096
"""The longest question or answer: whoever asks is a stranger."""

MOST_PAYLOAD_BYTES = 32_768
MOST_AGENTS = 4
TEAM, DEVICE = "team", "device"
SESSION_BYTES = 16
_DONE = b"done"
_NO = "This is no message of a pairing: its {} is not right."


class Opening(NamedTuple):
    """The joiner's first question: which invitation, where it asks, and its half of the keys."""

    number: int
    url: str
    message: bytes


class Opened(NamedTuple):
    """The answer: under what name the two go on, the other half, what shows it, and the offer."""

    session: str
    message: bytes
    shown: bytes
    offer: bytes


class Closing(NamedTuple):
    """The joiner's second question: what shows that it has the words, and who joins, sealed."""

    session: str
    shown: bytes
    joiner: bytes


class Offer(NamedTuple):
    """What an inviter offers: its card, and the team, or to be a device of its account.

    ``kind`` is ``team`` or ``device``. ``called`` is how the inviter calls itself, ``team`` the
    team's id and ``name`` what it is called; for a device ``name`` is the agent that acts there by
    default, if one does.
    """

    kind: str
    card: str
    called: str
    team: str
    name: str


class Joiner(NamedTuple):
    """Who joins: its card, how it calls itself, and its agents' registers, as lines.

    ``offer`` is the digest of the offer that it took, ``agents`` are the ids of the agents.
    """

    card: str
    called: str
    offer: str
    agents: tuple[str, ...]
    lines: tuple[str, ...]


def opening(line: bytes) -> Opening:
    """Read the first question."""
    fields = _fields(line)
    number = _field(fields, "number", "positive")
    return Opening(number, _field(fields, "url", "text"), _hex(fields, "message", MESSAGE_BYTES))


def to_opening(question: Opening) -> bytes:
    """Write the first question."""
    return _line({**question._asdict(), "message": question.message.hex()})


def read_opened(line: bytes) -> Opened:
    """Read the answer to the first question."""
    fields = _fields(line)
    return Opened(
        _hex(fields, "session", SESSION_BYTES).hex(),
        _hex(fields, "message", MESSAGE_BYTES),
        _hex(fields, "shown", CONFIRM_BYTES),
        _token(fields, "offer"),
    )


def to_opened(answer: Opened) -> bytes:
    """Write the answer to the first question."""
    texts = {"message": answer.message.hex(), "shown": answer.shown.hex()}
    return _line({"session": answer.session, "offer": answer.offer.decode(), **texts})


def closing(line: bytes) -> Closing:
    """Read the second question."""
    fields = _fields(line)
    session = _hex(fields, "session", SESSION_BYTES).hex()
    return Closing(session, _hex(fields, "shown", CONFIRM_BYTES), _token(fields, "joiner"))


def to_closing(question: Closing) -> bytes:
    """Write the second question; raise :class:`TooLarge` where too many agents would join."""
    line = _line(
        {
            "session": question.session,
            "shown": question.shown.hex(),
            "joiner": question.joiner.decode(),
        }
    )
    if len(line) > MOST_BYTES:
        raise TooLarge("So many agents do not fit into a pairing: let fewer of them join at first.")
    return line


def seal_offer(key: bytes, offer: Offer) -> bytes:
    """Return an offer as the inviter seals it."""
    return sealed(key, _packed(offer._asdict()))


def open_offer(key: bytes, token: bytes) -> Offer:
    """Read what the inviter offers; raise :class:`BadCode` where another sealed it."""
    fields = _unpacked(opened(key, token))
    offer = Offer(**{name: _field(fields, name, "text") for name in Offer._fields})
    if offer.kind not in (TEAM, DEVICE):
        raise InvalidInput("This invitation is to something that this version does not know.")
    return offer


def digest_of(offer: Offer) -> str:
    """Return the digest of an offer, by which a joiner says what it took."""
    return digest(offer._asdict()).hex()


def seal_done(key: bytes) -> bytes:
    """Return what the inviter answers once the joiner is in."""
    return _line({"done": sealed(key, _DONE).decode()})


def read_done(line: bytes) -> bytes:
    """Read the answer to the second question."""
    return _token(_fields(line), "done")


def check_done(key: bytes, token: bytes) -> None:
    """Raise :class:`BadCode` unless the inviter says that the joiner is in."""
    check_shown(opened(key, token), _DONE)


def seal_joiner(key: bytes, joiner: Joiner) -> bytes:
    """Return who joins, as the joiner seals it."""
    return sealed(key, _packed(joiner._asdict()))


def open_joiner(key: bytes, token: bytes) -> Joiner:
    """Read who joins; raise :class:`BadCode` where another sealed it."""
    fields = _unpacked(opened(key, token))
    card, called, offer = (_field(fields, name, "text") for name in ("card", "called", "offer"))
    agents, lines = (tuple(_field(fields, name, "texts")) for name in ("agents", "lines"))
    if len(agents) > MOST_AGENTS:
        raise InvalidInput(_NO.format("list of agents"))
    return Joiner(card, called, offer, agents, lines)


def _line(fields: dict[str, Any]) -> bytes:
    return encode(fields)


def _packed(fields: dict[str, Any]) -> bytes:
    return zlib.compress(encode(fields), 9)


def _unpacked(packed: bytes) -> dict[str, Any]:
    inflated = zlib.decompressobj()
    try:
        plain = inflated.decompress(packed, MOST_PAYLOAD_BYTES)
    except zlib.error as error:
        raise InvalidInput(_NO.format("payload")) from error
    if not inflated.eof:
        raise InvalidInput(_NO.format("payload"))
    return read_object(plain, MOST_PAYLOAD_BYTES)


def _fields(line: bytes) -> dict[str, Any]:
    return read_object(line, MOST_BYTES)


def _field(fields: dict[str, Any], name: str, shape: str) -> Any:  # noqa: ANN401 - as its shape
    value = fields.get(name)
    if not fits(value, shape) or not _is_unicode(value):
        raise InvalidInput(_NO.format(name))
    return value


def _is_unicode(value: object) -> bool:
    """Say whether text can be written: JSON may spell half a character, which nothing can."""
    try:
        for word in value if isinstance(value, list) else [value]:
            str(word).encode()
    except UnicodeEncodeError:
        return False
    return True


def _hex(fields: dict[str, Any], name: str, size: int) -> bytes:
    text = _field(fields, name, "text")
    try:
        value = bytes.fromhex(text)
    except ValueError as error:
        raise InvalidInput(_NO.format(name)) from error
    if len(value) != size or value.hex() != text:
        raise InvalidInput(_NO.format(name))
    return value


def _token(fields: dict[str, Any], name: str) -> bytes:
    text: str = _field(fields, name, "text")
    if not text.isascii():
        raise InvalidInput(_NO.format(name))
    return text.encode()
