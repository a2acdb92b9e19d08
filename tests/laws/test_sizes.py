"""How much the whole node holds is the operator's to know: in its metrics, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from agent_memory_os.errors import NotAllowed
from agent_memory_os.model.principal import Principal
from tests.api.served import AGENTS, Served, serving

WORDS = "quince marmalade"
MEASURE = ("operator", "metrics")
SIZES = re.compile(r"^agent_memory_(memories|file_bytes|log_bytes) (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Give a node that is served, in which ann keeps something for herself."""
    with serving() as found:
        found.add("ann", WORDS)
        yield found


def test_an_agent_is_refused_the_sizes(served: Served) -> None:
    """An agent, and somebody who is none, get a refusal that is the same whatever is there."""
    told = set()
    for principal in (Principal.of_agent("agt_" + "a" * 32), Principal(None, is_operator=False)):
        for number in range(2):
            with pytest.raises(NotAllowed) as refused:
                served.node.upkeep.sizes(principal)
            told.add(str(refused.value))
            served.add("eve", f"one more: {number} {principal.agent}")
    assert len(told) == 1


@pytest.mark.parametrize("who", [*AGENTS, "reader", ""])
def test_no_other_key_measures(served: Served, who: str) -> None:
    """Whoever may not measure gets a refusal without a number in it, at every such path."""
    done = served[who].get("/metrics")
    assert done.status_code == (403 if who else 401)
    assert not SIZES.search(done.text)
    for path in ("/healthz", "/readyz"):
        assert served[who].get(path).json() == {"status": "ok"}


@pytest.mark.parametrize("who", MEASURE)
def test_who_may_measure_gets_numbers_and_no_names(served: Served, who: str) -> None:
    """The metrics have the sizes of the whole node, and no content and no name of anybody."""
    before = {name: float(value) for name, value in SIZES.findall(served[who].get("/metrics").text)}
    memory = served.add("ann", f"{WORDS} for {who}")
    served["ann"].get(f"/v1/memories/{memory}")
    text = served[who].get("/metrics").text
    after = {name: float(value) for name, value in SIZES.findall(text)}
    assert set(after) == {"memories", "file_bytes", "log_bytes"}
    assert after["memories"] == before["memories"] + 1
    assert after["file_bytes"] > 0
    assert after["log_bytes"] > 0
    for hidden in (*AGENTS, *WORDS.split(), memory, "apollo", "site"):
        assert not re.search(rf"\b{hidden}\b", text)
