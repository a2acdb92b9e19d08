"""What an importer found comes over the wire as it was found."""

from __future__ import annotations

import io
import json

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers.base import Finding, Found, Ignored, Skipped
from agent_memory_os.wire import transfer

SOURCE = {"format": "mine", "file": "a:b/c", "line": 3, "links": ["x", "y"]}
EVERY: tuple[Finding, ...] = (
    Found("k", "plain", SOURCE),
    Found(
        "k \u2028\ud800",
        "line one\nline two \x85 \U0001f680",
        SOURCE,
        "fact",
        "s",
        ("a", "ü"),
        "Ö",
        "talk",
        -1,
        -(2**60),
    ),
    Skipped("a:7", "not \u2029 JSON"),
    Ignored("a", ""),
)


def test_findings_come_back() -> None:
    """Each finding is one line, whatever it holds, and the same finding at the other end."""
    sent = b"".join(transfer.lines(EVERY))
    assert sent.count(b"\n") == len(EVERY)
    assert tuple(transfer.findings(io.BytesIO(sent))) == EVERY
    assert tuple(transfer.findings(io.BytesIO(sent[:-1]))) == EVERY


@pytest.mark.parametrize("shape", [None, 7, [], {}, {"found": 7}, {"skipped": None}])
def test_what_is_no_finding_is_refused(shape: object) -> None:
    """What has none of the forms of a finding is told so."""
    with pytest.raises(InvalidInput, match="no finding"):
        transfer.to_finding(shape)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n{}"])
def test_a_line_of_any_length_is_passed_over(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    """A line that is too long is skipped without being held, also where the file ends in it."""
    monkeypatch.setattr(transfer, "MAX_LINE_BYTES", 100)
    kept = json.dumps(transfer.of_finding(Ignored("a", "b"))).encode()
    found = list(transfer.findings(io.BytesIO(kept + b"\n" + b"x" * 950 + end)))
    assert found[0] == Ignored("a", "b")
    assert found[1] == Skipped("line 2", "too long")
    assert len(found) == (3 if end == b"\n{}" else 2)
