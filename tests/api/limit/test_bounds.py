"""What a request may make the server do is bounded, whatever its body holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pydantic import ValidationError

from agent_memory_os.wire.schema.field import Closed
from tests.api.operation import OPERATIONS, Operation, document
from tests.api.served import Served

MANY = 20_000
"""So many values fit into a body many times over."""

FEW = 1_500
"""So many faults cost a server nothing that anybody notices."""

CHANGING = [one for one in OPERATIONS if "application/json" in str(one.schema.get("requestBody"))]


def closed(kind: type[Closed] = Closed) -> Iterator[type[Closed]]:
    """Yield the models of all that is asked for."""
    for one in kind.__subclasses__():
        yield one
        yield from closed(one)


MODELS = list(dict.fromkeys(closed()))


def faults(model: type[Closed], given: dict[str, Any]) -> int:
    """Return how many faults are found in a body."""
    with pytest.raises(ValidationError) as raised:
        model.model_validate(given)
    return raised.value.error_count()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_many_faults_are_as_few(model: type[Closed]) -> None:
    """However much is wrong in a body, little is said of it: each fault costs memory and time."""
    assert faults(model, {f"x{number}": 0 for number in range(MANY)}) < FEW
    for name in model.model_fields:
        for wrong in (object(), {}, "a"):
            with suppress(ValidationError):
                model.model_validate({name: [wrong] * FEW})
                continue
            assert faults(model, {name: [wrong] * MANY}) < FEW, name


def arrays(part: object) -> Iterator[dict[str, Any]]:
    """Yield each array in a part of the schema, with what it refers to."""
    if isinstance(part, dict):
        if part.get("type") == "array":
            yield part
        name = part.get("$ref", "").rpartition("/")[2]
        yield from arrays(document()["components"]["schemas"].get(name))
        for one in part.values():
            yield from arrays(one)
    elif isinstance(part, list):
        for one in part:
            yield from arrays(one)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_each_list_has_an_end(operation: Operation) -> None:
    """A list in a request has a greatest length, which the schema tells."""
    asked = [operation.schema.get("requestBody"), operation.schema["parameters"]]
    assert all(one["maxItems"] <= FEW for one in arrays(asked))


@pytest.mark.parametrize("operation", CHANGING, ids=str)
def test_a_body_of_many_names_is_refused_by_one(served: Served, operation: Operation) -> None:
    """A body with a great many unknown fields is told the first of them, in one sentence."""
    shown = served["ann" if operation.right in ("read", "write") else "operator"]
    body = {**(operation.body or {}), **{f"x{number}": 0 for number in range(MANY)}}
    answer = shown.request(operation.method, operation.at(), json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"] == "x0: there is no field of this name."
