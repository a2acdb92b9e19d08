"""Run every benchmark, one after the other: ``python -m benchmarks [--quick] [--data DIR]``.

``--data`` names a folder of conversations for the measure of recall, which is left out without it.
``--only NAME`` runs one. The stores are made once, in a temporary folder or the one of ``--work``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile

NAMES = (
    "start",
    "search",
    "earlier",
    "add",
    "change",
    "browse",
    "wait",
    "size",
    "serve",
    "busy",
    "upkeep",
    "sync",
    "pairing",
    "hundred",
)
RECALL = "recall_locomo"


def main() -> int:
    """Run the programs; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs on smaller stores")
    parser.add_argument("--data", help="a folder of conversations, to measure recall")
    parser.add_argument("--work", help="a folder that keeps the stores")
    parser.add_argument("--only", choices=(*NAMES, RECALL), action="append", help="run this one")
    options = parser.parse_args()
    names = options.only or [*NAMES, RECALL]
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        failed = [
            name
            for name in names
            if name != RECALL and not run(name, "--work", options.work or folder, *quickly(options))
        ]
    if RECALL in names:
        if options.data is None:
            print("\nRecall is measured with --data DIR, a folder of LoCoMo's conversations.")
        elif not run(RECALL, "--data", options.data):
            failed.append(RECALL)
    for name in failed:
        print(f"\n{name} failed.", file=sys.stderr)
    return 1 if failed else 0


def quickly(options: argparse.Namespace) -> list[str]:
    """Return the option that makes a benchmark quick, if it was given."""
    return ["--quick"] if options.quick else []


def run(name: str, *words: str) -> bool:
    """Run one program in a process of its own; say whether it ended well."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *words]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
