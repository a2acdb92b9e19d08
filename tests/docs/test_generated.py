"""The files that are made from the code are as the code makes them."""

from __future__ import annotations

import pytest

from agent_memory_os import errors
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
        assert f"| `{error.code}` | {error.exit_status} | `{error.__name__}` | " in page
