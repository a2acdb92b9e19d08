"""Recall in plain lines."""

from __future__ import annotations

from agent_memory_os.model.recall import ContextPack, Decision
from agent_memory_os.recall.explain import explain, explain_pack
from tests.recall.sample import candidate, hit, memory, state


def test_a_hit_is_explained_by_its_parts() -> None:
    """A hit's line tells its place, score, marks, who found it, and the parts, largest first."""
    one = hit(memory(1), 0.5, "conflict")._replace(
        parts={"match": 0.17, "question": -0.03, "bm25": 0.16, "after": 0.03},
        providers=("lexical", "pinned"),
    )
    parts = "match +0.170, bm25 +0.160, after +0.030, question -0.030"
    assert explain(state(hits=[one], terms=["gateway", "port"])) == (
        "Looked for: gateway, port.",
        f"1. {memory(1).id} 0.500 CONFLICT (by lexical and pinned): {parts}",
    )


def test_nothing_found_is_said() -> None:
    """Without hits the explanation says so, and why, and what was looked for."""
    found = state(terms=[])._replace(notes=("Too common.",))
    assert explain(found) == ("Looked for: no words.", "Nothing was found.", "Too common.")


def test_what_was_not_admitted_leaves_no_trace() -> None:
    """Candidates that did not come through the gate are neither named nor counted."""
    with_hidden = state(candidates=[candidate(7, bm25=1.0)])
    assert explain(with_hidden) == explain(state())


def test_a_pack_is_explained_by_its_decisions() -> None:
    """A pack's lines tell what it costs, and what was decided about each hit."""
    packed = ContextPack(
        text="…",
        tokens=1_200,
        budget=2_000,
        hits=(),
        decisions=(Decision("mem_a", "too_large", "Too long.", 20_000),),
        notes=("Note.",),
    )
    assert explain_pack(packed) == (
        "1,200 of 2,000 tokens.",
        "mem_a: too large, 20,000 tokens. Too long.",
        "Note.",
    )


def test_an_empty_pack_is_explained() -> None:
    """A pack of no hits says that nothing was found."""
    packed = ContextPack(text="", tokens=0, budget=100, hits=(), decisions=())
    assert explain_pack(packed) == ("0 of 100 tokens.", "Nothing was found.")
