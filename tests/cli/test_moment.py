"""Times are read back and forth as the command line takes and shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.cli import moment, narrow
from agent_memory_os.errors import InvalidTime

NOW = 1_770_000_000_000
DAY = 86_400_000


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_what_is_shown_can_be_read(at: int) -> None:
    """The form of JSON reads back as the same instant."""
    text = moment.iso(at)
    assert text is not None
    if at >= 0:
        assert moment.past(text, NOW) == at


@pytest.mark.parametrize("at", [10**18, -(10**18)])
def test_an_instant_out_of_all_calendars_is_brought_to_its_end(at: int) -> None:
    """No number makes showing it fail."""
    assert moment.iso(at) in ("9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z")
    assert moment.iso(None) is None


def test_spans_lie_where_they_are_meant() -> None:
    """A span of time lies back where the past is asked for, and ahead where the future is."""
    assert moment.past("7d", NOW) == NOW - 7 * DAY
    assert moment.future("7d", NOW) == NOW + 7 * DAY
    assert moment.future("2026-05-08", NOW) == moment.past("2026-05-08", NOW)
    assert moment.shown(moment.past("2026-05-08T14:30", NOW)) == "2026-05-08 14:30"


def test_a_span_of_two_times() -> None:
    """The end must come after the start, and each may be left open."""
    assert narrow.span(None, None, NOW) == (None, None)
    assert narrow.span("2d", "1d", NOW) == (NOW - 2 * DAY, NOW - DAY)
    with pytest.raises(InvalidTime, match="does not come after"):
        narrow.span("1d", "2d", NOW)
    assert narrow.time_field("Created_At") == "created"
