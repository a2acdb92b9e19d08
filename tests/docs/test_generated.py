"""The files that are made from the code are as the code makes them."""

from __future__ import annotations

import ast

import pytest

from agent_memory_os import errors
from agent_memory_os.wire import problem
from tools import errors_page
from tools.generate import PAGES, ROOT


@pytest.mark.parametrize("name", PAGES)
def test_generated_file_is_up_to_date(name: str) -> None:
    """A file that is made from the code was written again when the code changed."""
    assert (ROOT / name).read_text(encoding="utf-8") == PAGES[name](), "run `make generate`"


def test_every_error_is_told() -> None:
    """The page of errors tells each class with a code of its own, its exit status and meaning."""
    classes = list(errors_page.classes())
    assert errors.NotFound in classes
    assert len({error.code for error in classes}) == len(classes)
    page = errors_page.render()
    for error in classes:
        assert error.__doc__
        status = problem.status_of(error())
        line = f"| `{error.code}` | {error.exit_status} | {status} | `{error.__name__}` | "
        assert line in page


def test_every_code_of_a_refusal_is_told() -> None:
    """A code that the API answers with stands on the page of errors, with its status."""
    page = errors_page.render()
    refused = {
        (call.args[0].value, str(call.args[1].value))
        for path in (ROOT / "agent_memory_os" / "api").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Refusal"
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[1], ast.Constant)
    }
    assert (415, "unsupported_media_type") in refused
    for _, code in refused:
        assert f"| `{code}` | " in page
