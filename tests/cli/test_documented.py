"""Every command is documented: in the help, in the reference, with an example that is a command."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from agent_memory_os.cli import app, parse
from agent_memory_os.cli.command import SHARED
from tests.cli.program import Program
from tools.cli_objects import OBJECTS
from tools.cli_shapes import COMMANDS, SOMETIMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
HELP = (ROOT / "agent_memory_os" / "cli" / "help.txt").read_text(encoding="utf-8")
NAMES = [name for _, names in app.SECTIONS for name in names]
ENTRIES = {" ".join(entry.words): entry for name in NAMES for entry in app.entries(name)}
PROMISED = (
    "init demo whoami add search pack get list edit share revoke forget pin link unlink supersede"
    " timeline history import export agent team project owner doctor check reindex backup restore"
    " stats audit serve sign-in key usage status watch logs service timer"
    " join device recovery-key invitation peers sync quarantine conflicts view-as receipts"
    " neighbors"
)


def test_all_that_was_promised_is_there() -> None:
    """The commands are those that the project names, each in one section."""
    assert sorted(NAMES) == sorted(PROMISED.split())


@pytest.mark.parametrize("words", ENTRIES)
def test_a_command_is_told(words: str) -> None:
    """A command has a sentence, a section of the reference, a shape, and a line in the help."""
    entry = ENTRIES[words]
    assert entry.summary.endswith(".")
    assert "\n\n" not in entry.summary
    assert f"\n### {words}\n" in PAGE
    assert entry.summary in PAGE
    assert words in COMMANDS
    assert f"\n  {entry.words[0]} " in HELP


@pytest.mark.parametrize("words", ENTRIES)
def test_an_example_is_a_command(words: str) -> None:
    """The example of each command is understood by the program as that command."""
    entry = ENTRIES[words]
    program, *line = shlex.split(entry.example)
    assert program == "agent-memory"
    heard: list[app.Function] = []
    built = typer.main.get_command(
        app.build([entry.words[0]], lambda function, _, __: heard.append(function))
    )
    built.main(args=line, prog_name=program, standalone_mode=False)
    assert heard == [entry.function]
    name, _, _ = parse.command_name(line)
    assert name == entry.words[0]


def test_every_option_is_told() -> None:
    """Each option of each command stands in its section of the reference, with its help."""
    for words, entry in ENTRIES.items():
        section = PAGE.partition(f"\n### {words}\n")[2].partition("\n###")[0]
        found: Any = typer.main.get_command(app.build([entry.words[0]]))
        for word in entry.words:
            found = found.commands[word]
        for parameter in found.params:
            if parameter.name not in {option.name for option in SHARED} | {"help"}:
                assert parameter.help in section, (words, parameter.name)


@pytest.mark.parametrize("words", ENTRIES)
def test_help_names_values_by_a_word_and_cuts_nothing(words: str) -> None:
    """A value has a word of its own, two arguments have two, and no line ends within a word."""
    found: Any = typer.main.get_command(app.build([words.split(maxsplit=1)[0]]))
    for word in words.split():
        found = found.commands[word]
    arguments = [one.metavar for one in found.params if one.param_type_name == "argument"]
    assert len(set(arguments)) == len(arguments)
    for parameter in found.params:
        assert parameter.metavar or parameter.is_flag or parameter.name == "help", parameter.name
    told = found.get_help(found.make_context(words, [], resilient_parsing=True))
    assert not [line for line in told.splitlines() if line.endswith("-")]


def test_the_reference_has_no_words_of_python() -> None:
    """A default is a value that could be typed, or is left to the help of its option."""
    told = re.findall(r" Else ([^ ]+)\.$", PAGE, re.MULTILINE)
    assert told
    assert not {"None", "[]", "()", "True", "False"} & set(told)


EVERY_COMMAND = (
    ("init",),
    ("whoami",),
    ("add", "x"),
    ("get", "{first}"),
    ("list",),
    ("edit", "{first}", "one more"),
    ("pin", "{first}"),
    ("history", "{first}"),
    ("timeline", "{first}"),
    ("search", "one"),
    ("pack", "one"),
    ("share", "{second}", "global"),
    ("revoke", "{second}"),
    ("link", "{first}", "{second}"),
    ("unlink", "{first}", "{second}"),
    ("supersede", "{first}", "{second}"),
    ("forget", "{second}"),
    ("agent", "add", "zoe"),
    ("agent", "list"),
    ("agent", "rename", "zoe", "zoa"),
    ("agent", "rename", "zoa", "zoe"),
    ("agent", "move-memories", "ann", "zoe", "--as-operator", "--dry-run"),
    ("team", "create", "zeus"),
    ("team", "move-memories", "apollo", "zeus", "--as-operator", "--dry-run"),
    ("team", "add-member", "zeus", "zoe"),
    ("team", "list"),
    ("project", "create", "zeus/sky"),
    ("project", "add-member", "zeus/sky", "zoe"),
    ("project", "rename", "zeus/sky", "heaven"),
    ("project", "rename", "zeus/heaven", "sky"),
    ("project", "list"),
    ("project", "remove-member", "zeus/sky", "zoe"),
    ("project", "delete", "zeus/sky", "--yes"),
    ("team", "remove-member", "zeus", "zoe"),
    ("team", "rename", "zeus", "jove"),
    ("team", "delete", "jove", "--yes"),
    ("agent", "remove", "zoe"),
    ("team", "invite", "apollo"),
    ("device", "invite"),
    ("device", "list"),
    ("recovery-key", "--yes"),
    ("invitation", "list"),
    ("peers", "card"),
    ("peers", "add", "{card}", "--name", "laptop", "--folder", "."),
    ("peers", "list"),
    ("peers", "show", "laptop"),
    ("peers", "preview", "laptop"),
    ("peers", "change", "laptop", "--ceiling", "shared"),
    ("sync", "auto", "--jitter", "0"),
    ("sync", "pull"),
    ("sync", "push"),
    ("sync", "status"),
    ("sync", "export", "laptop", "--out", "x.bundle"),
    ("quarantine", "list"),
    ("quarantine", "drop", "--all", "--yes"),
    ("quarantine", "retry", "--all"),
    ("conflicts", "--sync"),
    ("receipts", "--as-operator"),
    ("view-as", "ann"),
    ("peers", "remove", "laptop", "--yes"),
    ("key", "create", "laptop", "--agent", "ann"),
    ("key", "list"),
    ("key", "rotate", "laptop"),
    ("key", "revoke", "laptop"),
    ("usage",),
    ("status",),
    ("logs",),
    ("service", "logs"),
    ("owner", "list"),
    ("owner", "delete", "ann", "--as-operator", "--dry-run"),
    ("import", "n.md"),
    ("export", "out.jsonl"),
    ("backup", "copy.db"),
    ("restore", "copy.db", "--yes"),
    ("stats",),
    ("audit",),
    ("doctor",),
    ("check",),
    ("reindex",),
    ("neighbors",),
)
"""A call of every command; ``{first}`` and ``{second}`` stand for two memories."""

ELSEWHERE = {name for name in COMMANDS if name.startswith(("service ", "timer "))}
ELSEWHERE |= {"demo", "serve", "sign-in", "watch", "quarantine show", "sync import"}
ELSEWHERE |= {"join", "invitation withdraw", "team hand-over", "team take-back"}
ELSEWHERE |= {"device certify", "device revoke"}
"""What has no end of its own, or needs a system that runs services (see ``test_service``), or what
another node has sent (see ``test_peers``) or invites to (see ``test_invitation``), or is done with
others' nodes (see ``test_authority``)."""


def test_shapes_are_as_told(fleet: Program) -> None:
    """Each command prints with --json the names that the reference tells, and `notes`."""
    first, second = fleet.add("one", "--share", "team:apollo"), fleet.add("two")
    (fleet.folder / "n.md").write_text("# Notes\n\n- a note on tea\n")
    (fleet.folder / "other").mkdir()
    card = Program(fleet.folder / "other").json("peers", "card")["card"]
    shown: dict[str, Any] = {}
    for call in EVERY_COMMAND:
        line = [word.format(first=first, second=second, card=card) for word in call]
        words = " ".join(line[:2]) if line[0] in app.GROUPS else line[0]
        shown[words] = told = json.loads(fleet.do(*line, "--json"))
        sometimes = SOMETIMES.get(words, {}) if words == "conflicts" else {}
        assert set(told) - set(sometimes) == {*COMMANDS[words], "notes"}, words
    assert {*shown, *ELSEWHERE} == set(COMMANDS)
    of = {
        "memory": shown["get"]["memory"],
        "hit": shown["search"]["hits"][0],
        "link": shown["link"]["link"],
        "agent": shown["agent add"]["agent"],
        "team": shown["team create"]["team"],
        "project": shown["project create"]["project"],
        "key": shown["key create"]["key"],
        "peer": shown["peers show"]["peer"],
        "invitation": shown["device invite"]["invitation"],
        "receipt": shown["receipts"]["receipts"][0],
    }
    assert {name: set(found) for name, found in of.items()} == {
        name: set(shape) for name, shape in OBJECTS.items() if name != "lost edit"
    }
    assert set(SOMETIMES) <= set(COMMANDS)
