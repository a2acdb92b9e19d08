"""Which devices speak for an account, and what remains of one that was revoked.

A device is certified or revoked by its account's root key, or by its recovery key: those keys sign
``account.device``, and the device's own key signs everything else but a team's recovery. What a
device that is not certified signs does not count. A revocation commits to a list of the registers
of the device that remain, of the organisation too; all else that it signed counts nowhere, its
deletions included. A later revocation that names an earlier one takes its place (a person who
finds more of what was honest makes one); several that do not name each other all have to list a
register. There is no way back for a device: it is certified anew under new keys.
"""

from __future__ import annotations

from agent_memory_os.model.authority.held import Held
from agent_memory_os.model.register import DEVICE, TEAM_ADMIN, Register

UNKNOWN = "its device is not known here"
REVOKED = "its device was revoked"

ROOT = "root"
RECOVERY = "recovery"


def signer(register: Register) -> str:
    """Return which key signs a register: ``root`` or ``recovery`` of the account, or ``device``."""
    by = str(register.value.get("by", ROOT))
    if register.group.startswith(DEVICE):
        return by
    return RECOVERY if register.group == TEAM_ADMIN and by == RECOVERY else "device"


class Devices:
    """Judges registers by the device that signed them."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self._revocations: dict[tuple[str, str], list[Register]] = {}

    def reason(self, name: str, register: Register) -> str:
        """Return why a register does not count for its device; nothing where it does."""
        if signer(register) != "device":
            return ""
        account, device = register.author, register.device
        if not self._is_certified(account, device):
            return UNKNOWN
        revocations = self.revocations(account, device)
        return "" if not revocations or self.keeps(revocations, name) else REVOKED

    def revocations(self, account: str, device: str) -> list[Register]:
        """Return the revocations of a device that no other one takes the place of."""
        key = (account, device)
        if key not in self._revocations:
            found = [
                (name, register)
                for name, register in self.held.of(account, DEVICE + device)
                if register.value["state"] == "revoked"
            ]
            replaced = {seen for _, register in found for seen in register.value.get("sees", ())}
            self._revocations[key] = [register for name, register in found if name not in replaced]
        return self._revocations[key]

    def keeps(self, revocations: list[Register], name: str) -> bool:
        """Say whether every one of these revocations lists a register."""
        return all(name in self._listed(revocation) for revocation in revocations)

    def _listed(self, revocation: Register) -> frozenset[str]:
        listed = self.held.remains(revocation, revocation.object)
        return listed.names if listed else frozenset()

    def _is_certified(self, account: str, device: str) -> bool:
        return bool(self.held.of(account, DEVICE + device))
