"""The pages of the documentation agree with the project and with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import agent_memory_os

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)")
HEAD = re.compile(r"^#+ +(.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"^\*\*(.+?)\*\*", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A link from one page to a file of the project finds it."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_anchors_lead_somewhere(page: Path) -> None:
    """A link to a part of a page finds a heading of that name there."""
    named = ANCHOR.findall(page.read_text(encoding="utf-8"))
    assert not [(target, part) for target, part in named if part not in parts(page, target)]


def parts(page: Path, target: str) -> set[str]:
    """Return the names by which the parts of a page, or of the one that it names, are linked to."""
    text = (page.parent / target if target else page).read_text(encoding="utf-8")
    heads = HEAD.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_dependency_is_told() -> None:
    """Each package that is asked for, also by developers, has its line with its reason."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = [re.split(r"[<>=\[]", wanted)[0] for group in groups for wanted in group]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    told = " ".join(re.findall(r"^\| *([^|]+)", page, re.MULTILINE))
    own = project["name"]  # an extra that is made of other extras
    unknown = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", told)]
    assert set(unknown) <= {own}


def test_every_page_is_in_the_index() -> None:
    """The index of the documentation leads to each of its pages, but for single decisions."""
    docs = ROOT / "docs"
    text = (docs / "README.md").read_text(encoding="utf-8")
    listed = {(docs / target).resolve() for target in LINK.findall(text)}
    records = set((docs / "adr").glob("0*.md"))
    inside = {page for page in PAGES if docs in page.parents} - {docs / "README.md"}
    assert inside - listed - records == set()


def test_every_method_of_the_sdk_is_told() -> None:
    """The page on Python names each method and property of the client."""
    text = (ROOT / "docs" / "guide" / "sdk.md").read_text(encoding="utf-8")
    public = [name for name in vars(agent_memory_os.MemoryClient) if not name.startswith("_")]
    assert not [name for name in public if not re.search(rf"\b{name}\b", text)]


def test_the_changelog_begins_with_this_version() -> None:
    """The newest entry of the changelog is the version of the package."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+?)\]", text, re.MULTILINE)
    assert newest
    assert newest[1] == agent_memory_os.__version__


def test_the_glossary_is_in_order() -> None:
    """Each part of the glossary is sorted, and no word is defined twice."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    parts = [WORD.findall(part) for part in text.split("\n## ")[1:]]
    assert parts == [sorted(part, key=str.casefold) for part in parts]
    words = [word for part in parts for word in part]
    assert len(words) == len(set(words))
