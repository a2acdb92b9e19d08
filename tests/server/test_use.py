"""What was used is written down, now or later."""

from __future__ import annotations

from agent_memory_os.api.meter import Meter
from agent_memory_os.store.keys import Use


def test_use_that_could_not_be_written_is_kept() -> None:
    """What was taken back is added to what was used since, and of two times the later counts."""
    now = 1000
    meter = Meter(lambda: now)
    meter.note("k1", "ann", is_write=True, size=10)
    meter.note("k2", None, is_write=False, size=0)
    drained = meter.drain()
    assert meter.drain() == ([], [])
    now = 2000
    meter.note("k1", "ann", is_write=False, size=5)
    meter.take_back(*drained)
    used, last = meter.drain()
    assert sorted(used) == [Use(0, "k1", "ann", 2, 1, 15), Use(0, "k2", None, 1, 0, 0)]
    assert dict(last) == {"k1": 2000, "k2": 1000}
