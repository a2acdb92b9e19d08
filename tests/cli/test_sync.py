"""What `sync status` says below its table."""

from __future__ import annotations

from agent_memory_os.cli.sync import about, share_of
from agent_memory_os.service.peers import SyncStatus, Withheld
from tests.cli.program import Program

NOW = 1_800_000_000_000
HOUR = 3_600_000


def test_what_may_be_withheld_is_said() -> None:
    """Each line says which scope, whose records, how many there and here, and since when."""
    told = Withheld("team:apollo", "acc_a", "mira", 12, 11, NOW - 3 * HOUR)
    unknown = told._replace(peer="", says=1, held=1)
    first, mira, other = about(SyncStatus((), None, 0, 0, (told, unknown)), NOW)
    assert first == ""
    assert mira.startswith(
        "team:apollo: mira says that it has 12 records there; here are 11, not the same, first "
        "seen 3 h ago."
    )
    assert other.startswith("team:apollo: acc_a says that it has 1 record there; here are 1, not")


def test_where_all_is_well_nothing_is_said() -> None:
    """Nothing put aside, nothing lost, nothing withheld, and no clock that is known to be wrong."""
    assert about(SyncStatus((), 0, 0, 0), NOW) == []
    assert len(about(SyncStatus((), -999_999, 1, 1), NOW)) == 4


def test_a_device_waits_as_long_each_time(program: Program) -> None:
    """Between two exchanges that a timer begins there is as long as between its ticks."""
    assert share_of("dev_a") == share_of("dev_a") != share_of("dev_b")
    assert "no peer" in program.do("sync", "auto", "--jitter", "0.01")


def test_devices_wait_for_other_times() -> None:
    """What devices wait is spread evenly over the longest wait."""
    tenths = [int(10 * share_of(f"dev_{number}")) for number in range(1000)]
    assert all(70 < tenths.count(tenth) < 130 for tenth in range(10))
