"""Regular expressions that are compiled when they are first needed, and kept.

A command that starts cold pays for those that it uses, and for no others.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled expression; `source` is a constant of the code, never input."""
    return re.compile(source, flags)
