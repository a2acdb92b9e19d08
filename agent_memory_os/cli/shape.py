"""``--json``: one object, in characters that the standard output can hold.

The shapes are those of ``wire.encode``, which the API speaks too; ``docs/reference/cli.md`` lists
them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping


def to_json(shape: Mapping[str, object]) -> str:
    """Return a shape as JSON, in characters that the standard output can hold."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").replace("-", "").casefold()
    return json.dumps(shape, ensure_ascii=encoding != "utf8", indent=2)
