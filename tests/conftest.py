"""What every test run shares: how long Hypothesis searches, which programs are measured.

The profile `ci` is the same on every run, so that a change is what makes a test fail; `soak`
searches at random and for long. `HYPOTHESIS_PROFILE` chooses; without it, it is `ci`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
_UNMEASURED = ("acceptance", "attack", "benchmarks", "docker", "docs", "laws")
_UNMEASURED_PROGRAMS = (*_UNMEASURED, "federation")


def pytest_configure() -> None:
    """Heed Ctrl-C, which a shell has its background jobs ignore, and all that they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure the coverage neither of some folders' tests nor of the programs that they start.

    That makes each take two to three times as long; what they reach is reached by the tests of the
    floors, too. Where it is not, a test is marked.
    """
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    is_counted = item.get_closest_marker("measured") is not None
    with ExitStack() as stack:
        if folder in _UNMEASURED and not is_counted:
            stack.enter_context(_untraced())
        if folder in _UNMEASURED_PROGRAMS and not is_counted:
            stack.enter_context(_unmeasured())
        return (yield)


@contextmanager
def _untraced() -> Iterator[None]:
    """Trace no line of this process."""
    own, others = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(own)
        threading.settrace(others)


@contextmanager
def _unmeasured() -> Iterator[None]:
    """Tell the programs that are started nothing of what measures them."""
    held = os.environ.pop(_MEASURES, None)
    try:
        yield
    finally:
        if held is not None:
            os.environ[_MEASURES] = held
