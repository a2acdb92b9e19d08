"""Links and tags in notes, and what programs put between tags of their own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.importers.injected import without
from agent_memory_os.importers.mention import links, tags
from agent_memory_os.recall.quote import TAG


def test_links_are_listed_once_and_in_order() -> None:
    """Parts and aliases name the same note, and what is embedded is no link."""
    text = "[[b]] [[a#part]] [[b|the other]] ![[picture.png]] [[ ]] [[x\ny]] [ [c]]"
    assert links(text) == ["b", "a"]


def test_tags_are_words_outside_code() -> None:
    """Headings, colours, numbers, addresses and code have no tags."""
    text = "# Head\n#tea/green and #绿茶, (#c) #fff #1 a#b x.com/#d `#e`\n```\n#f\n```\n#g-\n"
    assert tags(text) == ("tea/green", "绿茶", "c", "g")


def test_only_whole_pairs_are_taken_out() -> None:
    """Words about a tag, a tag with a longer name, and one that does not close stay."""
    assert without("a <note>x</note> b", ("note",)) == "a  b"
    assert without("<note kind='x'>y</note>b", ("note",)) == "b"
    assert without("a <notes>x</notes> <note>y</note>", ("note",)) == "a <notes>x</notes>"
    assert without("the <note> tag", ("note",)) == "the <note> tag"
    assert without("</note> a <note>", ("note",)) == "</note> a <note>"


def test_a_context_pack_goes_whatever_the_format() -> None:
    """What was recalled is not remembered again, under the tag that packs have."""
    pack = f'<{TAG} as-of="2026-11-01">\n| The till\n</{TAG}>'
    assert without(f"Close at six.\n{pack}", ()) == "Close at six."


def test_many_openings_take_one_pass() -> None:
    """A message of nothing but openings is read in the time of its length."""
    text = "<note" * 200_000 + "</note>"
    assert without(text, ("note",)) == text


@given(st.lists(st.tuples(st.text(alphabet="a <n", max_size=5), st.text(max_size=5))))
def test_what_stands_between_pairs_is_kept(parts: list[tuple[str, str]]) -> None:
    """Each pair goes with what is in it, and the words between pairs stay in their order."""
    inside = [hidden.replace("<", "") for _, hidden in parts]
    pairs = zip((words for words, _ in parts), inside, strict=True)
    text = "".join(f"{words}<note>{hidden}</note>" for words, hidden in pairs)
    assert without(text, ("note",)) == "".join(words for words, _ in parts).strip()
