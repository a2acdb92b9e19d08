"""A small systemd for one user: it runs what units say, and remembers what runs in files.

It stands in for the real one where there is none, and knows the words that we use of it.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["XDG_CONFIG_HOME"]) / "systemd" / "user"
STATE = Path(os.environ["XDG_CONFIG_HOME"]) / "running"


def command(unit: str) -> list[str]:
    """Return the command of a unit's service, read as systemd reads it."""
    text = (FOLDER / unit).read_text("utf-8")
    found = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert found is not None
    return shlex.split(found[1].replace("%%", "%").replace("$$", "$"))


def start(unit: str) -> None:
    """Start a service, or note a timer."""
    if unit.endswith(".timer"):
        (STATE / unit).write_text("0")
        return
    process = subprocess.Popen(
        command(unit), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    (STATE / unit).write_text(str(process.pid))


def stop(unit: str) -> None:
    """Tell a service to end, and wait until it has."""
    path = STATE / unit
    if not path.exists():
        return
    pid = int(path.read_text())
    path.unlink()
    try:
        while pid:
            os.kill(pid, signal.SIGTERM)
            time.sleep(0.05)
    except ProcessLookupError:
        pass


def main(words: list[str]) -> int:
    """Do what one call says."""
    STATE.mkdir(exist_ok=True)
    verb, unit = words[0], words[-1]
    if verb == "daemon-reload":
        return 0
    if not (FOLDER / unit).exists():
        sys.stdout.write(f"Unit {unit} could not be found.\n")
        return 5
    if verb in ("stop", "restart") or (verb == "disable" and "--now" in words):
        stop(unit)
    if verb in ("start", "restart"):
        start(unit)
    if verb == "status":
        sys.stdout.write(f"{unit}: {'active' if (STATE / unit).exists() else 'inactive'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word not in ("--user", "--no-pager")]))
