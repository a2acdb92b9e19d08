"""Where a node lives and who acts, read once from the arguments and the environment.

``--home`` or ``AGENT_MEMORY_HOME`` names the home (else ``~/.agent-memory``), ``--as`` or
``AGENT_MEMORY_AGENT_ID`` the acting agent. What is in ``<home>/node.toml`` is read when that file
changes, and kept in the node's file with its time and size: see ``wiring``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from agent_memory_os.errors import BadSettings
from agent_memory_os.value import NamedTuple

HOME_VARIABLE = "AGENT_MEMORY_HOME"
AGENT_VARIABLE = "AGENT_MEMORY_AGENT_ID"
DEFAULT_HOME = "~/.agent-memory"
DATABASE = "node.db"


class Settings(NamedTuple):
    """What a process was started with: an absolute home, and the agent that was named, if any."""

    home: str
    agent: str | None

    @property
    def database(self) -> str:
        """The path of the node's file."""
        return os.path.join(self.home, DATABASE)


class NodeFile(NamedTuple):
    """What ``node.toml`` says: the agent that acts where none is named."""

    default_agent: str = ""


def read(home: str | None, agent: str | None, environment: Mapping[str, str]) -> Settings:
    """Return the settings of this process; what was passed counts before the environment."""
    for word, value in (("home", home), ("agent", agent)):
        # Nothing was named where something was meant, as with a shell variable that is not set: to
        # go on with the usual one would be to read and write what is somebody else's.
        if value is not None and not value.strip():
            raise BadSettings(f"The {word} that was named is empty; name one, or none at all.")
    folder = home or _unless_blank(environment.get(HOME_VARIABLE)) or DEFAULT_HOME
    if "\0" in folder:
        raise BadSettings("A home's path has no NUL in it.")
    path = os.path.abspath(os.path.expanduser(folder))
    return Settings(path, agent or _unless_blank(environment.get(AGENT_VARIABLE)))


def _unless_blank(value: str | None) -> str | None:
    """Return a variable of the environment; one that is blank counts as not set, as usual."""
    return value if value and value.strip() else None


def parse_node_file(text: str, path: str) -> NodeFile:
    """Read ``node.toml``; raise :class:`BadSettings` that names the line or the setting."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path} is no TOML: {error}.") from error
    unknown = sorted(set(data) - set(NodeFile._fields))
    if unknown:
        known = ", ".join(NodeFile._fields)
        raise BadSettings(f"{path} has no setting {unknown[0]!r}; the settings are {known}.")
    for name, value in data.items():
        if not isinstance(value, str):
            raise BadSettings(f"{path}: {name} is text, in quotes.")
    return NodeFile(**data)


def write_node_file(home: str, node_file: NodeFile) -> None:
    """Write ``node.toml`` whole: the old one stays until the new one is there."""
    import tomli_w

    from agent_memory_os.service.context import NODE_FILE

    path = os.path.join(home, NODE_FILE)
    data = {name: value for name, value in node_file._asdict().items() if value}
    aside = f"{path}.{os.getpid()}"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(tomli_w.dumps(data))
    os.replace(aside, path)
