"""Which node a program speaks to: the one whose file is here, or one that is served elsewhere."""

from __future__ import annotations

from agent_memory_os import wiring
from agent_memory_os.errors import Refused
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.model.principal import Principal
    from agent_memory_os.remote.node import RemoteNode
    from agent_memory_os.service.nouns import Node
    from agent_memory_os.settings import Reach, Settings


def chosen(
    read: Settings, reach: Reach | None, *, create: bool
) -> tuple[Node, Principal, tuple[str, ...]]:
    """Return the node, who acts there, and what the person should be told once.

    With ``create`` an agent that was named and is not known is made, by whoever may.
    """
    if reach is not None:
        served = served_at(reach)
        return served, served.acting(read.agent, create=create), ()
    opened = wiring.open_node(read)
    if create and read.agent:
        opened.organisation.ensure_agent_or_id(read.agent)
    return opened, *wiring.acting(opened, read)


def served_at(reach: Reach) -> RemoteNode:
    """Return a node that is served elsewhere; nothing is asked of it yet."""
    try:
        from agent_memory_os.remote.node import RemoteNode
    except ModuleNotFoundError as error:
        raise Refused(
            f"To reach a served node, the package {error.name} is needed.", "install_remote"
        ) from error
    return RemoteNode(reach.url, reach.key)
