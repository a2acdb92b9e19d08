"""Plain notes: whole where they are short, by sections where they are long."""

from __future__ import annotations

from pathlib import Path

from agent_memory_os.importers.note import WHOLE
from tests.importers.sample import found, put, read, said

WORDS = "The till is counted each evening at six. "


def test_a_short_note_is_one_memory(tmp_path: Path) -> None:
    """The front matter gives title, tags and date, and the text gives tags and links."""
    text = (
        "---\ntitle: Till\ndescription: When it is counted\ntags: [money, 'till']\n"
        "created: 2026-11-01\n---\n\n# Till\n\nCounted at six #evening, "
        "see [[Door#Lock|the door]].\n"
    )
    (memory,) = found(read(put(tmp_path, "Till.md", text)))
    assert memory.content == "# Till\n\nCounted at six #evening, see [[Door#Lock|the door]]."
    assert memory.summary == "Till › When it is counted"
    assert memory.tags == ("money", "till", "evening")
    assert memory.source["links"] == ["Door"]
    assert memory.source["line"] == 8
    assert memory.event_at == 1793491200000
    assert memory.type == "note"


def test_a_note_may_say_its_type(tmp_path: Path) -> None:
    """A type that is one of ours is taken, and any other is not."""
    text = "---\ntype: {}\n---\n\nWords."
    (ours,) = found(read(put(tmp_path, "a.md", text.format("decision"))))
    (other,) = found(read(put(tmp_path, "b.md", text.format("person"))))
    assert (ours.type, other.type) == ("decision", "note")


def test_a_long_note_is_one_memory_a_section(tmp_path: Path) -> None:
    """Sections keep their heading and know the path to it; empty ones are left out."""
    text = f"# Kiosk\n\n## Till\n\n{WORDS * 30}\n\n## Empty\n\n## Door\n\n- {WORDS * 30}\n- x\n"
    memories = found(read(put(tmp_path, "kiosk.md", text)))
    assert [memory.summary for memory in memories] == ["Kiosk › Till", "Kiosk › Door"]
    assert memories[0].content == f"## Till\n\n{(WORDS * 30).strip()}"
    assert memories[1].content == f"## Door\n\n- {(WORDS * 30)}\n- x"


def test_a_long_section_is_cut_between_its_paragraphs(tmp_path: Path) -> None:
    """No part is longer than it must be, no word is lost, and code stays in one piece."""
    code = "```\n" + "step\n\n" * 300 + "```"
    text = "# Kiosk\n\n" + f"{WORDS * 10}\n\n" * 12 + code + "\n"
    parts = said(read(put(tmp_path, "kiosk.md", text)))
    assert len(parts) > 2
    assert all(len(part) <= WHOLE + len(WORDS) * 10 for part in parts)
    assert sum(part.count("counted") for part in parts) == 120
    assert code in parts[-1]


def test_a_note_without_words_is_no_memory(tmp_path: Path) -> None:
    """A title alone says nothing, and a description alone says something."""
    put(tmp_path, "a.md", "# Kiosk\n\n## Till\n")
    put(tmp_path, "b.md", "---\ndescription: Counted at six\n---\n")
    put(tmp_path, "c.md", "\n\n")
    assert said(read(tmp_path)) == ["Counted at six"]


def test_a_date_in_the_name_dates_the_note(tmp_path: Path) -> None:
    """A note of a day that is about one thing has the day's date, unless it says another."""
    (memory,) = found(read(put(tmp_path, "2026-11-01-till.md", WORDS)))
    assert memory.event_at == 1793491200000
