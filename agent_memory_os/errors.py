"""One tree of errors: each class has a stable code, and its docstring is what a person reads.

The message of an instance says what was wrong and what to do, in words that hold for every
interface. Where an interface has something to offer against it, ``remedy`` names that by a word,
with what it needs in ``about``, and the interface says it in words of its own.

The three branches decide the exit status of the command line: :class:`UsageError` 2,
:class:`Refused` 1, :class:`Damaged` 3. Whatever does not exist and whatever the caller may not see
raise the same :class:`NotFound` with the same words.
"""

from __future__ import annotations


class AgentMemoryError(Exception):
    """Something went wrong in Agent Memory OS."""

    code = "error"
    exit_status = 1

    def __init__(self, message: str = "", remedy: str = "", **about: str) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.about = about


class UsageError(AgentMemoryError):
    """The request itself is wrong; change it and try again."""

    code = "usage"
    exit_status = 2


class InvalidInput(UsageError):
    """A value is not of the form that is asked for."""

    code = "invalid_input"


class TooLarge(UsageError):
    """A value is larger than a node takes."""

    code = "too_large"


class InvalidTime(UsageError):
    """A date or a duration could not be read."""

    code = "invalid_time"


class UnknownName(UsageError):
    """No agent, team or project of that name is known to you."""

    code = "unknown_name"


class UnknownAudience(UsageError):
    """The audience names nobody that you may share with."""

    code = "unknown_audience"


class UnknownFormat(UsageError):
    """The file to import is of no format that is known."""

    code = "unknown_format"


class BadSettings(UsageError):
    """node.toml cannot be read as settings."""

    code = "bad_settings"


class BadFleetFile(UsageError):
    """agents.toml cannot be read as a fleet."""

    code = "bad_fleet_file"


class Refused(AgentMemoryError):
    """The request is well formed, and is refused."""

    code = "refused"
    exit_status = 1


class NotFound(Refused):
    """There is no such thing, or you may not see it."""

    code = "not_found"


class NotAllowed(Refused):
    """You may see it, but only its owner, or the operator, may do that."""

    code = "not_allowed"


class Revoked(NotAllowed):
    """The device was revoked by its account, and nothing is exchanged with it."""

    code = "revoked"


class Unauthenticated(Refused):
    """The request shows no key that is valid here."""

    code = "unauthenticated"


class UnknownDevice(Unauthenticated):
    """What was sent names a device that is not known here."""

    code = "unknown_device"


class BadSignature(Unauthenticated):
    """What was sent was not signed by the device that it names, or was changed on its way."""

    code = "bad_signature"


class ClockApart(Unauthenticated):
    """What was sent was signed too long ago, or the clocks of two machines are too far apart."""

    code = "clock_apart"


class Replayed(Unauthenticated):
    """What was sent had been sent before."""

    code = "replayed"


class NotAddressed(Refused):
    """What was sent is for another device, and cannot be opened here."""

    code = "not_addressed"


class BadBundle(Refused):
    """The bundle is cut off, changed or out of order; what came before the fault is sound."""

    code = "bad_bundle"


class ClockWrong(Refused):
    """The clock of this node is too far from that of its peers for anything to be shared."""

    code = "clock_wrong"


class Incompatible(Refused):
    """The two nodes have no protocol in common that both would use."""

    code = "incompatible"


class Stale(Refused):
    """What was to be changed has been changed by somebody else meanwhile."""

    code = "stale"


class BadCode(Refused):
    """The code is not that of an open invitation, or was tried too often."""

    code = "bad_code"


class LimitReached(Refused):
    """The key, or its agent, has used what it may; later it may again."""

    code = "limit_reached"


class Unreachable(Refused):
    """The node does not answer, or what answers is no node."""

    code = "unreachable"


class Outstanding(Refused):
    """Not every peer has said yet that it took back what was taken back; it may do so later."""

    code = "outstanding"
    exit_status = 4


class AlreadyExists(Refused):
    """Something of that name or key is there already."""

    code = "already_exists"


class KeyReused(Refused):
    """The idempotency key was used before for another content."""

    code = "idempotency_key_reused"


class Forgotten(Refused):
    """The memory was forgotten, and stays so until its owner brings it back."""

    code = "forgotten"


class ConfirmationNeeded(Refused):
    """The act cannot be undone, and was not confirmed."""

    code = "confirmation_needed"


class ForeignHome(Refused):
    """The folder belongs to another system and is left untouched."""

    code = "foreign_home"


class CopiedHome(Refused):
    """The home is a copy of another node's; it must become a device of its own."""

    code = "copied_home"


class Busy(Refused):
    """Another process holds the node's file; nothing was written."""

    code = "busy"


class Unswept(Refused):
    """What was erased is found by no read, but some of its bytes are still in the file."""

    code = "unswept"


class ReadOnlyHome(Refused):
    """The node's home cannot be written to."""

    code = "read_only_home"


class DiskFull(Refused):
    """There is no room left on the disk; nothing was written."""

    code = "disk_full"


class Damaged(AgentMemoryError):
    """Data on disk is damaged, foreign or newer than this program; it is left untouched."""

    code = "damaged"
    exit_status = 3


class DamagedDatabase(Damaged):
    """The node's file is damaged; `agent-memory doctor` names what, and what can be rebuilt."""

    code = "damaged_database"


class ForeignDatabase(Damaged):
    """The file is a database, but not one of Agent Memory OS."""

    code = "foreign_database"


class NewerSchema(Damaged):
    """The file was written by a newer version; this program must be updated to open it."""

    code = "newer_schema"
