"""Notices are parted from registers; unknown ones are passed over, or stop the batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import Incompatible, InvalidInput, TooLarge
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice, sorted_out
from agent_memory_os.federation.bundle.read import Batch
from agent_memory_os.federation.bundle.write import Part
from tests.federation.bundle.sealed import BUNDLE, batches, bundle
from tests.federation.sample import FIELDS, lines

ASK = Notice("ask", {"cursor": 5})
KINDS = st.from_regex(r"[a-z0-9][a-z0-9.-]{0,63}", fullmatch=True)
PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def batch(*some: bytes) -> Batch:
    """Return lines that came together."""
    return Batch(BUNDLE, 0, True, "global", list(some))


@given(st.builds(Notice, KINDS, FIELDS, st.booleans()))
def test_a_notice_survives(told: Notice) -> None:
    """Whatever is told is read as it was written, and written byte for byte."""
    line = notice.to_line(told)
    assert notice.to_line(notice.from_line(line)) == line


def test_the_form_is_that_of_the_page() -> None:
    """The notice that the page shows is one."""
    line = '["later",false,{"a":1}]'
    assert f"`{line}`" in PAGE
    assert notice.from_line(line.encode()) == Notice("later", {"a": 1})


def test_registers_and_notices_come_in_one_bundle() -> None:
    """Both are found in a bundle, each in its order, and none is taken for the other."""
    registers, told = lines(3), notice.to_line(ASK)
    mixed = [registers[0], told, *registers[1:], told]
    (found,) = batches(bundle([Part("global", mixed)]))
    assert sorted_out(found, {"ask"}) == (registers, [ASK, ASK], [])


def test_an_unknown_notice_is_passed_over() -> None:
    """What is of an unknown kind and not critical changes nothing."""
    assert sorted_out(batch(notice.to_line(ASK), b"{}\n"), ()) == ([b"{}\n"], [], [])


def test_an_unknown_notice_that_is_critical_stops_the_batch() -> None:
    """What must be understood, and is not, lets nothing be applied that came with it."""
    critical = ASK._replace(is_critical=True)
    assert sorted_out(batch(notice.to_line(critical)), {"ask"}).notices == [critical]
    with pytest.raises(Incompatible, match="a notice of the kind ask"):
        sorted_out(batch(b"{}\n", notice.to_line(critical)), {"other"})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[", "not JSON"),
        (b"[]\n", "no notice"),
        (b'["ask",false]\n', "no notice"),
        (b'["ask",0,{}]\n', "no notice"),
        (b'["ask",false,[]]\n', "no notice"),
        (b'["ask",false,{},1]\n', "no notice"),
        (b'["Ask",false,{}]\n', "no notice"),
        (b'["",false,{}]\n', "no notice"),
        (b'["ask", false,{}]\n', "canonical"),
        (b'["ask",false,{"a":1.0}]\n', "canonical"),
        (b'["ask",false,{"a":1,"a":1}]\n', "canonical"),
        (b"[" + b"0" * notice.MAX_LINE_BYTES, "longer than"),
    ],
    ids=range(12),
)
def test_what_is_no_notice_is_refused_alone(line: bytes, reason: str) -> None:
    """A line of another form is refused with a reason, and the others are found."""
    found = sorted_out(batch(b"{}\n", line, notice.to_line(ASK)), {"ask"})
    assert (found.registers, found.notices) == ([b"{}\n"], [ASK])
    (refusal,) = found.refusals
    assert refusal.line == line
    assert reason in refusal.reason


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """No bytes raise anything but a refusal."""
    try:
        written = notice.to_line(notice.from_line(data)).removesuffix(b"\n")
    except (InvalidInput, TooLarge):
        written = b""
    assert written in (b"", data.removesuffix(b"\n"))
