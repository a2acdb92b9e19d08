"""Where a node lives and who acts, read once from the arguments and the environment.

``--home`` or ``AGENT_MEMORY_HOME`` names the home (else ``~/.agent-memory``), ``--as`` or
``AGENT_MEMORY_AGENT_ID`` the acting agent. ``--node``, ``AGENT_MEMORY_NODE`` or ``node.toml`` names
a node that is served elsewhere, in place of the home's own. What else is in ``<home>/node.toml`` is
read when that file changes, and kept in the node's file with its time and size: see ``wiring``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from agent_memory_os.errors import BadSettings, InvalidInput
from agent_memory_os.service.context import NODE_FILE, USUAL_PORT
from agent_memory_os.value import NamedTuple

HOME_VARIABLE = "AGENT_MEMORY_HOME"
AGENT_VARIABLE = "AGENT_MEMORY_AGENT_ID"
NODE_VARIABLE = "AGENT_MEMORY_NODE"
KEY_VARIABLE = "AGENT_MEMORY_KEY"
DEFAULT_HOME = "~/.agent-memory"
DATABASE = "node.db"
MAX_PORT = 65_535
HOST_VARIABLE = "AGENT_MEMORY_WEB_HOST"
PORT_VARIABLE = "AGENT_MEMORY_WEB_PORT"
USUAL_HOST = "127.0.0.1"
SOCKET = "node.sock"
CALLED_VARIABLE = "AGENT_MEMORY_CALLED"
URL_VARIABLE = "AGENT_MEMORY_URL"
ON, OFF = "on", "off"
_SWITCHES = ("sync", "acquaint", "announce")
_OTHERS = 0o077
_ELSEWHERE = (b"node", b"key_file")


class Settings(NamedTuple):
    """What a process was started with: an absolute home, and the agent that was named, if any."""

    home: str
    agent: str | None

    @property
    def database(self) -> str:
        """The path of the node's file."""
        return os.path.join(self.home, DATABASE)


class NodeFile(NamedTuple):
    """What ``node.toml`` says: who acts where none is named, and where the node is served.

    ``node`` is a node that is served elsewhere and used in place of the home's own, ``key_file``
    the file with the key to it. ``sync`` is whether a served node exchanges with its peers by
    itself. ``called`` is what this node calls itself to others, ``url`` where it tells the members
    of its teams that it is reached; ``acquaint`` is whether their devices become peers by
    themselves, ``announce`` whether a served node says in its network that it is there. An empty
    text and the port 0 are what is not set.
    """

    default_agent: str = ""
    host: str = ""
    port: int = 0
    node: str = ""
    key_file: str = ""
    sync: str = ON
    called: str = ""
    url: str = ""
    acquaint: str = ON
    announce: str = OFF


class Reach(NamedTuple):
    """Where a node is served, and the key that opens it there, if there is one."""

    url: str
    key: str


class Listening(NamedTuple):
    """Where a node is to be served; ``is_usual`` where nobody named the port."""

    host: str
    port: int
    is_usual: bool


class Names(NamedTuple):
    """What a node calls itself: to other people, and to the person's own other machines."""

    person: str
    machine: str


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


def reach(
    home: str,
    url: str | None,
    key: str | None,
    environment: Mapping[str, str],
    *,
    is_home_named: bool,
) -> Reach | None:
    """Return which served node is meant, or ``None`` where it is the home's own.

    What was passed counts before the environment, and that before the home's ``node.toml``; a home
    that was passed counts before the environment's node. The key of ``node.toml`` is for the node
    that stands beside it, or for any where none does.
    """
    for word, value in (("URL of the node", url), ("key", key)):
        if value is not None and not value.strip():
            raise BadSettings(f"The {word} that was named is empty; name one, or none at all.")
    if url is None and not is_home_named:
        url = _unless_blank(environment.get(NODE_VARIABLE))
    said = _said_of_node(home)
    wanted = url or said.node
    if not wanted:
        return None
    key = key or _unless_blank(environment.get(KEY_VARIABLE))
    if key is None and said.key_file and said.node in ("", wanted):
        key = _key_in(os.path.join(home, os.path.expanduser(said.key_file)))
    return Reach(wanted, (key or "").strip())


def _said_of_node(home: str) -> NodeFile:
    """Return what ``node.toml`` says, where it speaks of a node elsewhere at all.

    A search that starts cold looks at the few bytes of the file, and does not read it as TOML.
    """
    path = os.path.join(home, NODE_FILE)
    if not os.path.isfile(path):
        return NodeFile()  # a pipe would be waited for; opening the home tells of it
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return NodeFile()
    if not any(line.lstrip(b" \t\"'\xef\xbb\xbf").startswith(_ELSEWHERE) for line in lines):
        return NodeFile()
    return node_file(home)


def _key_in(path: str) -> str:
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise BadSettings(f"The key in {path} cannot be read: it is no file.")
        if os.stat(path).st_mode & _OTHERS:
            raise BadSettings(f"{path} holds a key, and other users may read it: chmod 600 {path}")
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"The key in {path} cannot be read: {error}.") from error


def listening(
    home: str, host: str | None, port: int | None, environment: Mapping[str, str]
) -> Listening:
    """Return where a home is to be served: as passed, as the environment says, as its file says."""
    said = node_file(home)
    host = host or _unless_blank(environment.get(HOST_VARIABLE)) or said.host or USUAL_HOST
    if port is None:
        port = _port_of(environment.get(PORT_VARIABLE)) or said.port or None
    return Listening(host, USUAL_PORT if port is None else port, port is None)


def _port_of(value: str | None) -> int | None:
    if not _unless_blank(value):
        return None
    if not str(value).isdecimal() or not 1 <= int(str(value)) <= MAX_PORT:
        raise BadSettings(f"{PORT_VARIABLE} is a whole number from 1 to {MAX_PORT}.")
    return int(str(value))


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
        if name == "port":
            if type(value) is not int or not 1 <= value <= MAX_PORT:
                raise BadSettings(f"{path}: port is a whole number from 1 to {MAX_PORT}.")
        elif not isinstance(value, str):
            raise BadSettings(f"{path}: {name} is text, in quotes.")
        elif name in _SWITCHES and value not in (ON, OFF):
            raise BadSettings(f'{path}: {name} is "{ON}" or "{OFF}".')
        elif name == "called" and value:
            _check_called(value, f"{path}: called")
    return NodeFile(**data)


def called(home: str, environment: Mapping[str, str]) -> str:
    """Return what a node is set to call itself to others; nothing, where that is not set."""
    given = _unless_blank(environment.get(CALLED_VARIABLE))
    if given is None:
        return node_file(home).called
    return _check_called(given, CALLED_VARIABLE)


def own_names(home: str, environment: Mapping[str, str], usual: Names) -> Names:
    """Return what a node calls itself: as it is set to, else the usual.

    A fault in ``node.toml`` is told where its home is opened, and holds nothing up here.
    """
    try:
        name = called(home, environment)
    except BadSettings:
        name = ""
    return Names(name, name) if name else usual


def told_url(home: str, url: str | None, environment: Mapping[str, str]) -> str:
    """Return where a node tells others that it is reached, as passed or set; nothing, if it is not.

    Raises :class:`InvalidInput` for what is no URL that another node would ask.
    """
    given = url or _unless_blank(environment.get(URL_VARIABLE)) or node_file(home).url
    if not given:
        return ""
    from agent_memory_os.federation.transport.outward import checked

    return checked(given)


def _check_called(name: str, word: str) -> str:
    from agent_memory_os.model.organisation import check_name

    try:
        return check_name("peer", name)
    except InvalidInput as error:
        raise BadSettings(f"{word}: {error}") from error


def node_file(home: str) -> NodeFile:
    """Return what a home's ``node.toml`` says; raise :class:`BadSettings` where it has a fault."""
    path = os.path.join(home, NODE_FILE)
    return parse_node_file(_text_of(path), path)


def change_node_file(home: str, changes: Mapping[str, str | int]) -> None:
    """Write settings into ``node.toml``; every other line of it stays as a person wrote it.

    The old file stays until the new one is there. Raises :class:`BadSettings`, and changes nothing,
    where the file has a fault or says the setting in a way of its own.
    """
    import tomli_w

    path = os.path.join(home, NODE_FILE)
    text = _text_of(path)
    parse_node_file(text, path)
    for name, value in changes.items():
        text = _with_line(text, name, tomli_w.dumps({name: value}))
    wanted = parse_node_file(text, path)
    if any(getattr(wanted, name) != value for name, value in changes.items()):
        raise BadSettings(f"{path} cannot be changed by a program; set {', '.join(changes)} there.")
    aside = f"{path}.{os.getpid()}"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, path)


def _with_line(text: str, name: str, line: str) -> str:
    """Return a file's text with the line of one setting in the place of the old one, or behind."""
    lines = text.splitlines(keepends=True)
    for at, old in enumerate(lines):
        if old.partition("=")[0].strip() == name:
            lines[at] = line
            return "".join(lines)
    end = "\n" if text and not text.endswith("\n") else ""
    return f"{text}{end}{line}"


def _text_of(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        # Editors of some systems put a mark of the encoding before the text.
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{path} cannot be read: {error}.") from error
