"""The runner of examples runs what pages show, and notices where they are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.console import Command, Failure, File, completed, is_run, matches, run, steps

PAGE = """\
Text.

```console
$ agent-memory add \\
    "tea"
added mem_1
$ pip install x
```

1. In a list:

   ```toml agents.toml
   [agents.iris]
   ```

```sh
not run
```
"""


def check(page: str, folder: Path) -> None:
    """Run a page in a folder, where a program of that name prints its arguments."""
    program = folder / "agent-memory"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\ntest "$1" != fail\n')
    program.chmod(0o755)
    run(list(steps(page)), folder, {"PATH": f"{folder}:/usr/bin:/bin"})


def console(body: str) -> str:
    """Give a page of one block."""
    return f"```console\n{body}```\n"


def test_steps_are_read_in_order() -> None:
    """A page gives its commands with what they print, and the files that it names."""
    assert list(steps(PAGE)) == [
        Command(4, 'agent-memory add "tea"', "added mem_1\n"),
        Command(7, "pip install x", ""),
        File("agents.toml", "[agents.iris]\n"),
    ]


def test_a_block_must_begin_with_a_command() -> None:
    """Output that belongs to no command is a mistake of the page."""
    with pytest.raises(Failure, match="line 2: a console block begins with a command"):
        list(steps(console("added\n")))


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("", ""),
        ("one\n", "one\n"),
        ("mem_… added\n", "mem_abc added  \n"),
        ("a\n…\nz\n", "a\nb\nc\nz\n"),
        ("a\n…\nz\n", "a\nz\n"),
        ("…\n", ""),
        ("a. (b)*\n", "a. (b)*\n"),
    ],
)
def test_what_is_shown_matches(shown: str, printed: str) -> None:
    """What is printed matches as it stands, and an ellipsis stands for characters or lines."""
    assert matches(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("", "more\n"),
        ("one\n", "one\ntwo\n"),
        ("one\ntwo\n", "one\n"),
        ("a…z\n", "a\nz\n"),
        ("a.\n", "ab\n"),
    ],
)
def test_what_is_not_shown_does_not_match(shown: str, printed: str) -> None:
    """A line too many, a line too few and a wrong character are each noticed."""
    assert not matches(shown, printed)


def test_a_word_is_completed_from_what_was_printed_last() -> None:
    """A word that ends in an ellipsis becomes the last word printed that begins like it."""
    assert completed("get mem_…", "added mem_a1\nadded mem_b2.\n") == "get mem_b2"


def test_a_word_that_was_never_printed_fails() -> None:
    """A word that nothing completes is a mistake of the page."""
    with pytest.raises(Failure, match="nothing that begins with 'mem_'"):
        completed("get mem_…", "added\n")


def test_only_some_commands_are_run() -> None:
    """Commands that would change the reader's machine are shown and not run."""
    assert is_run("agent-memory search tea")
    assert is_run("cd notes")
    assert not is_run("pip install agent-memory-node")
    assert not is_run("make demo")


def test_a_right_page_runs(tmp_path: Path) -> None:
    """A page whose commands print what it shows passes, and its shell keeps its folder."""
    page = console(
        "$ agent-memory one 'two three'\none\ntwo three\n"
        "$ agent-memory mem_4x2\nmem_4x2\n"
        "$ agent-memory get mem_…\nget\nmem_4x2\n"
        '$ mkdir notes\n$ cd notes\n$ agent-memory "$(basename $PWD)"\nnotes\n'
        "$ agent-memory fail\nfail\n$ echo $?\n1\n"
    )
    check(page, tmp_path)


def test_a_file_is_written_before_it_is_used(tmp_path: Path) -> None:
    """A block that names a file makes it for the commands below."""
    check("```toml fleet.toml\n[a]\n```\n" + console("$ cat fleet.toml\n[a]\n"), tmp_path)


def test_other_commands_are_not_run(tmp_path: Path) -> None:
    """A command that is only shown leaves no trace."""
    check(console("$ touch made\n"), tmp_path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("$ agent-memory one\ntwo\n", "line 2: `agent-memory one` printed\none"),
        ("$ agent-memory fail\nfail\n", "line 2: `agent-memory fail` ended with 1:\nfail"),
        ("$ agent-memory fail\nfail\n$ echo $?\n0\n", "line 4: `echo $?` printed\n1"),
        ("$ agent-memory one; exit\none\n", "the shell ended while it ran"),
        ("$ agent-memory 'one\none\n", "the shell ended while it ran"),
    ],
)
def test_a_wrong_page_fails(body: str, told: str, tmp_path: Path) -> None:
    """Wrong output, a failure that is not told, and a wrong exit status are each noticed."""
    with pytest.raises(Failure, match=re.escape(told)):
        check(console(body), tmp_path)
