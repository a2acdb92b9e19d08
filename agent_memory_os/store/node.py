"""The row of this node: identity, home, fleet file and index form."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("node")


class Identity(NamedTuple):
    """Whose node this is: account, device, and the incarnation of the device's log."""

    account: str
    device: str
    incarnation: str
    created_at: int


class Home(NamedTuple):
    """What the node knows of the files around it.

    Marks tell one state of a file from another; a fault is the sentence that says what was wrong
    with the newest one, while the last good one holds. ``acquaints``: the devices of
    members become peers.
    """

    mark: str
    fleet_mark: str
    fleet_fault: str
    settings_mark: str
    settings_fault: str
    default_agent: str
    index_form: int
    acquaints: int = 1


class HeldFile(NamedTuple):
    """What a file that people edit held when a backup was made, and whether that was applied."""

    name: str
    text: str
    is_applied: bool


class PublicKeys(NamedTuple):
    """Public keys in lower-case hex: the account's root and recovery, the device's two."""

    root: str
    recovery: str
    sign: str
    seal: str


def identity(snapshot: Snapshot) -> Identity | None:
    """Return whose node this is, or ``None`` in a file that has no node yet."""
    row = snapshot.row(_sql["identity"])
    return None if row is None else Identity(*fit(row, "ttti"))


def create(
    transaction: Transaction, node: Identity, keys: PublicKeys, home_mark: str, index_form: int
) -> None:
    """Make the node's rows in a new file; the caller then logs the device's register."""
    from agent_memory_os.model.audience import GLOBAL
    from agent_memory_os.store.organisation import put_scope

    account = {
        "account": node.account,
        "root_key": keys.root,
        "recovery_key": keys.recovery,
        "name": "",
    }
    transaction.execute(_sql["add_account"], account)
    put_device(transaction, node.account, node.device, keys.sign, keys.seal)
    parameters = {
        "account": node.account,
        "device": node.device,
        "incarnation": node.incarnation,
        "home_mark": home_mark,
        "index_form": index_form,
        "at": node.created_at,
    }
    transaction.execute(_sql["create"], parameters)
    transaction.execute(_sql["begin_arrivals"], (node.created_at,))
    put_scope(transaction, GLOBAL)


def put_device(
    transaction: Transaction, account: str, device: str, sign_key: str, seal_key: str
) -> None:
    """Show a certified device of an account."""
    parameters = {
        "device": device,
        "account": account,
        "sign_key": sign_key,
        "seal_key": seal_key,
        "state": "certified",
    }
    transaction.execute(_sql["put_device"], parameters)


def become(transaction: Transaction, device: str, incarnation: str, home_mark: str) -> None:
    """Go on as another device of the account, with a log that starts anew."""
    parameters = {"device": device, "incarnation": incarnation, "home_mark": home_mark}
    transaction.execute(_sql["become"], parameters)


def restart(
    transaction: Transaction, incarnation: str, home_mark: str, seq: int, stamp: int
) -> None:
    """Go on as the same device after a restore: with a new log, and numbers above those named."""
    parameters = {"incarnation": incarnation, "home_mark": home_mark, "seq": seq, "stamp": stamp}
    transaction.execute(_sql["restart"], parameters)


def numbers(snapshot: Snapshot) -> tuple[int, int]:
    """Return the last sequence number and stamp that were given out, 0 where there is no node."""
    row = snapshot.row(_sql["numbers"])
    return (0, 0) if row is None else (row[0], row[1])


def home(snapshot: Snapshot) -> Home | None:
    """Return what the node knows of its home, or ``None`` in a file that has no node yet."""
    row = snapshot.row(_sql["home"])
    return None if row is None else Home(*fit(row, "ttttttii"))


def set_home_mark(transaction: Transaction, mark: str) -> None:
    """Remember what the home looks like now."""
    transaction.execute(_sql["set_home_mark"], (mark,))


def set_fleet(transaction: Transaction, mark: str, fault: str) -> None:
    """Remember which fleet file was read, and what was wrong with it (empty: nothing)."""
    transaction.execute(_sql["set_fleet"], (mark, fault))


def set_settings(transaction: Transaction, mark: str, fault: str) -> None:
    """Remember which ``node.toml`` was read, and what was wrong with it (empty: nothing)."""
    transaction.execute(_sql["set_settings"], (mark, fault))


def set_default_agent(transaction: Transaction, name: str) -> None:
    """Remember who acts where no agent is named."""
    transaction.execute(_sql["set_default_agent"], (name,))


def set_acquaints(transaction: Transaction, *, on: bool) -> None:
    """Remember whether the devices of members become peers by themselves."""
    transaction.execute(_sql["set_acquaints"], (int(on),))


def set_index_form(transaction: Transaction, form: int) -> None:
    """Remember which form of index terms the file holds."""
    transaction.execute(_sql["set_index_form"], (form,))


def account_keys(snapshot: Snapshot, account: str) -> tuple[str, str]:
    """Return the root and recovery keys that an account's id commits to."""
    row = snapshot.row(_sql["account_keys"], (account,))
    return ("", "") if row is None else (row[0], row[1])


def device_keys(snapshot: Snapshot, device: str) -> tuple[str, str]:
    """Return the signing and the sealing key of a device that is known here, in hex."""
    row = snapshot.row(_sql["device_keys"], (device,))
    return ("", "") if row is None else (row[0], row[1])


def last_stamp(snapshot: Snapshot) -> int:
    """Return the newest stamp that this node gave out or saw."""
    return int(snapshot.value(_sql["last_stamp"]))


def put_files(transaction: Transaction, files: Iterable[HeldFile]) -> None:
    """Keep, in a backup, what the files of the home hold, and nothing else of the kind."""
    transaction.execute(_sql["drop_files"])
    for file in files:
        transaction.execute(_sql["put_file"], (file.name, file.text, int(file.is_applied)))


def files(snapshot: Snapshot) -> list[HeldFile]:
    """Return what the files of the home held when this backup was made."""
    return [HeldFile(name, text, bool(done)) for name, text, done in snapshot.rows(_sql["files"])]


def recovery_keys(snapshot: Snapshot) -> Callable[[str], str | None]:
    """Return what looks up the recovery key of an account that is known here."""

    def found(account: str) -> str | None:
        return account_keys(snapshot, account)[1] or None

    return found
