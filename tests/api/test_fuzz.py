"""Whatever is sent to the API, it answers as its schema says, and never with a fault.

Schemathesis makes requests from the schema, right ones and wrong ones, sends them to a node that is
served, and looks at the answers with all the checks that it has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection

from tests.api.operation import document
from tests.api.served import Served, serving

AS = "Agent-Memory-As"
KEY_OF = {"": "ann", "read": "ann", "write": "ann", "measure": "metrics", "operate": "operator"}
"""With whose key an operation is called, by the right that it needs."""

AGENTS = ("ann", "bob")
RULES = ["2xx", "3xx", "401", "403", "404", "409", "410", "412", "422", "429"]
"""What a change may be answered with that fits the schema: JSON Schema knows no names of agents, no
versions and no order of times. A read that fits it is never refused."""

NO_MODEL = ["400", "403"]
"""What whoever wants facts extracted is answered: a node has no language model."""

CONFIG = SchemathesisConfig.from_dict(
    {
        "operations": [
            {**chosen, "checks": {"positive_data_acceptance": {"expected-statuses": statuses}}}
            for chosen, statuses in (
                ({"include-path": "/v1/memory/extract"}, NO_MODEL),
                ({"include-method": ["POST", "PUT", "PATCH", "DELETE"]}, RULES),
                ({"include-path": "/v1/timeline"}, RULES),
                ({"include-path": "/api/timeline"}, RULES),
            )
        ]
    }
)


FILES = ("application/x-ndjson", "application/octet-stream")


@schemathesis.serializer(*FILES)
def as_text(_: schemathesis.SerializationContext, value: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Send what is drawn for a file as its text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


SCHEMA = schemathesis.openapi.from_dict(document(), config=CONFIG).exclude(path="/v1/events")
"""All but the stream of events, which does not end: ``routes/test_events.py`` tries that one."""

SOME = settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=list(HealthCheck),
)


class Target(NamedTuple):
    """A node that is served to whoever sends it anything, and what there is on it."""

    served: Served
    places: dict[str, str]

    def call(self, case: schemathesis.Case[Any]) -> None:
        """Send a request with the key that it needs, and look at the answer with all checks."""
        who = KEY_OF[case.operation.definition.raw["x-right"]]
        key = {"Authorization": f"Bearer {self.served.keys[who]}"}
        self._lead(case, who)
        # Any text is a file: what is no record in it is reported, and no reason to refuse it all.
        is_file = case.media_type in FILES
        beside: list[Any] = [negative_data_rejection] if is_file else []
        case.call_and_validate(base_url=self.served.url, headers=key, excluded_checks=beside)

    def _lead(self, case: schemathesis.Case[Any], who: str) -> None:
        """Lead most requests to what is there: else nearly all of them would be for nothing."""
        named = case.headers.get(AS)
        if named is not None and len(named) % 8:
            case.headers[AS] = who
        if case.meta is not None and case.meta.generation.mode.is_positive:
            for name, given in case.path_parameters.items():
                if name in self.places and len(str(given)) % 8:
                    case.path_parameters[name] = self.places[name]


@pytest.fixture
def target() -> Iterator[Target]:
    """Give a node with two memories of ann's and a fleet, for one operation."""
    with serving() as served:
        words = ("The harbour opens at nine.", "The ferry leaves at ten.")
        memory, other = (served.add("ann", text, audience="team:apollo") for text in words)
        places = {"agent": "bob", "team": "apollo", "project": "site", "key": "eve", "owner": "bob"}
        yield Target(served, {**places, "memory": memory, "other": other})


@SCHEMA.parametrize()
@SOME
def test_an_operation_answers_as_its_schema_says(
    case: schemathesis.Case[Any], target: Target
) -> None:
    """An operation that is sent anything gives one of the answers that the schema tells."""
    target.call(case)


def memories_in(part: object) -> Iterator[dict[str, Any]]:
    """Yield every memory in an answer."""
    if isinstance(part, dict):
        if str(part.get("id", "")).startswith("mem_") and "grants" in part:
            yield part
        for one in part.values():
            yield from memories_in(one)
    elif isinstance(part, list):
        for one in part:
            yield from memories_in(one)


class Conversation(SCHEMA.as_state_machine()):  # type: ignore[misc]
    """Requests that follow each other, of two agents and the operator, on one node."""

    def setup(self) -> None:
        """Begin on a new node, which makes the same ids each time."""
        self.count = 0
        self.opened = ExitStack()
        self.served = self.opened.enter_context(serving(seed="conversation"))

    def teardown(self) -> None:
        """Stop serving the node."""
        self.opened.close()

    def get_call_kwargs(self, case: schemathesis.Case[Any]) -> dict[str, Any]:
        """Let the agents take turns; what needs the operator is the operator's."""
        self.count += 1
        right = case.operation.definition.raw["x-right"]
        self.who = AGENTS[self.count % 2] if KEY_OF[right] == "ann" else KEY_OF[right]
        if AS in case.headers:
            case.headers[AS] = self.who
        key = {"Authorization": f"Bearer {self.served.keys[self.who]}"}
        return {"base_url": self.served.url, "headers": key}

    def after_call(self, response: Any, case: schemathesis.Case[Any]) -> None:  # noqa: ANN401
        """See that nobody else gets what an agent has for itself."""
        super().after_call(response, case)
        if self.who not in AGENTS or "json" not in response.headers.get("content-type", [""])[0]:
            return
        for memory in memories_in(json.loads(response.content)):
            if memory["owner"] == self.who and not memory["grants"]:
                other = AGENTS[1 - AGENTS.index(self.who)]
                found = self.served[other].get(f"/v1/memories/{memory['id']}")
                assert found.status_code == 404, (memory, other)


@pytest.mark.hypothesis
def test_a_conversation_goes_as_its_schema_says() -> None:
    """Whatever follows what, answers fit the schema, and what is private stays with its owner."""
    Conversation.run(settings=settings(SOME, stateful_step_count=12))
