"""Opening a node: the only place that chooses what a local node is made of.

The first use makes the home, the file, the account and this device's keys; any number of processes
may do so at once, and there is one identity. The files that people edit, ``node.toml`` and
``agents.toml``, are read when they changed since the last time: a fault in one is a warning, and
the last good state holds. A home that was copied to another place is noticed.
"""

from __future__ import annotations

import os
import time

from agent_memory_os.errors import (
    BadFleetFile,
    BadSettings,
    DiskFull,
    ForeignHome,
    InvalidInput,
    ReadOnlyHome,
    Refused,
)
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import FLEET_FILE, NODE_FILE, Context
from agent_memory_os.service.node import LocalNode
from agent_memory_os.settings import Settings
from agent_memory_os.store import gate, node
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.disk import file_mark, home_mark
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.service.rename import Renamed
    from agent_memory_os.service.upkeep import RestoreReport, Upkeep
    from agent_memory_os.store.database import Transaction

EARLIER_DATABASE = "memories.db"
"""What an Agent Memory OS 1.x home has in it."""

COPIED = (
    "This home was copied or moved from another place. Unless the other one is gone for good, make "
    "this one a device of its own."
)
"""The warning of a node whose home is not where it was made."""

_HOME_MODE = 0o700
_BYTE = 256


def clock() -> int:
    """Return the milliseconds of UTC since 1970."""
    return time.time_ns() // 1_000_000


def chance() -> float:
    """Return a number in ``[0, 1)`` for the waits between attempts."""
    return os.urandom(1)[0] / _BYTE


def open_node(settings: Settings) -> LocalNode:
    """Open the node of a home, making whatever is not there yet."""
    context = _context(settings)
    try:
        return _opened(context)
    except OSError as error:
        raise _home_fault(error, settings.home) from error


def open_upkeep(settings: Settings) -> Upkeep:
    """Return the upkeep of a home as it lies there, for a file that may not be one to open.

    Nothing is made, migrated or read yet: a doctor comes to what is damaged too.
    """
    from agent_memory_os.service.upkeep import Upkeep

    _check_home(settings)
    return Upkeep(_context(settings))


def restore(settings: Settings, source: str, *, force: bool = False) -> RestoreReport:
    """Put a backup in the place of the home's file, which need not be one to open, or be there."""
    from agent_memory_os.service.upkeep import restore

    _check_home(settings)
    return restore(_context(settings), source, force=force)


def _context(settings: Settings) -> Context:
    return Context(Database(settings.database, clock, chance), os.urandom, settings.home)


def _opened(context: Context) -> LocalNode:
    database = context.database
    if not os.path.exists(database.path):
        _make_home(context.home)
    if not migrate.is_current(database):
        migrate.prepare(database)
    home = _home(database)
    if home is None:
        _found(context)
        home = _known_home(database)
    warnings = []
    if home.mark != home_mark(database.path):
        warnings.append(COPIED)
    home, faults = _up_to_date(context, home)
    context = context._replace(fault=home.fleet_fault)
    return LocalNode(context, home.default_agent, (*warnings, *faults))


def _check_home(settings: Settings) -> None:
    """Raise where nothing may be looked at or put: in a home of another system, or a closed one."""
    try:
        os.stat(settings.database)
    except FileNotFoundError:
        _refuse_earlier(settings.home)
    except OSError as error:
        raise _home_fault(error, settings.home) from error
    else:
        if not os.access(settings.database, os.R_OK):
            raise ReadOnlyHome(f"{settings.database} cannot be read.", "other_home")


def _refuse_earlier(home: str) -> None:
    """Raise for the home of an earlier system: nothing may be made or put there."""
    if os.path.lexists(os.path.join(home, EARLIER_DATABASE)):
        raise ForeignHome(
            f"{home} is the home of an earlier Agent Memory OS and was left untouched.",
            "other_home",
        )


def _make_home(home: str) -> None:
    _refuse_earlier(home)
    os.makedirs(home, mode=_HOME_MODE, exist_ok=True)
    # A folder that was there already is closed to others where it holds nothing but what belongs in
    # a home; what else lies in it may be meant for them. A doctor tells of it then.
    is_own = os.stat(home).st_uid == os.geteuid()
    if is_own and {NODE_FILE, FLEET_FILE}.issuperset(os.listdir(home)):
        os.chmod(home, _HOME_MODE)


def _home_fault(error: OSError, home: str) -> Refused:
    import errno

    if error.errno == errno.ENOSPC:
        return DiskFull(f"The disk that holds {home} is full; nothing was changed.")
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return ReadOnlyHome(f"{home} is a file, not a folder.", "other_home")
    return ReadOnlyHome(f"{home} cannot be used ({error.strerror}).", "other_home")


def _home(database: Database) -> node.Home | None:
    with database.read() as snapshot:
        return node.home(snapshot)


def _known_home(database: Database) -> node.Home:
    home = _home(database)
    if home is None:  # pragma: no cover - it was founded just before
        raise LookupError(database.path)
    return home


def _found(context: Context) -> None:
    """Make the node's identity, once, however many processes start on a new home at once."""
    from agent_memory_os.federation.identity import mint
    from agent_memory_os.service.peers.identity import certify_own
    from agent_memory_os.store.lexical import INDEX_FORM

    with context.database.write() as transaction:
        if node.identity(transaction) is not None:
            return
        minted = mint(context.home)
        identity = node.Identity(
            minted.account, minted.device, context.nonce(), context.database.clock()
        )
        mark = home_mark(context.database.path)
        node.create(transaction, identity, minted.keys, mark, INDEX_FORM)
        certify_own(context, transaction, minted.account, minted.keys)


def join_account(settings: Settings, card: str) -> LocalNode:
    """Make a home that is a further device of the account of a card; return its node, opened.

    Raises :class:`Refused` where a home of another account is there already; one of the same
    account is opened as it is.
    """
    from agent_memory_os.service.peers.identity import take_account

    is_new = not os.path.exists(settings.database)
    try:
        if is_new:
            _make_home(settings.home)
        else:
            # What is told of a home that cannot be opened comes before what is told of the card.
            open_node(settings).close()
        take_account(settings.home, card, is_new=is_new)
    except OSError as error:
        raise _home_fault(error, settings.home) from error
    return open_node(settings)


def become_new_device(settings: Settings) -> str:
    """Make a copied home a device of its own, with keys and a log of its own; return its id.

    Where the account's root key lies elsewhere, it has to be certified there.
    """
    opened = open_node(settings)
    _refuse_without_account(opened.context)
    try:
        return _become_new_device(opened.context)
    except OSError as error:
        raise _home_fault(error, settings.home) from error
    finally:
        opened.close()


def _become_new_device(context: Context) -> str:
    from agent_memory_os.federation.identity import mint
    from agent_memory_os.service.peers.identity import certify_own, sign_all

    with context.database.write() as transaction:
        sign_all(context, transaction)
        minted = mint(context.home)
        node.put_device(
            transaction, minted.account, minted.device, minted.keys.sign, minted.keys.seal
        )
        mark = home_mark(context.database.path)
        node.become(transaction, minted.device, context.nonce(), mark)
        certify_own(context, transaction, minted.account, minted.keys)
    return minted.device


def _refuse_without_account(context: Context) -> None:
    """Raise where a new device would be of no account: neither half of its keys is here."""
    from agent_memory_os.federation.identity import account_of

    with context.database.read() as snapshot:
        identity = node.identity(snapshot)
    if identity is None or account_of(context.home) != identity.account:
        raise Refused(
            f"The keys of this node's account are not in {context.home}: put them back from where "
            "they were kept. Nothing was changed.",
            "keep_keys",
        )


def _up_to_date(context: Context, home: node.Home) -> tuple[node.Home, list[str]]:
    """Read what people edited since the last time; return what is known now, and the faults."""
    settings_mark = file_mark(os.path.join(context.home, NODE_FILE))
    fleet_mark = file_mark(os.path.join(context.home, FLEET_FILE))
    if (settings_mark, fleet_mark) != (home.settings_mark, home.fleet_mark):
        try:
            with context.database.write() as transaction:
                if settings_mark != home.settings_mark:
                    _read_settings(context, transaction, settings_mark)
                if fleet_mark != home.fleet_mark:
                    _read_fleet(context, transaction, fleet_mark)
        except ReadOnlyHome as error:
            return home, [f"Changed settings could not be taken up: {error}"]
        home = _known_home(context.database)
    return home, [fault for fault in (home.settings_fault, home.fleet_fault) if fault]


def refresh(opened: LocalNode) -> tuple[str, ...]:
    """Read what people edited since a node was opened; return the faults in it, a sentence each.

    A node that is open for long takes up changes as one that is opened anew does.
    """
    context = opened.context
    home, faults = _up_to_date(context, _known_home(context.database))
    if (home.fleet_fault, home.default_agent) != (context.fault, opened.default_agent):
        opened.renew(context._replace(fault=home.fleet_fault), home.default_agent)
    return tuple(faults)


def _read_settings(context: Context, transaction: Transaction, mark: str) -> None:
    from agent_memory_os.settings import ON, parse_node_file

    path = os.path.join(context.home, NODE_FILE)
    try:
        parsed = parse_node_file(_text_of(path), path)
        if parsed.default_agent:
            from agent_memory_os.model.organisation import check_name

            check_name("agent", parsed.default_agent)
    except BadSettings as error:
        node.set_settings(transaction, mark, str(error))
        return
    except InvalidInput as error:
        node.set_settings(transaction, mark, f"{path}: {error}")
        return
    node.set_settings(transaction, mark, "")
    node.set_default_agent(transaction, parsed.default_agent)
    node.set_acquaints(transaction, on=parsed.acquaint == ON)


def _read_fleet(context: Context, transaction: Transaction, mark: str) -> None:
    from agent_memory_os.service import fleet
    from agent_memory_os.store.write import Writer

    path = os.path.join(context.home, FLEET_FILE)
    writer = Writer(transaction)
    try:
        text = _text_of(path)
        parsed = fleet.parse(text, path)
        fleet.refuse_old_names(writer, parsed, text, path)
    except (BadFleetFile, BadSettings) as error:
        node.set_fleet(transaction, mark, str(error))
        return
    fleet.apply(writer, parsed, context.nonce)
    writer.close()
    node.set_fleet(transaction, mark, "")


def _text_of(path: str) -> str:
    if not os.path.exists(path):
        return ""
    try:
        if not os.path.isfile(path):
            raise BadSettings(f"{path} is no file, and cannot be read.")
        # Editors of some systems put a mark of the encoding before the text.
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{path} cannot be read: {error}.") from error


def acting(opened: LocalNode, settings: Settings) -> tuple[Principal, tuple[str, ...]]:
    """Return who acts, and what the person should be told once.

    The agent that was named (an unknown one is refused), else the default one, else an agent that
    is named after the user and made on the spot.
    """
    name = settings.agent or opened.default_agent
    known = gate.agent_of_name(opened.context.database, name) if name else None
    if known is not None:
        return Principal.of_agent(known), ()
    if settings.agent:
        return Principal.of_agent(opened.organisation.agent(settings.agent).id), ()
    agent, is_new = opened.organisation.ensure_agent(name or user_name())
    if not name:
        _keep_default(opened, agent.name)
    note = f"Acting as agent {agent.name}, made just now."
    return Principal.of_agent(agent.id), (note,) if is_new else ()


def set_default_agent(opened: LocalNode, name: str) -> None:
    """Make an agent the one that acts where none is named: in ``node.toml``, for people to see.

    Raises :class:`BadSettings`, and changes nothing, where that file has a fault.
    """
    from agent_memory_os.settings import change_node_file

    change_node_file(opened.context.home, {"default_agent": name})
    with opened.context.database.write() as transaction:
        mark = file_mark(os.path.join(opened.context.home, NODE_FILE))
        node.set_settings(transaction, mark, "")
        node.set_default_agent(transaction, name)


def rename_agent(opened: LocalNode, name: str, new_name: str) -> Renamed:
    """Give an agent another name; where it acts by default, ``node.toml`` says so."""
    done = opened.organisation.rename_agent(name, new_name)
    if done.old_name == opened.default_agent:
        _keep_default(opened, done.thing.name)
    return done


def _keep_default(opened: LocalNode, name: str) -> None:
    """Write the default agent down, unless a fault in ``node.toml`` is still to be corrected."""
    from contextlib import suppress

    with suppress(BadSettings):
        set_default_agent(opened, name)


def user_name() -> str:
    """Return the name of the person's own agent: the user's, as far as it is a legal name."""
    import getpass
    import re

    from agent_memory_os.model.organisation import check_name

    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-._")
    try:
        return check_name("agent", plain)
    except InvalidInput:
        return "me"
