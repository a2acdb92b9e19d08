"""The schema of the API says of each operation all that whoever calls it may rely on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agent_memory_os.api import contract
from agent_memory_os.api.guard import OPEN
from agent_memory_os.model.key import RIGHTS
from agent_memory_os.wire.problem import MEDIA_TYPE, TITLES
from tests.api.operation import OPERATIONS, Operation, document


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return what a part of the schema is or refers to."""
    if "$ref" not in part:
        return part
    found: Any = document()
    for word in part["$ref"].removeprefix("#/").split("/"):
        found = found[word]
    return resolved(found)


def parameters(operation: Operation) -> dict[str, dict[str, Any]]:
    """Return the parameters of an operation by name."""
    every = [resolved(one) for one in operation.schema["parameters"]]
    return {one["name"]: one for one in every}


def references(part: object) -> Iterator[str]:
    """Yield whatever a part of the schema refers to."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for one in part.values():
            yield from references(one)
    elif isinstance(part, list):
        for one in part:
            yield from references(one)


def test_the_schema_is_whole() -> None:
    """Whatever the schema refers to is in it, and no operation has the name of another."""
    assert document()["openapi"].startswith("3.1")
    for reference in set(references(document())):
        assert resolved({"$ref": reference})
    names = [operation.schema["operationId"] for operation in OPERATIONS]
    assert len(set(names)) == len(names)
    for link in document()["components"]["links"].values():
        assert link["operationId"] in names
    assert set(contract.MADE) <= set(names)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_says_who_may(operation: Operation) -> None:
    """An operation is open, or says which key or session and which right it takes."""
    is_open = operation.path in OPEN
    assert operation.schema["security"] == ([] if is_open else [{"key": []}, {"session": []}])
    right = operation.schema["x-right"]
    assert right == "" if is_open else right in set().union(*RIGHTS.values())
    assert is_open or "Agent-Memory-As" in parameters(operation)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_tells_what_it_takes(operation: Operation) -> None:
    """Each parameter and field of a body has its meaning, and what is needed has an example."""
    assert operation.schema["summary"].endswith(".")
    for name, parameter in parameters(operation).items():
        assert parameter.get("description"), name
        assert not parameter["required"] or "example" in parameter, name
    if "requestBody" in operation.schema:
        for kind, body in operation.schema["requestBody"]["content"].items():
            schema = resolved(body.get("schema", {}))
            assert kind != "application/json" or schema.get("examples"), operation


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_tells_what_it_answers(operation: Operation) -> None:
    """Each status is known; a problem is a problem document, and anything else has its shape."""
    assert any(status[0] in "23" for status in operation.schema["responses"])
    for status, response in operation.schema["responses"].items():
        shown = resolved(response)
        assert "X-Request-Id" in shown["headers"]
        if int(status) in TITLES:
            assert set(shown["content"]) == {MEDIA_TYPE}
        elif status in ("200", "201"):
            ((kind, content),) = shown["content"].items()
            assert kind != "application/json" or content["schema"], operation


@pytest.mark.parametrize("name", document()["components"]["schemas"])
def test_every_field_is_told(name: str) -> None:
    """Each field of what is sent or answered has its meaning."""
    schema = document()["components"]["schemas"][name]
    assert schema["description"]
    for field, one in schema.get("properties", {}).items():
        assert one.get("description"), f"say what {field!r} means in wire/schema"
