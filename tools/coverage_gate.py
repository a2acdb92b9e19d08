"""Hold every module to its share of tested lines and branches.

The rules of the system (`model`, and the stages of recall that are pure) are tested to the last
branch. Every other module is tested to nine tenths, and each is judged alone, so that a module
without tests cannot hide behind the others. The gate says nothing when all is well.

Run as `python -m tools.coverage_gate REPORT`, where REPORT is what coverage writes as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

WHOLE = 100.0
MOST = 90.0
GAP = 2  # a comment or an empty line between two statements does not part a run
PURE = (
    "agent_memory_os/model/",
    "agent_memory_os/federation/route.py",
    "agent_memory_os/recall/arbitrate.py",
    "agent_memory_os/recall/fuse.py",
    "agent_memory_os/recall/pack.py",
    "agent_memory_os/recall/rank.py",
)


def needed(path: str) -> float:
    """Give the percentage of lines and branches that a module's tests must reach."""
    return WHOLE if path.startswith(PURE) else MOST


def shortfalls(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each module whose tests reach less than they must."""
    for path, entry in sorted(report["files"].items()):
        summary = entry["summary"]
        if summary["percent_covered"] < needed(path):
            yield (
                f"{path}: {summary['percent_covered']:.1f}% of lines and branches are tested, "
                f"and {needed(path):.0f}% must be; not reached: {_missing(entry)}"
            )


def _missing(entry: Mapping[str, Any]) -> str:
    reached = {line for line in entry["executed_lines"] if line > 0}
    branches = [
        f"{start}->{end if end > 0 else 'exit'}"
        for start, end in entry["missing_branches"]
        if start in reached
    ]
    return ", ".join([*_ranges(entry["missing_lines"]), *branches])


def _ranges(lines: Sequence[int]) -> Iterator[str]:
    """Yield runs of statements, as `3` or `3-7`; lines less than three apart are one run."""
    start = end = 0
    for line in lines:
        if start and line - end > GAP:
            yield f"{start}-{end}" if end > start else str(start)
            start = 0
        start, end = start or line, line
    if start:
        yield f"{start}-{end}" if end > start else str(start)


def main(report: Path) -> int:
    """Print what falls short, and give the exit status."""
    problems = list(shortfalls(json.loads(report.read_text(encoding="utf-8"))))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
