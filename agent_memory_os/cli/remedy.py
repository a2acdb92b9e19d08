"""What helps against an error, in the words of the command line.

An error names its remedy by a word, for it may be raised under any interface. Here the word becomes
a sentence that says what to type.
"""

from __future__ import annotations

from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.errors import AgentMemoryError

REMEDIES = {
    "add_agent": "To make it: agent-memory agent add {name}",
    "bring_back_agent": "To bring it back: agent-memory agent add {name}",
    "rename_agent": "To give it that name: agent-memory agent rename {held} {name}",
    "create_team": "To make it: agent-memory team create {name}",
    "create_project": "To make it: agent-memory project create {name}",
    "join": "To add a member: agent-memory {kind} add-member {name} {agent}",
    "install_remote": "Install it: pip install 'agent-memory-node[remote]'",
    "install_pairing": "Install it: pip install 'agent-memory-node[pairing]'",
    "name_actor": "Name it: --as AGENT, or act as the operator: --as-operator",
    "name_owner": "Name it: --as AGENT",
    "name_format": "If it is one of them, say which: --from FORMAT",
    "other_home": "Name another folder: --home FOLDER",
    "bind_key": "Name it: --agent AGENT",
    "end_key": "Say when it ends: --expires 90d",
    "renew_key": "Another secret: agent-memory key rotate NAME",
    "give_key": "Put it into AGENT_MEMORY_KEY, or into the file that key_file in node.toml names.",
    "name_server": "Where it is served: agent-memory serve --name HOST",
    "confirm": "To go ahead, say --yes.",
    "drop_grants": "To drop them: --drop-grants",
    "supersede": "Run: agent-memory supersede {memory} NEW",
    "revoke": "Run: agent-memory revoke {memory} {audience}",
    "undo": "To bring it back: agent-memory forget --undo {memory}",
    "doctor": "Run: agent-memory doctor",
    "mend": "To finish it, run: agent-memory doctor --mend",
    "reindex": "Run: agent-memory reindex",
    "restore": "Restore a backup: agent-memory restore SRC",
    "stop": "If it is the server: agent-memory service stop, or Ctrl-C where it runs.",
    "other_means": "Else: agent-memory serve in a terminal, agent-memory backup by cron",
    "other_port": "Name another: --port PORT",
    "new_device": "Run: agent-memory init --new-device",
    "own_device": "To certify it: agent-memory peers add CARD --own --name NAME",
    "change_peer": "To change it: agent-memory peers change PEER",
    "give_recovery_key": "Name its file, or type it: --recovery-key FILE, or --recovery-key -",
    "list_devices": "See: agent-memory device list",
    "replace": "To replace it, say --yes.",
    "keep_keys": "They are kept by: agent-memory backup DEST --with-keys",
}


def told(error: AgentMemoryError) -> str:
    """Return the sentence of an error, with what to type behind it."""
    remedy = REMEDIES.get(error.remedy, "")
    try:
        return f"{error} {remedy.format(**error.about)}".rstrip()
    except KeyError:
        # A newer node has a remedy of this name that is about something else.
        return str(error)
