"""What holds for every format: recognition, names, order, and cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory_os.errors import InvalidInput, UnknownFormat
from agent_memory_os.importers import FORMATS, by_name, recognise
from agent_memory_os.importers.base import Found
from tests.importers.sample import SAMPLES, Sample, found, put, read


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.file)
def sample(request: pytest.FixtureRequest) -> Sample:
    """Return one sample after the other."""
    assert isinstance(request.param, Sample)
    return request.param


def test_a_file_is_recognised_by_one_format(tmp_path: Path, sample: Sample) -> None:
    """Named alone or met in a folder, a file goes to the format that it is of."""
    path = put(tmp_path, sample.file, sample.data)
    assert recognise(str(path)).name == sample.format
    findings = found(read(path))
    assert {str(memory.source["format"]).partition("/")[0] for memory in findings} == {
        sample.format
    }
    in_folder = found(read(tmp_path))
    assert [memory.content for memory in in_folder] == [memory.content for memory in findings]


def test_no_other_format_of_rows_takes_it(tmp_path: Path, sample: Sample) -> None:
    """Formats of rows know each other's files for foreign; what is Markdown, Markdown reads too."""
    path = put(tmp_path, sample.file, sample.data)
    takers = {format_.name for format_ in FORMATS if format_.recognises(str(path))}
    assert takers - {"markdown"} == {sample.format} - {"markdown"}
    assert ("markdown" in takers) == sample.file.endswith(".md")


def test_a_second_reading_gives_the_same(tmp_path: Path, sample: Sample) -> None:
    """The same bytes give the same findings, and no two memories of a file have one key."""
    path = put(tmp_path, sample.file, sample.data)
    findings = read(path)
    assert read(path) == findings
    keys = [memory.key for memory in found(findings)]
    assert len(keys) == len(set(keys)) > 0


def test_provenance_says_where_it_stands(tmp_path: Path, sample: Sample) -> None:
    """Each memory knows format, file and line, and its words stand in that line or below."""
    path = put(tmp_path, sample.file, sample.data)
    lines = sample.data.decode().split("\n")
    for memory in found(read(path)):
        assert memory.source["file"] == path.name
        line = memory.source["line"]
        assert isinstance(line, int)
        assert memory.content.split()[-1].rstrip("`") in "\n".join(lines[line - 1 :])


@pytest.mark.parametrize(
    "file", ["a.json", "a.py", "a.jsonl", "a.toml", "a.txt.gz", "a", "memory.jsonl"]
)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}\n",
        b'{"type": "entity", "name": "till", "observations": ["by the door"]}\n',
        b'[{"id": "1", "memory": "till"}]',
        b"\0\1\2",
        b"import os\n",
        b"[" * 100_000,
    ],
)
def test_what_is_of_no_format_is_refused(tmp_path: Path, file: str, data: bytes) -> None:
    """A file that nobody knows is refused in a sentence that names the formats."""
    path = put(tmp_path, file, data)
    with pytest.raises(UnknownFormat, match="claude-code, codex") as refused:
        recognise(str(path))
    assert refused.value.remedy == "name_format"


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    """A folder in which nothing can be imported says so, and so does a path to nowhere."""
    put(tmp_path, "a.py", "import os\n")
    with pytest.raises(UnknownFormat, match="the formats are agent-memory"):
        recognise(str(tmp_path))
    with pytest.raises(InvalidInput, match="There is no file"):
        recognise(str(tmp_path / "absent"))
    with pytest.raises(InvalidInput, match="There is no file"):
        by_name("codex").read(str(tmp_path / "absent"), lambda _: None)


def test_formats_have_names() -> None:
    """A format is found by its name, however it is written, and an unknown one names the others."""
    assert [by_name(format_.name) for format_ in FORMATS] == list(FORMATS)
    assert by_name(" Claude_Code ").name == "claude-code"
    with pytest.raises(UnknownFormat, match="'zip'; the formats are agent-memory, claude-code"):
        by_name("zip")


def test_a_format_that_is_named_is_meant(tmp_path: Path) -> None:
    """With a format named, a file is read by it, whatever its name and first bytes."""
    path = put(tmp_path, "notes.log", "The till is counted at six")
    assert [memory.content for memory in found(read(path, "markdown"))] == [
        "The till is counted at six"
    ]


def test_importing_the_package_imports_no_format() -> None:
    """The modules of formats are loaded when a file is shown to them, and not before."""
    code = (
        "import sys, agent_memory_os.importers\n"
        "print([n for n in ('codex', 'home', 'jsonl', 'claude_code', 'markdown')"
        " if f'agent_memory_os.importers.{n}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_text_that_is_named_is_a_note(tmp_path: Path) -> None:
    """Plain text is taken where it is named, and not where it is met."""
    path = put(tmp_path, "a.txt", "The till")
    put(tmp_path, "b.md", "The door")
    assert [memory.content for memory in found(read(path))] == ["The till"]
    assert [memory.content for memory in found(read(tmp_path))] == ["The door"]


def test_findings_have_no_extra_but_our_own(tmp_path: Path, sample: Sample) -> None:
    """Only an export of Agent Memory OS brings more than a memory's own fields."""
    for finding in read(put(tmp_path, sample.file, sample.data)):
        if isinstance(finding, Found):
            assert bool(finding.extra) == (sample.format == "agent-memory")
