"""``agent-memory-web``: the older name of ``agent-memory serve``, with the same options."""

from __future__ import annotations

import sys

from agent_memory_os.cli import main as program

_REFUSED = (
    "A token is not passed on the command line any more, where other users could read it: make a "
    "key, which is shown once. Run: agent-memory key create NAME --kind operator"
)


def main() -> int:
    """Run ``serve`` with the words of this process; return its exit status."""
    words = ["serve", *sys.argv[1:]]
    if any(word.partition("=")[0] == "--token" for word in words):
        return program.tell_error(words, "usage", _REFUSED, 2)
    sys.argv[1:] = words
    return program.main()
