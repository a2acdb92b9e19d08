"""What each command prints with `--json`: the names, and what they hold.

The reference page shows it, and the tests hold the commands to it: a name that a script may rely on
is not lost, and none is added without being told.
"""

from __future__ import annotations

from collections.abc import Mapping

from tools.cli_objects import Shape

_SYNCED: Shape = {
    "peers": "a list of objects: `peer`, `device`, `state` (`done`, `waits`, `busy`, `revoked`, "
    "`failed`), `taken`, `sent`, `aside`, `fault`",
}
_INVITED: Shape = {
    "invitation": "the invitation",
    "url": "where somebody joins",
    "command": "what is typed to join",
}
_CHANGED: Shape = {"memory": "the memory as it is now", "changed": "whether anything changed"}
_MEMBER: Shape = {"agent": "the agent", "changed": "whether anything changed"}

_CHARGE: Shape = {"team": "the team", "admin": "the account that is in charge now, by its id"}

_WAITED = "with `--wait`: a list of receipts; else an empty one"
_MADE_KEY = {"key": "the key", "token": "what its bearer shows; it is told this once"}
_JOB = {"name": "what the system calls it"}
_PLAN = {
    "files": "with `--dry-run`: a list of objects: `path`, `text`",
    "run": "with `--dry-run`: a list of the commands that would be run",
}
COMMANDS: Mapping[str, Shape] = {
    "init": {
        "home": "the home's folder",
        "made": "whether it was made just now",
        "agent": "the agent that acts where none is named",
        "kind": "its kind",
    },
    "demo": {"steps": "a list of objects: `command`, and its `output`"},
    "whoami": {
        "agent": "the acting agent, with its `teams` and `projects`",
        "named_by": "`--as`, `AGENT_MEMORY_AGENT_ID`, `node.toml` or `its key`",
        "home": "the home's folder, or `null` for a served node",
        "node": "where the node is served, or `null` for the home's own",
        "as_operator": "whether the command line sees the whole node",
    },
    "add": {"memory": "the memory", "added": "whether it is new"},
    "get": {"memory": "the memory", "links": "a list of links"},
    "list": {
        "memories": "a list of memories",
        "cursor": "what `--cursor` takes for the next page, or `null`",
    },
    "edit": _CHANGED,
    "pin": _CHANGED,
    "forget": {
        "id": "the memory's id",
        "act": "`forgotten`, `brought_back` or `erased`",
        "receipts": _WAITED,
    },
    "history": {
        "id": "the memory's id",
        "versions": "a list: the content with `number`, `since`, `until`, `editor` (who wrote it), "
        "`audience`",
    },
    "timeline": {
        "anchor": "the anchor, as it was given",
        "moments": "a list of objects: `at`, and a `memory`",
    },
    "search": {"query": "the question", "hits": "a list of hits, best first"},
    "pack": {
        "query": "the question",
        "text": "the pack; empty where nothing was found",
        "tokens": "what it costs",
        "budget": "what it may cost",
        "decisions": "a list of objects: `id`, `outcome`, `reason`, `tokens`",
    },
    "share": _CHANGED,
    "revoke": {**_CHANGED, "receipts": _WAITED},
    "receipts": {"receipts": "a list of receipts", "copies": "how many copies are outstanding"},
    "link": {"link": "the link"},
    "unlink": {
        "src": "the id of the memory that it led from",
        "dst": "the id of the memory that it led to",
        "relation": "the relation",
    },
    "supersede": {"memory": "the newer memory", "older": "the older one's id"},
    "agent add": {"agent": "the agent"},
    "agent list": {"agents": "a list of agents, with their `teams` and `projects`"},
    "agent rename": {"agent": "the agent", "old_name": "what it was called"},
    "agent remove": {"agent": "the agent"},
    "agent move-memories": {
        "from": "the agent that they were of",
        "to": "the agent that they are of then",
        "memories": "how many there are to be moved",
        "kept": "who goes on reading them: a list of objects: `audience`, `memories`",
        "lost": "with whom `to` may not share them: the same",
        "moved": "how many were moved",
    },
    "team create": {"team": "the team"},
    "team list": {"teams": "a list of teams, with their `members` and `projects`"},
    "team add-member": {"team": "the team", **_MEMBER},
    "team remove-member": {"team": "the team", **_MEMBER, "receipts": _WAITED},
    "team invite": _INVITED,
    "team hand-over": _CHARGE,
    "team take-back": _CHARGE,
    "team rename": {"team": "the team", "old_name": "what it was called"},
    "team delete": {"team": "the team", "deleted": "whether it was ended"},
    "team move-memories": {
        "from": "the team that reads them",
        "to": "the team that is to read them",
        "memories": "how many are to be shared with it",
        "left": "what stays as it is: a list of objects: `agent`, `memories`",
        "moved": "with how many that was done",
    },
    "project create": {"project": "the project"},
    "project list": {"projects": "a list of projects, with their `members`"},
    "project add-member": {"project": "the project", **_MEMBER},
    "project remove-member": {"project": "the project", **_MEMBER, "receipts": _WAITED},
    "project rename": {"project": "the project", "old_name": "what it was called"},
    "project delete": {"project": "the project", "deleted": "whether it was ended"},
    "owner list": {
        "owners": "a list of objects: `id`, `name`, `memories`, `forgotten`, `changed_at`"
    },
    "owner delete": {
        "owner": "the owner's name",
        "memories": "how many it owned",
        "forgotten": "how many were forgotten",
    },
    "import": {
        "imports": "a list, one object a path: `path`, `files`, `found`, `added`, `known`, "
        "`forgotten`, `restored`, `skipped`, `skipped_count`, `ignored`, `ignored_count`, "
        "`by_format`, `dry_run`"
    },
    "export": {
        "file": "where it was written",
        "memories": "how many memories are in it",
        "lines": "how many lines it has: also its header, agents, teams, members and links",
    },
    "backup": {
        "path": "the backup",
        "memories": "how many are in it",
        "removed": "a list of older backups that were removed",
        "keys": "the file with the private keys, or `null`",
    },
    "restore": {
        "source": "the backup",
        "memories": "how many were restored",
        "kept": "where what was there before is, or `null`",
    },
    "serve": {
        "home": "the home",
        "url": "where it is reached from this machine",
        "sign_in": "a link that signs a browser in, once; `null` with `--log-file`",
        "pid": "the process",
    },
    "neighbors": {
        "neighbors": "a list of objects: `device`, `called`, `url`, `where` (`here`, `network`), "
        "`state` (`peer`, `own`, `unknown`), `peer`",
        "network": "whether the network was listened to, and not this machine alone",
    },
    "peers card": {
        "device": "this device, by its id: its fingerprint",
        "account": "its account, by its id",
        "certified": "whether its account has certified it",
        "card": "the card",
    },
    "peers add": {
        "peer": "the peer",
        "own_device": "this device, by its id",
        "added": "whether the peer is new",
        "certified": "whether it was certified just now",
    },
    "peers list": {"peers": "a list of peers"},
    "peers show": {"peer": "the peer"},
    "peers preview": {
        "rows": "a list of what would be sent: `where`, `object`, `owner`, `words`, `rule`, "
        "`has_content` and `groups`, the groups of its registers"
    },
    "view-as": {"rows": "a list of what may be read: `memory`, `owner`, `words` and `rule`"},
    "peers change": {"peer": "the peer as it is now"},
    "peers remove": {"peer": "the peer", "removed": "whether it was removed"},
    "sync auto": _SYNCED,
    "sync pull": _SYNCED,
    "sync push": _SYNCED,
    "sync status": {
        "peers": "a list of peers, each with `behind`, how much it has still to be sent, and "
        "`teams`, those that it shares",
        "clock_offset_ms": "by how many milliseconds the peers' clocks are ahead, if that is known",
        "quarantine": "how many lines could not be taken",
        "conflicts": "how many edits that lost are kept",
        "withheld": "a list of what authors say that they put into a scope, and is not so here",
        "void": "a list of what your agents shared and does not count: `scope`, `agent`, "
        "`memories` (a list of ids), `out`",
    },
    "sync export": {"bundle": "an object: `peer`, `path`, `registers`, `aside`"},
    "sync import": {"bundles": "a list of objects: `peer`, `path`, `registers`, `aside`"},
    "join": {
        "home": "the home's folder",
        "made": "whether it was made just now",
        "kind": "`team` or `device`",
        "team": "the team's name, if it is a team's invitation",
        "agent": "the agent that joined",
        "peer": "the node that invited, as a peer",
        "own_device": "this device's fingerprint",
        "taken": "how many registers the first exchange took",
        "sent": "how many it sent",
        "memories": "how many memories it brought that the agent may read",
        "fault": "what went wrong with it; empty where nothing did",
    },
    "device invite": _INVITED,
    "device list": {"devices": "a list of objects: `device`, `this`, `state`, `peer`"},
    "device certify": {"peer": "the peer"},
    "device revoke": {
        "revocation": "an object: `device`, `peer`, `stays` and `voided` (how many writes), "
        "`memories` (a list of ids), `by` (`root` or `recovery`), `done`",
    },
    "recovery-key": {
        "recovery_key": "the key, as it is written down",
        "removed": "whether it was taken off this machine",
    },
    "invitation list": {"invitations": "a list of invitations"},
    "invitation withdraw": {"invitation": "the invitation"},
    "quarantine list": {"lines": "a list of objects: `number`, `peer`, `at`, `reason`, `size`"},
    "quarantine show": {"number": "its number", "line": "what it says"},
    "quarantine drop": {"dropped": "how many lines"},
    "quarantine retry": {"taken": "how many lines", "aside": "how many are in quarantine now"},
    "conflicts": {},
    "key create": _MADE_KEY,
    "key list": {"keys": "a list of keys"},
    "key rotate": _MADE_KEY,
    "key revoke": {"key": "the key"},
    "sign-in": {"url": "the link", "ends_at": "until when it works"},
    "usage": {
        "since": "from when on",
        "totals": "a list of objects: what is added up, `requests`, `writes`, `bytes`",
        "usage": "a list of objects: `day`, `key`, `agent`, `agent_id`, `teams`, `requests`, "
        "`writes`, `bytes`",
    },
    "status": {
        "home": "the home",
        "served": "`null`, or an object: `url`, `pid`, `since`, `version`, `ready`",
        "version": "the version of this program",
        "file_bytes": "bytes of the database",
        "log_bytes": "bytes of its write-ahead log",
        "last_backup": "`null`, or an object: `at`, `path`",
        "keys": "how many keys are live",
        "peers": "how many peers there are",
        "failed_peers": "a list: the names of those that could not be reached",
        "timers": "a list: which timers are installed",
        "recovery_key_here": "whether the recovery key of the account lies in the home",
    },
    "watch": {
        "event": "an object a line: `watching` once it has begun, then `added`, `changed`, `gone`, "
        "or `audience` where your own teams or projects changed",
        "id": "the memory's id, or `null`",
        "memory": "the memory, or `null` where it is gone or none is meant",
    },
    "logs": {
        "path": "where the log is",
        "lines": "a list of objects: `time`, `level`, `event`, and what else the event has",
    },
    "service install": {
        "name": "what the system calls the service",
        "host": "the address that it listens at",
        "port": "its port",
    },
    "service status": {
        "name": "what the system calls the service",
        "installed": "whether it is installed",
        "url": "where it is served, or `null`",
    },
    "service start": _JOB,
    "service stop": _JOB,
    "service restart": _JOB,
    "service uninstall": _JOB,
    "service logs": {"path": "as of `logs`", "lines": "as of `logs`"},
    "timer install": {
        "timer": "the timer",
        "name": "what the system calls it",
        "at": "when, by this machine's clock",
        "command": "a list: the words of what is run",
    },
    "timer status": {
        "timer": "the timer",
        "name": "what the system calls it",
        "installed": "whether it is installed",
    },
    "timer uninstall": _JOB,
    "timer list": {"timers": "a list of objects: `timer`, `at`, `installed`, `title`"},
    "stats": {
        "shown": "memories that are shown now",
        "expired": "expired, or not valid now",
        "forgotten": "forgotten, within the days of undo",
        "pinned": "pinned",
        "types": "an object: memories by type",
        "owners": "an object: memories by owner",
        "agents": "agents",
        "teams": "teams",
        "projects": "projects",
        "node": "an object: of the whole node, for the operator",
    },
    "audit": {
        "entries": "a list of objects: `at`, `actor` (an agent's name, or `operator`), `action`, "
        "`object` (a memory's id, or empty where it was many or none), `detail`",
        "cursor": "what `--cursor` takes for the next page, or `null`",
    },
    "doctor": {
        "findings": "a list of objects: `name`, `state` (ok, warning, fault), `detail`, `mend`",
        "mended": "a list: what was mended",
    },
    "check": {"ok": "whether all is well", "lines": "a list: a line for each check"},
    "reindex": {"memories": "how many were indexed"},
}

SOMETIMES: Mapping[str, Shape] = {
    "init": {
        "device": "with `--new-device`, in place of the others, or `--device-of`: the device's id",
        "card": "with `--device-of`: the device's card",
        "certified": "with `--device-of`: whether its account has certified it",
    },
    "conflicts": {
        "conflicts": "where none is named: a list of lost edits",
        "conflict": "with `--show`: the lost edit",
        "memory": "with `--swap`: the memory as it is now",
        "changed": "with `--swap`: whether anything changed",
    },
    "forget": {
        "memory": "with `--undo`: the memory",
        "backups": "with `--erase`: the backups that it was erased from",
    },
    "search": {"explanation": "with `--explain`: a list of lines"},
    **dict.fromkeys(
        (
            *(f"service {act}" for act in ("install", "start", "stop", "restart", "uninstall")),
            *(f"timer {act}" for act in ("install", "uninstall")),
        ),
        _PLAN,
    ),
}
"""Names that are there only with some option."""
