"""Write every file that is made from the code.

Run as `python -m tools.generate`. The tests hold each file to what is made here, so that a change
of the code without its page is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tools import api_page, cli_page, errors_page, schema_page

ROOT = Path(__file__).parent.parent
PAGES: Mapping[str, Callable[[], str]] = {
    "agent_memory_os/store/schema.sql": schema_page.render,
    "agent_memory_os/cli/help.txt": cli_page.help_text,
    "docs/reference/cli.md": cli_page.render,
    "docs/reference/api.md": api_page.render,
    "docs/reference/openapi.json": api_page.schema,
    "docs/reference/errors.md": errors_page.render,
}


def main() -> None:
    """Write each page whose text has changed, and say which."""
    for name, render in PAGES.items():
        path = ROOT / name
        text = render()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
