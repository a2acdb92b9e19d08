"""The runner of examples runs what pages show, and notices where they are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.console import run
from tests.docs.page import Failure, steps


def check(page: str, folder: Path) -> None:
    """Run a page in a folder, where a program of that name prints its arguments."""
    program = folder / "agent-memory"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\ntest "$1" != fail\n')
    program.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder / "home")}
    run(list(steps(page)), folder, environment)


def console(body: str) -> str:
    """Give a page of one block of commands."""
    return f"```console\n{body}```\n"


def python(body: str, printed: str = "") -> str:
    """Give a page of one program, with what it prints."""
    return f"```python\n{body}```\n" + (f"\n```text\n{printed}```\n" if printed else "")


def test_a_right_page_runs(tmp_path: Path) -> None:
    """A page whose commands print what it shows passes, and its shell keeps its folder."""
    page = console(
        "$ agent-memory one 'two three'\none\ntwo three\n"
        '$ agent-memory "mem_$(echo aaaaaaaaaa)"\nmem_aaaaaaaaaa\n'
        "$ agent-memory get mem_aaaaaaaaaa\nget\nmem_aaaaaaaaaa\n"
        '$ mkdir notes\n$ cd notes\n$ agent-memory "$(basename $PWD)"\nnotes\n'
        "$ agent-memory fail\nfail\n$ echo $?\n1\n"
    )
    check(page, tmp_path)


def test_a_file_is_written_before_it_is_used(tmp_path: Path) -> None:
    """A block that names a file makes it for the commands below, in the home too."""
    page = "```toml a.toml\n[a]\n```\n```toml ~/b/b.toml\n[b]\n```\n"
    check(page + console("$ cat a.toml ~/b/b.toml\n[a]\n[b]\n"), tmp_path)


def test_the_home_is_that_of_the_person_of_the_page(tmp_path: Path) -> None:
    """A page shows one home for the temporary one of each run."""
    check(console('$ agent-memory "$HOME" /home/sam/a\n/home/sam\n/home/sam/a\n'), tmp_path)


def test_programs_are_one_session(tmp_path: Path) -> None:
    """What one program of a page names, the next one knows."""
    check(python("a = 1\nprint(a)\n", "1\n") + python("print(a + 1)\n", "2\n"), tmp_path)


def test_other_commands_are_not_run(tmp_path: Path) -> None:
    """A command that is only shown leaves no trace."""
    (tmp_path / "kept").touch()
    check(console("$ rm kept\n"), tmp_path)
    assert (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (console("$ agent-memory one\ntwo\n"), "line 2: `agent-memory one` printed\none"),
        (console("$ agent-memory fail\nfail\n"), "`agent-memory fail` ended with 1:\nfail"),
        (console("$ agent-memory fail\nfail\n$ echo $?\n0\n"), "line 4: `echo $?` printed\n1"),
        (console("$ agent-memory one; exit\none\n"), "it was the end of all examples"),
        (console("$ agent-memory 'one\none\n"), "it was the end of all examples"),
        (console("$ agent-memory get agt_…\n"), "line 2: `agent-memory get agt_…`: nothing that"),
        (python("print(1)\n", "2\n"), "line 2: `print(1)` printed\n1"),
        (python("print(1)\n"), "line 2: `print(1)` printed\n1"),
        (python("1 / 0\n"), "line 2: `1 / 0` ended with 1:\nTraceback"),
    ],
)
def test_a_wrong_page_fails(page: str, told: str, tmp_path: Path) -> None:
    """Wrong output, a failure that is not told, and a wrong exit status are each noticed."""
    with pytest.raises(Failure, match=re.escape(told)):
        check(page, tmp_path)
