"""Invitations of a served node."""

from __future__ import annotations

from agent_memory_os.federation.pairing.message import DEVICE, TEAM
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.peers.pairing import MINUTES, Invited
from agent_memory_os.wire import peers
from agent_memory_os.wire.decode import Shape, read

_OPERATOR = Principal.operator()


class RemoteInvitations:
    """What :class:`service.peers.pairing.Invitations` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def team(self, name: str, minutes: int = MINUTES) -> Invited:
        """Invite somebody into a team that the served node's account is in charge of."""
        return self._invited("POST", "", {"kind": TEAM, "team": name, "minutes": minutes})

    def device(self, minutes: int = MINUTES, recovery_key: str = "") -> Invited:
        """Invite a further device of the served node's account."""
        body = {"kind": DEVICE, "minutes": minutes, "recovery_key": recovery_key}
        return self._invited("POST", "", body)

    def list(self) -> tuple[Invited, ...]:
        """Return the invitations of the last day, the newest first."""
        shape = self._ask("GET", "")
        return read(lambda found: tuple(map(peers.to_invited, found["invitations"])), shape)

    def get(self, number: int) -> Invited:
        """Return an invitation by its number, or raise :class:`NotFound`."""
        return self._invited("GET", f"/{number}")

    def withdraw(self, number: int) -> Invited:
        """Let nobody join by an invitation any more; one that is over stays as it is."""
        return self._invited("DELETE", f"/{number}")

    def _invited(self, method: str, path: str, body: Shape | None = None) -> Invited:
        return read(peers.to_invited, self._ask(method, path, body))

    def _ask(self, method: str, path: str, body: Shape | None = None) -> Shape:
        return self._transport.ask(method, f"/v1/invitations{path}", _OPERATOR, body=body)
