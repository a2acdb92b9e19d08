"""The server's log: chosen fields, and nothing of what was said."""

from __future__ import annotations

import io
import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.server import logs

SECRET = "the harvest is on Tuesday"


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    """Leave logging as it was found."""
    yield
    for name in ("agent_memory_os", "uvicorn"):
        log = logging.getLogger(name)
        for handler in log.handlers[:]:
            log.removeHandler(handler)
            handler.close()
        log.propagate = True
        log.setLevel(logging.NOTSET)


class Terminal(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def fail() -> None:
    """Raise an error that quotes a memory."""
    raise ValueError(SECRET)


def write_some() -> None:
    """Write a line of each kind."""
    ours = logging.getLogger("agent_memory_os.requests")
    ours.debug("unheard")
    ours.info("request", extra={"route": "/v1/memories/{memory}", "status": 200, "body": SECRET})
    try:
        fail()
    except ValueError:
        ours.exception("fault", extra={"request": "r1"})
        logging.getLogger("uvicorn.error").exception("it went %s", SECRET)
    logging.getLogger("uvicorn.error").info("uvicorn's own")


def test_a_line_has_chosen_fields_and_no_content() -> None:
    """Each line is JSON with a moment, a level and an event; errors have places, and no words."""
    stream = io.StringIO()
    logs.begin("info", stream=stream)
    write_some()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert SECRET not in stream.getvalue()
    assert [line["event"] for line in lines] == ["request", "fault", "it went %s"]
    assert set(lines[0]) == {"time", "level", "event", "route", "status"}
    assert lines[0]["time"].endswith("Z")
    assert (lines[1]["level"], lines[1]["error"], lines[1]["request"]) == (
        "error",
        "ValueError",
        "r1",
    )
    assert lines[1]["at"][-1].endswith(" fail")


def test_a_terminal_gets_words() -> None:
    """On a terminal a line is for people, with the same fields."""
    stream = Terminal()
    logs.begin("info", stream=stream)
    write_some()
    first, fault, *_ = stream.getvalue().splitlines()
    assert first.split()[1:] == ["info", "request", "route=/v1/memories/{memory}", "status=200"]
    assert fault.split()[1:] == ["error", "fault", "request=r1", "error=ValueError"]
    assert SECRET not in stream.getvalue()


def test_a_file_is_private_and_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and its folder are for nobody else, and old files are kept up to a number."""
    monkeypatch.setattr(logs, "_MOST_BYTES", 400)
    path = logs.path_in(str(tmp_path))
    assert logs.rotated(path) == []
    logs.begin("warning", path)
    log = logging.getLogger("agent_memory_os.server")
    log.info("unheard")
    for number in range(40):
        log.warning("line", extra={"pid": number})
    found = [Path(each) for each in logs.rotated(path)]
    assert [each.name for each in found] == [
        *(f"server.log.{number}" for number in range(5, 0, -1)),
        "server.log",
    ]
    assert {stat.S_IMODE(each.stat().st_mode) for each in found} == {0o600}
    assert stat.S_IMODE(found[0].parent.stat().st_mode) == 0o700
    assert json.loads(found[-1].read_text().splitlines()[-1])["pid"] == 39
    assert "unheard" not in "".join(each.read_text() for each in found)
