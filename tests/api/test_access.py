"""Who asks is who the key says, and what it may do is what the key's kind may."""

from __future__ import annotations

import httpx
import pytest

from agent_memory_os.api.access import AS
from agent_memory_os.errors import AgentMemoryError, Busy, DamagedDatabase
from agent_memory_os.model.key import OPERATOR
from agent_memory_os.service.keys import Keys
from tests.api.served import AGENTS, Served


@pytest.mark.parametrize("who", AGENTS)
def test_a_key_is_its_agent(served: Served, who: str) -> None:
    """Whoever shows an agent's key acts as that agent, and as nobody else."""
    me = served[who].get("/v1/whoami").json()
    assert (me["agent"]["name"], me["operator"], me["rights"]) == (who, False, ["read", "write"])
    other = next(name for name in AGENTS if name != who)
    for named in (other, OPERATOR, "nobody", "", "*"):
        assert served[who].get("/v1/whoami", headers={AS: named}).status_code == 403
    for named in (who, me["agent"]["id"]):
        assert served[who].get("/v1/whoami", headers={AS: named}).json() == me


def test_the_operator_acts_as_itself_or_as_an_agent(served: Served) -> None:
    """The operator's key sees the whole node, or as an agent what that agent sees, if it is one."""
    kept = served.add("ann", "The operator looks for this.")
    path = f"/v1/memories/{kept}"
    assert served["operator"].get(path).status_code == 200
    assert served["operator"].get(path, headers={AS: "ann"}).status_code == 200
    assert served["operator"].get(path, headers={AS: "bob"}).status_code == 404
    assert served["operator"].get(path, headers={AS: "nobody"}).status_code == 404


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "Bearer",
        "Bearer amk_0000000000_wrong",
        "Bearer amk_",
        "Basic YW5uOmFubg==",
        "Bearer \xff\xfe",
        "amk_0000000000_wrong",
    ],
)
def test_what_is_no_key_opens_nothing(served: Served, shown: str) -> None:
    """Without a key that is valid here, on this machine too, there is no answer but 401."""
    shown_bytes = shown.encode("latin-1")
    done = served[""].get("/v1/whoami", headers=[(b"authorization", shown_bytes)])
    assert done.status_code == 401
    assert done.headers["www-authenticate"].startswith("Bearer")
    assert done.json()["code"] == "unauthenticated"


@pytest.mark.parametrize("kind", [DamagedDatabase, Busy])
def test_a_stranger_is_not_told_where_the_file_is(
    served: Served, monkeypatch: pytest.MonkeyPatch, kind: type[AgentMemoryError]
) -> None:
    """Where a key cannot be looked up, whoever shows one learns that, and nothing of the home."""

    def fail(_: Keys, __: str) -> None:
        raise kind("The file /home/ann/.agent-memory/node.db cannot be used.")

    monkeypatch.setattr(Keys, "authenticate", fail)
    answer = httpx.get(f"{served.url}/v1/whoami", headers={"authorization": "Bearer amk_x"})
    assert answer.status_code in (500, 503)
    assert answer.json()["code"] == kind.code
    assert "node.db" not in answer.text
    assert answer.json()["detail"].startswith("The node cannot look a key up")
