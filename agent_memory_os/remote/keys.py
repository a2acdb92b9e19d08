"""Keys of a served node: the operator's."""

from __future__ import annotations

from agent_memory_os.model.key import Key, Limits, check_key_name, check_kind, check_limits
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.keys import MadeKey, among
from agent_memory_os.store.keys import Usage
from agent_memory_os.wire import keys
from agent_memory_os.wire.decode import Shape, read
from agent_memory_os.wire.instant import iso

_OPERATOR = Principal.operator()


class RemoteKeys:
    """What :class:`service.keys.Keys` does for those who manage keys, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        name: str,
        kind: str,
        agent: str | None = None,
        *,
        expires_at: int | None = None,
        limits: Limits | None = None,
    ) -> MadeKey:
        """Make a key; ``agent`` is the name or id of the agent that it stands for.

        Raises :class:`AlreadyExists` where a live key has the name.
        """
        body = {
            "name": check_key_name(name),
            "kind": check_kind(kind, has_agent=agent is not None),
            "agent": agent,
            "expires_at": iso(expires_at),
            "limits": check_limits(limits or Limits())._asdict(),
        }
        return read(keys.to_made, self._ask("POST", "", body))

    def list(self) -> tuple[Key, ...]:
        """Return all keys, newest first, revoked ones too."""
        return read(lambda found: tuple(map(keys.to_key, found["keys"])), self._ask("GET", ""))

    def rotate(self, name: str, *, expires_at: int | None = None) -> MadeKey:
        """Give a live key another secret; the old one opens nothing any more."""
        held = among(self.list(), name)
        body = {"expires_at": iso(expires_at)}
        return read(keys.to_made, self._ask("POST", f"/{held.id}/rotate", body))

    def revoke(self, name: str) -> Key:
        """Let a live key, by its name or id, open nothing any more."""
        return read(keys.to_key, self._ask("DELETE", f"/{among(self.list(), name).id}"))

    def usage(self, principal: Principal, since: int) -> tuple[Usage, ...]:
        """Return what was used from an instant's day on, by day, key and agent.

        The operator sees all of it, an agent what it used itself.
        """
        shape = self._transport.ask("GET", "/v1/usage", principal, params={"since": iso(since)})
        return read(lambda found: tuple(map(keys.to_usage, found["usage"])), shape)

    def _ask(self, method: str, path: str, body: Shape | None = None) -> Shape:
        return self._transport.ask(method, f"/v1/keys{path}", _OPERATOR, body=body)
