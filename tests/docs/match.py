"""Whether what a page shows is what was printed, where some of it differs from run to run.

* An id in the page stands for an id of the run, for the same one throughout, and for no other; so
  does a code to join by.
* A date that no example of the page puts in (nor a time behind it) stands for any.
* `just now` stands for some minutes too, for a page may take longer than that, and `7 w ago` for
  any weeks, months or years, for the day of the test comes later.
* Where there are two spaces or more there may be as many as there are.
* `…` in a line stands for any characters, and a line that is `…` alone for any lines or none.
* A word of a command that ends in `…` is completed from what was printed before it: `agt_…` is the
  last word printed that begins with `agt_`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from tests.docs.page import Failure

ANY = "…"
_ID = r"(?:mem_[a-z2-7]{10}|\b[1-9]\d\d(?:-[a-z]{3,8}){3}\b)"
_DATE = r"\d{4}-\d{2}-\d{2}"
_FREE = re.compile(rf"(?P<any>…)|(?P<id>{_ID})|(?P<date>{_DATE})(?P<time>[ T]\d\d:\d\d)?"
                   r"|(?P<age>just now)|(?P<old>\d+ (?:w|mo|y) ago)|(?P<gap> {2,})")  # fmt: skip
_WORD = re.compile(rf"(\w+){ANY}")


def dates(text: str) -> set[str]:
    """Return the dates that stand in a text."""
    return set(re.findall(_DATE, text))


class Matcher:
    """What is known so far of one run of a page; ``put_in`` are the dates that it puts in."""

    def __init__(self, put_in: Collection[str] = ()) -> None:
        self._put_in = put_in
        self._ids: dict[str, str] = {}
        self._seen = ""

    def command(self, text: str) -> str:
        """Return a command of the page with the ids and words of this run."""
        return _WORD.sub(self._last, re.sub(_ID, self._own, text))

    def matches(self, shown: str, printed: str) -> bool:
        """Say whether what the page shows is all of what was printed; remember its ids."""
        self._seen += printed
        new: dict[str, str] = {}
        pattern = "".join(self._line(line, new) for line in shown.rstrip().splitlines())
        lines = [line.rstrip() for line in printed.rstrip().splitlines()]
        found = re.fullmatch(pattern, "".join(f"{line}\n" for line in lines))
        if not found:
            return False
        known = self._ids | {name: found[group] for name, group in new.items()}
        if len(set(known.values())) < len(known):
            return False
        self._ids = known
        return True

    def _line(self, line: str, new: dict[str, str]) -> str:
        if line.strip() == ANY:
            return r"(?:[^\n]*\n)*"
        pattern, done = "", 0
        for free in _FREE.finditer(line):
            pattern += re.escape(line[done : free.start()]) + self._free(free, new)
            done = free.end()
        return pattern + re.escape(line[done:].rstrip()) + r"\n"

    def _free(self, free: re.Match[str], new: dict[str, str]) -> str:
        if free["id"]:
            return self._id(free["id"], new)
        if free["date"]:
            given = free["date"] in self._put_in
            return re.escape(free[0]) if given else _DATE + (r"[ T]\d\d:\d\d" * bool(free["time"]))
        if free["age"]:
            return r"(?:just now|\d+ min ago)"
        if free["old"]:
            return r"\d+ (?:w|mo|y) ago"
        return r"[^\n]*" if free["any"] else " {2,}"

    def _id(self, name: str, new: dict[str, str]) -> str:
        if name in self._ids:
            return self._ids[name]
        if name in new:
            return f"(?P={new[name]})"
        new[name] = f"id{len(new)}"
        return f"(?P<{new[name]}>{_ID})"

    def _own(self, name: re.Match[str]) -> str:
        if name[0] not in self._ids:
            msg = f"{name[0]} was not printed before"
            raise Failure(msg)
        return self._ids[name[0]]

    def _last(self, word: re.Match[str]) -> str:
        found = re.findall(re.escape(word[1]) + r"[\w-]+", self._seen)
        if not found:
            msg = f"nothing that begins with {word[1]!r} was printed before"
            raise Failure(msg)
        return str(found[-1])
