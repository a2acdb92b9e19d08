"""Import on the wire: what an importer found, a line each, and the report of what became of it.

A finding is one JSON object: ``found`` (a memory of a foreign file), ``exported`` (a line of our
own export, whole, with its ``file`` and ``line``), ``skipped`` or ``ignored``. A line of our own
export is looked at again by whoever takes it, as if it stood in a file there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers import jsonl
from agent_memory_os.importers.base import (
    MAX_RECORD_BYTES,
    Finding,
    Found,
    Ignored,
    Record,
    Skipped,
)
from agent_memory_os.model.canonical import fits
from agent_memory_os.service.transfer import ImportReport
from agent_memory_os.wire.decode import Shape

MAX_LINE_BYTES = 2 * MAX_RECORD_BYTES
"""A finding of the largest record fits."""

_SHAPES = {
    "key": "text",
    "content": "text",
    "source": "object",
    "type": "text",
    "summary": "text",
    "tags": "texts",
    "author": "text",
    "session": "text",
    "position": "integer",
    "event_at": "integer",
}


def of_finding(finding: Finding) -> dict[str, object]:
    """Return what an importer found."""
    if isinstance(finding, Found):
        return {"found": _of_found(finding)} if not finding.extra else _of_line(finding)
    if isinstance(finding, Record):
        file, _, line = finding.place.rpartition(":")
        return {"exported": finding.data, "file": file, "line": int(line)}
    word = "skipped" if isinstance(finding, Skipped) else "ignored"
    return {word: list(finding)}


def _of_line(found: Found) -> dict[str, object]:
    return {
        "exported": found.extra,
        "file": found.source["file"],
        "line": found.source["line"],
    }


def _of_found(found: Found) -> dict[str, object]:
    defaults = Found._field_defaults
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found._asdict().items()
        if name not in defaults or value != defaults[name]
    }


def to_finding(shape: object) -> Finding:
    """Return the finding of a shape; raise :class:`InvalidInput` where it is none."""
    if not isinstance(shape, dict):
        raise InvalidInput("it is no finding of an importer")
    if isinstance(shape.get("found"), dict):
        return _to_found(shape["found"])
    if isinstance(shape.get("exported"), dict):
        return _to_exported(shape["exported"], shape.get("file"), shape.get("line"))
    for word, kind in (("skipped", Skipped), ("ignored", Ignored)):
        told = shape.get(word)
        if isinstance(told, list) and fits(told, "texts") and len(told) == len(kind._fields):
            return kind(*told)
    raise InvalidInput("it is no finding of an importer")


def _to_found(shape: Shape) -> Found:
    for name, value in shape.items():
        is_unset = name in ("position", "event_at") and value is None
        if name not in _SHAPES or not (is_unset or fits(value, _SHAPES[name])):
            raise InvalidInput(f"its {name} is not right")
    if "key" not in shape or "content" not in shape or "source" not in shape:
        raise InvalidInput("it has no key, no content or no source")
    return Found(**{**shape, "tags": tuple(shape.get("tags", ()))})


def _to_exported(record: Shape, file: object, line: object) -> Finding:
    if not isinstance(file, str) or type(line) is not int:
        raise InvalidInput("it does not say in which file and line it stands")
    if "kind" not in record:
        return jsonl.header(record, file, line)
    return jsonl.finding(record, file, line)


def lines(findings: Iterable[Finding]) -> Iterator[bytes]:
    """Yield findings as lines of JSON, each with its line end."""
    for finding in findings:
        text = json.dumps(of_finding(finding), ensure_ascii=False, separators=(",", ":"))
        yield text.encode("utf-8", "backslashreplace") + b"\n"


def findings(file: BinaryIO) -> Iterator[Finding]:
    """Yield the findings of a file of lines; what is none is skipped, and told by its number.

    Raises :class:`UnknownFormat` for an export that begins as none does that can be read here.
    """
    number = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield Skipped(f"line {number}", "too long")
        else:
            yield _finding(number, line)


def _finding(number: int, line: bytes) -> Finding:
    try:
        return to_finding(json.loads(line))
    except InvalidInput as error:
        return Skipped(f"line {number}", str(error))
    except (ValueError, RecursionError):
        return Skipped(f"line {number}", "not JSON")


def of_report(report: ImportReport) -> dict[str, object]:
    """Return what became of an import."""
    return {
        **report._asdict(),
        "skipped": [one._asdict() for one in report.skipped],
        "ignored": [one._asdict() for one in report.ignored],
        "masked": list(report.masked),
        "by_format": dict(report.by_format),
        "sample": [of_finding(one) for one in report.sample],
    }


def to_report(shape: Shape) -> ImportReport:
    """Return the report of a shape."""
    fields: dict[str, Any] = {name: shape[name] for name in ImportReport._fields}
    return ImportReport(
        **fields
        | {
            "skipped": tuple(Skipped(**one) for one in shape["skipped"]),
            "ignored": tuple(Ignored(**one) for one in shape["ignored"]),
            "masked": tuple(shape["masked"]),
            "sample": tuple(to_finding(one) for one in shape["sample"]),
        }
    )
