"""The checker of the house style finds what it must, and nothing else."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from tools.style import folder_problems, is_one_sentence, module_problems

MODULE = PurePosixPath("agent_memory_os/model/memory.py")
TEST = PurePosixPath("tests/model/test_memory.py")


def function_of(lines: int) -> str:
    """Give the source of a function of that many lines."""
    return "def f():\n" + "    pass\n" * (lines - 1)


def test_a_module_of_400_lines_is_well() -> None:
    """A module may have exactly as many lines as the rule says."""
    assert not list(module_problems(MODULE, "x = 1\n" * 400))


def test_a_module_of_401_lines_is_too_long() -> None:
    """One line more than the rule says is told with the count."""
    assert list(module_problems(MODULE, "x = 1\n" * 401)) == [
        "agent_memory_os/model/memory.py: has 401 lines, and 400 are the most"
    ]


def test_a_function_of_61_lines_is_too_long() -> None:
    """A function is counted from its first line to its last."""
    assert not list(module_problems(MODULE, function_of(60)))
    assert list(module_problems(MODULE, function_of(61))) == [
        "agent_memory_os/model/memory.py:1: f has 61 lines, and 60 are the most"
    ]


def test_a_method_and_a_coroutine_count_too() -> None:
    """Functions are found wherever they stand, and whether they are async or not."""
    method = "class A:\n" + "\n".join("    " + line for line in function_of(61).splitlines())
    assert len(list(module_problems(MODULE, method))) == 1
    assert len(list(module_problems(MODULE, "async " + function_of(61)))) == 1


def test_a_vague_name_is_refused() -> None:
    """A module that is named for being of use is told to be named for what it holds."""
    problems = list(module_problems(PurePosixPath("agent_memory_os/store/utils.py"), ""))
    assert problems == [
        "agent_memory_os/store/utils.py: is named for being of use; name it for what it holds"
    ]


def test_a_test_without_a_docstring_is_refused() -> None:
    """A test must say what holds, and a function that is no test need not."""
    source = "def test_gate():\n    assert True\n"
    assert list(module_problems(TEST, source)) == [
        "tests/model/test_memory.py:1: test_gate must say in a docstring of one sentence what holds"
    ]
    assert not list(module_problems(MODULE, source))


@pytest.mark.parametrize(
    "text",
    [
        "A private memory is seen by its owner alone.",
        "What of a name such as e.g. this, `C++. x` or 1.5?",
        "It spans\n    two lines, and is one sentence.",
    ],
)
def test_one_sentence_is_recognised(text: str) -> None:
    """One sentence may span lines and hold dots."""
    assert is_one_sentence(text)


@pytest.mark.parametrize("text", [None, "", "No end", "Two. Sentences.", "One.\n\nAnd more."])
def test_what_is_not_one_sentence_is_recognised(text: str | None) -> None:
    """Nothing, a fragment and several sentences are each not one sentence."""
    assert not is_one_sentence(text)


def test_a_folder_of_13_modules_is_too_full() -> None:
    """A folder holds 12 modules at most, beside what Python itself asks for."""
    twelve = [PurePosixPath(f"agent_memory_os/store/m{n}.py") for n in range(12)]
    twelve.append(PurePosixPath("agent_memory_os/store/__init__.py"))
    assert not list(folder_problems(twelve))
    thirteen = [*twelve, PurePosixPath("agent_memory_os/store/one_more.py")]
    assert list(folder_problems(thirteen)) == [
        "agent_memory_os/store: has 13 modules, and 12 are the most"
    ]


@pytest.mark.parametrize("folder", ["agent_memory_os/cli", "tests/cli"])
def test_a_folder_of_a_kind_may_grow(folder: str) -> None:
    """Where each entry of a kind is a file, and in the tests that mirror it, there is no limit."""
    assert not list(folder_problems(PurePosixPath(f"{folder}/m{n}.py") for n in range(30)))
