"""What a fast command takes, as a table: its arguments, its options, and their help.

The table is the one place where they stand: ``parse`` reads it to run the command, and ``app``
reads it to make the Typer command that shows help and explains mistakes. Each ``name`` is a
parameter of the command's function, and a default stands with the function alone.
"""

from __future__ import annotations

from agent_memory_os.value import NamedTuple

TEXT = "text"
WHOLE = "whole"
FRACTION = "fraction"
FLAG = "flag"
MANY = "many"


class Argument(NamedTuple):
    """A word of the command line; with ``many`` all the words that are left, at least one."""

    name: str
    help: str
    many: bool = False


class Option(NamedTuple):
    """An option: its flags, what kind of value it takes, and the word for the value in help."""

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = TEXT
    metavar: str = ""


class Command(NamedTuple):
    """A command of the table: what it does in a sentence, an example, and what it takes."""

    name: str
    summary: str
    example: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]


class Shared(NamedTuple):
    """What every command takes, before its name or after it."""

    home: str | None = None
    node: str | None = None
    agent: str | None = None
    as_operator: bool = False
    as_json: bool = False

    def over(self, outer: Shared) -> Shared:
        """Return what counts where ``outer`` stood before the command's name, and this after it.

        An empty word was said all the same: ``settings`` refuses it.
        """
        return Shared(
            outer.home if self.home is None else self.home,
            outer.node if self.node is None else self.node,
            outer.agent if self.agent is None else self.agent,
            self.as_operator or outer.as_operator,
            self.as_json or outer.as_json,
        )


SHARED = (
    Option(
        "home",
        ("--home",),
        "The node's home; else AGENT_MEMORY_HOME, or ~/.agent-memory.",
        metavar="FOLDER",
    ),
    Option(
        "node",
        ("--node",),
        "A node that is served elsewhere; else AGENT_MEMORY_NODE, or node.toml.",
        metavar="URL",
    ),
    Option(
        "agent",
        ("--as",),
        "The agent that acts; else AGENT_MEMORY_AGENT_ID, or the node's default.",
        metavar="AGENT",
    ),
    Option(
        "as_operator",
        ("--as-operator",),
        "Act as the operator, who sees the whole node; it is audited.",
        FLAG,
    ),
    Option("as_json", ("--json",), "Print one JSON object.", FLAG),
)

TYPES = Option("types", ("--type",), "Only this type; may be given again for more.", MANY, "TYPE")
TAGS = Option("tags", ("--tag",), "Only with this tag; given again: with all of them.", MANY, "TAG")
OWNER = Option("owner", ("--owner",), "Only what this agent owns.", metavar="AGENT")
AUTHOR = Option(
    "author", ("--author",), "Only what this person or agent said, by its name.", metavar="NAME"
)
SESSION = Option("session", ("--session",), "Only from this conversation.", metavar="NAME")
SINCE = Option(
    "since", ("--since",), "Only from this date, time, or time ago (7d) on.", metavar="WHEN"
)
UNTIL = Option("until", ("--until",), "Only before this date, time, or time ago.", metavar="WHEN")
TIME_FIELD = Option(
    "time_field",
    ("--time-field",),
    "Which time counts: created, updated, event or valid.",
    metavar="FIELD",
)
NARROWING = (TYPES, TAGS, OWNER, AUTHOR, SESSION, SINCE, UNTIL, TIME_FIELD)
"""What search, pack and list are all narrowed by."""
