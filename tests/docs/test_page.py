"""The examples of a page are read as they are written."""

from __future__ import annotations

import pytest

from tests.docs.page import Command, Failure, File, Program, is_run, steps

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

```python
print(1)
```

```text
1
```

```python
two = 2
```

Words.

```text
not printed by it
```

```sh
not run
```

```python
three = 3
```
"""


def test_steps_are_read_in_order() -> None:
    """A page gives its commands and programs with what they print, and the files that it names."""
    assert list(steps(PAGE)) == [
        Command(4, 'agent-memory add "tea"', "added mem_1\n"),
        Command(7, "pip install x", ""),
        File("agents.toml", "[agents.iris]\n"),
        Program(17, "print(1)\n", "1\n"),
        Program(25, "two = 2\n", ""),
        Program(39, "three = 3\n", ""),
    ]


def test_a_block_must_begin_with_a_command() -> None:
    """Output that belongs to no command is a mistake of the page."""
    with pytest.raises(Failure, match="line 2: a console block begins with a command"):
        list(steps("```console\nadded\n```\n"))


@pytest.mark.parametrize(
    "text",
    [
        "agent-memory search tea",
        "AGENT_MEMORY_AGENT_ID=iris agent-memory whoami",
        "cd notes",
    ],
)
def test_some_commands_are_run(text: str) -> None:
    """Our own command is run, and what only touches the home of the test."""
    assert is_run(Command(1, text, ""))


@pytest.mark.parametrize("text", ["pip install agent-memory-node", "make demo", "rm -r notes"])
def test_other_commands_are_only_shown(text: str) -> None:
    """Commands that would change the reader's machine are not run."""
    assert not is_run(Command(1, text, ""))


def test_an_unknown_command_is_a_mistake() -> None:
    """A command that is neither run nor known as only shown is not passed over in silence."""
    with pytest.raises(Failure, match="line 3: agent-memry is neither run nor"):
        is_run(Command(3, "agent-memry search tea", ""))
