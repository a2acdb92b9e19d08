"""What the tests of the API share: a node that is served."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.served import Served, serving


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Give a node that is served, one for all tests of a file."""
    with serving() as found:
        yield found


@pytest.fixture
def fresh() -> Iterator[Served]:
    """Give a node that is served for one test alone."""
    with serving() as found:
        yield found
