"""The server's log: chosen fields, and nothing of what was said."""

from __future__ import annotations

import io
import json
import logging
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_memory_os.server import logs

SECRET = "the harvest is on Tuesday"


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    """Leave logging as it was found."""
    yield
    for name in ("agent_memory_os", "uvicorn", "asyncio", "concurrent.futures"):
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
    logging.getLogger("asyncio").error(f"A task failed\nfuture: {SECRET}")  # noqa: G004 - as it does


def test_a_line_has_chosen_fields_and_no_content() -> None:
    """Each line is JSON with a moment, a level and an event; errors have places, and no words."""
    stream = io.StringIO()
    logs.begin("info", stream=stream)
    write_some()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert SECRET not in stream.getvalue()
    assert [line["event"] for line in lines] == ["request", "fault", "it went %s", "A task failed"]
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


def test_lines_are_read_back_across_files(tmp_path: Path) -> None:
    """The newest lines of a level come from as many files as it takes; what is no line is left."""
    path = tmp_path / "server.log"
    line = '{"time": "2026-05-08T12:00:00.000Z", "level": "%s", "event": "%s"}\n'
    (tmp_path / "server.log.1").write_text(line % ("error", "first") + line % ("info", "second"))
    path.write_text("no line\n[]\n{}\n" + line % ("odd", "x") + line % ("warning", "third"))
    assert [each["event"] for each in logs.last(str(path), 9, "info")] == [
        "first",
        "second",
        "third",
    ]
    assert [each["event"] for each in logs.last(str(path), 9, "warning")] == ["first", "third"]
    assert [each["event"] for each in logs.last(str(path), 1, "info")] == ["third"]
    assert logs.last(str(path), 0, "info") == []
    assert logs.last(str(tmp_path / "none.log"), 9, "info") == []


def test_a_log_is_followed_through_its_rotation(tmp_path: Path) -> None:
    """What is written after the look began is shown, also where the file is another one by now."""
    path = tmp_path / "server.log"
    line = '{"time": "2026-05-08T12:00:00.000Z", "level": "info", "event": "%s"}\n'
    path.write_text(line % "before")
    shown = logs.following(str(path), "info")
    found = []

    def later(step: Callable[[], object]) -> str:
        timer = threading.Timer(0.3, step)
        timer.start()
        event = str(next(shown)["event"])
        timer.join()
        return event

    found.append(later(lambda: path.write_text(line % "before" + line % "one")))
    found.append(
        later(lambda: (path.rename(tmp_path / "server.log.1"), path.write_text(line % "two")))
    )
    path.unlink()
    found.append(later(lambda: path.write_text(line % "three")))
    assert found == ["one", "two", "three"]
    shown.close()
