"""What every test run shares: how long Hypothesis searches, which programs are measured.

The profile `ci` is the same on every run, so that a change is what makes a test fail; `soak`
searches at random and for long. `HYPOTHESIS_PROFILE` chooses; without it, it is `ci`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    max_examples=60,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak",
    max_examples=3_000,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_MEASURES = "COVERAGE_PROCESS_CONFIG"
_UNMEASURED = ("acceptance", "attack", "benchmarks", "docker", "docs", "federation", "laws")


def pytest_configure() -> None:
    """Heed Ctrl-C, which a shell has its background jobs ignore, and all that they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure none of the many programs that the tests of some folders start.

    That makes each take three times as long; what they reach is reached by the tests of the command
    line and of the server, too. Where it is not, a test is marked.
    """
    held = os.environ.get(_MEASURES)
    if held is None or item.get_closest_marker("measured") or not is_unmeasured(item.path):
        return (yield)
    del os.environ[_MEASURES]
    try:
        return (yield)
    finally:
        os.environ[_MEASURES] = held


def is_unmeasured(path: Path) -> bool:
    """Say whether the programs are not measured that the tests of a file start."""
    return path.relative_to(Path(__file__).parent).parts[0] in _UNMEASURED
