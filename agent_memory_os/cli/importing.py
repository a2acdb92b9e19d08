"""``agent-memory import``: bring in what agents keep in files of their own."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.bar import Bar
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import DryRun
from agent_memory_os.importers import FORMATS
from agent_memory_os.service.transfer import ImportReport

Paths = Annotated[
    list[str], typer.Argument(help="Files or folders.", metavar="PATH...", show_default=False)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--from",
        help=f"The format, where it is not recognised: {', '.join(one.name for one in FORMATS)}.",
        metavar="FORMAT",
    ),
]
ShareWith = Annotated[
    str, typer.Option("--share", help="Who else may read what is new.", metavar="AUDIENCE")
]
AllowSecrets = Annotated[
    bool, typer.Option("--allow-secrets", help="Keep what looks like a secret as it is.")
]
_SHOWN_SKIPS = 10
_SHOWN_IGNORED = 3


def take(
    desk: Desk,
    paths: Paths,
    *,
    form: Format = None,
    share: ShareWith = "private",
    dry_run: DryRun = False,
    allow_secrets: AllowSecrets = False,
) -> None:
    """Bring in what Claude Code, Codex, notes or an export remember.

    What is known already is not added twice, so it may be run again.

    Example: agent-memory import ~/.claude/projects --as claude --dry-run
    """
    reports = [
        _take(desk, path, form, share, dry_run=dry_run, allow_secrets=allow_secrets)
        for path in paths
    ]
    desk.give({"imports": reports})


def _take(
    desk: Desk, path: str, form: str | None, share: str, *, dry_run: bool, allow_secrets: bool
) -> dict[str, object]:
    transfer = desk.node.transfer
    owner = desk.settings.agent if desk.shared.as_operator else None
    with Bar(path, transfer.size_of(path, form), is_shown=not desk.as_json) as bar:
        report = transfer.import_path(
            desk.principal,
            path,
            form,
            share,
            owner=owner,
            dry_run=dry_run,
            allow_secrets=allow_secrets,
            progress=bar.advance,
        )
    desk.say(*_told(path, report))
    desk.tell(*report.masked)
    if report.masked:
        desk.tell("To keep what looks like a secret as it is: --allow-secrets")
    if not report.found and not report.restored:
        desk.tell(f"Nothing in {path} is a memory{f' of format {form}' if form else ''}.")
    for skipped in report.skipped[:_SHOWN_SKIPS]:
        desk.tell(f"skipped {skipped.place}: {skipped.reason}", word="warning")
    if report.skipped_count > _SHOWN_SKIPS:
        desk.tell(f"{report.skipped_count - _SHOWN_SKIPS:,} more were skipped", word="warning")
    return _shape(path, report)


def _told(path: str, report: ImportReport) -> list[str]:
    would = "Would import" if report.is_dry else "Imported"
    rest = ((report.known, "known already"), (report.forgotten, "stay forgotten"))
    counts = [f"{report.added:,} new", *(f"{count:,} {word}" for count, word in rest if count)]
    lines = [f"{would} {path}: {', '.join(counts)}{_origin(report)}"]
    if 0 < report.ignored_count <= _SHOWN_IGNORED:
        lines += [f"  passed by {one.place}: {one.reason}" for one in report.ignored]
    elif report.ignored_count:
        lines.append(f"  passed by on purpose: {report.ignored_count:,} (--json says what and why)")
    if report.restored:
        lines.append(f"  agents, teams, members and links put back: {report.restored:,}")
    if report.is_dry:
        room = render.width() - 4
        lines += [f"  - {render.cut(render.one_line(one.content), room)}" for one in report.sample]
    return lines


def _origin(report: ImportReport) -> str:
    """Return from how many files of which format it is; of several, how much is of each."""
    formats = sorted(report.by_format.items())
    files = f", from {render.counted(report.files, 'file')}"
    if len(formats) == 1:
        return f"{files} of {formats[0][0]}"
    each = ", ".join(f"{count:,} of {name}" for name, count in formats)
    return f"{files} ({each})" if each else ""


def _shape(path: str, report: ImportReport) -> dict[str, object]:
    return {
        "path": path,
        "files": report.files,
        "found": report.found,
        "added": report.added,
        "known": report.known,
        "forgotten": report.forgotten,
        "restored": report.restored,
        "skipped": [{"place": one.place, "reason": one.reason} for one in report.skipped],
        "skipped_count": report.skipped_count,
        "ignored": [{"place": one.place, "reason": one.reason} for one in report.ignored],
        "ignored_count": report.ignored_count,
        "by_format": dict(report.by_format),
        "dry_run": report.is_dry,
    }


COMMANDS = {"import": take}
