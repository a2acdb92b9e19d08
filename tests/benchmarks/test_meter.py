"""The meter tells of a process what it has used, and holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks import meter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")

WORK = """
import subprocess, sys, threading, time
def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
def thread():
    one = threading.Thread(target=work, args=(0.3,))
    one.start()
    one.join()
def child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"])
def hold():
    global held
    held = bytearray(50_000_000)
    held[::4096] = b"x" * len(held[::4096])
def drop():
    global held
    held = b""
def keep():
    global kept
    command = "held = bytearray(50_000_000); held[::4096] = b'x' * len(held[::4096])"
    wait = "; print(flush=True); input()"
    kept = subprocess.Popen([sys.executable, "-c", command + wait],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    kept.stdout.readline()
def free():
    kept.communicate(b"\\n")
print(flush=True)
for line in sys.stdin:
    globals()[line.strip()]()
    print(flush=True)
"""


def test_threads_that_have_ended_count() -> None:
    """The CPU time of a thread is its process's, when it is over too."""
    with working() as process:
        before = meter.cpu(process.pid)
        ask(process, "thread")
        assert meter.cpu(process.pid) - before >= 300


def test_children_that_have_ended_count() -> None:
    """The CPU time of a child is its parent's."""
    with working() as process:
        before = meter.cpu(process.pid)
        ask(process, "child")
        # Linux counts what children used in ticks.
        assert meter.cpu(process.pid) - before >= 280


def test_a_process_that_waits_uses_nothing() -> None:
    """Between two readings only what was used counts."""
    with working() as process:
        assert meter.cpu(process.pid) == meter.cpu(process.pid)


def test_the_peak_stays_until_it_is_forgotten() -> None:
    """Memory that was given back counts as held at the peak, until that is forgotten."""
    with working() as process:
        least = meter.peak(process.pid)
        ask(process, "hold")
        ask(process, "drop")
        assert meter.peak(process.pid) >= least + 45
        meter.forget_peak(process.pid)
        assert meter.peak(process.pid) < least + 45


def test_children_that_run_are_added() -> None:
    """The memory and CPU time of a child that runs are added to its parent's."""
    with working() as process:
        held, used = meter.peak(process.pid), meter.cpu(process.pid)
        ask(process, "keep")
        assert meter.peak(process.pid) >= held + 45
        assert meter.cpu(process.pid) > used
        ask(process, "free")
        assert meter.peak(process.pid) < held + 45


def test_a_process_that_is_gone_has_no_figures() -> None:
    """Whoever asks about a process that is over is told so, and not nothing."""
    with working() as process:
        pass
    for reading in (meter.cpu, meter.peak, meter.forget_peak):
        with pytest.raises(OSError, match=str(process.pid)):
            reading(process.pid)


@contextmanager
def working() -> Iterator[subprocess.Popen[str]]:
    """Start a process that works as it is told, and end it afterwards."""
    with subprocess.Popen(
        [sys.executable, "-c", WORK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.communicate()


def ask(process: subprocess.Popen[str], work: str) -> None:
    """Let a process do a work, and wait until it is done."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{work}\n")
    process.stdin.flush()
    process.stdout.readline()
