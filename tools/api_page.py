"""Make docs/reference/api.md and docs/reference/openapi.json from the routes themselves.

The page is read from the schema, and the schema from the code, so that neither can promise an
operation, a parameter or a status that is not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from agent_memory_os.api import contract
from agent_memory_os.api.app import routers, routes
from agent_memory_os.wire.problem import TITLES

HEAD = """\
# HTTP API

<!-- Made from agent_memory_os/api/ by `make generate`; do not edit. -->

What a served node answers. [openapi.json](openapi.json) says the same to programs; a node gives it
at `/v1/openapi.json`.

{description}
**Who may.** *Read*, *write*, *operate* and *measure* are rights. An agent's key reads and writes as
that agent, a reader's reads as its agent, a key for metrics measures, and the operator's does all
of it. A session of a browser has the operator's rights.

**Problems.** Beside those that an operation names, every one can answer {always}; with a key needed
also {keyed}; where it changes something {changing}; where it takes a body {with_body}. The `code`
of a problem is one of the [errors](errors.md).

| status | means |
|---|---|
{statuses}

## Headers of a request

| header | says |
|---|---|
{request_headers}

## Headers of an answer

| header | says |
|---|---|
{response_headers}
"""
RIGHTS = {"": "Open to everybody.", "read": "Read.", "write": "Write.", "operate": "Operate.",
          "measure": "Measure."}  # fmt: skip


FIELDS = "| field | type | means |\n|---|---|---|\n"


@cache
def document() -> dict[str, Any]:
    """Return the schema of the API."""
    return routes().openapi()


def schema() -> str:
    """Give the text of openapi.json."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def render() -> str:
    """Give the page's text."""
    components = document()["components"]
    titles = {code: f"{title}." for code, title in TITLES.items()}
    told = {**contract.STATUSES, **titles}
    parts = [
        HEAD.format(
            description=contract.DESCRIPTION,
            always=_statuses(contract.ALWAYS),
            keyed=_statuses(contract.KEYED),
            changing=_statuses(contract.CHANGING),
            with_body=_statuses(contract.WITH_BODY),
            statuses=_table(told.items()),
            request_headers=_headers(components["parameters"]),
            response_headers=_headers(components["headers"]),
        )
    ]
    every = list(contract.operations(document()))
    for tag in dict.fromkeys(str(router.tags[0]) for router in routers()):
        parts.append(f"\n## {tag.capitalize()}\n")
        for path, method, operation in every:
            if operation["tags"] == [tag]:
                parts += _operation(path, method, operation)
    parts.append("\n## Shapes\n")
    parts += [_shape(name, one) for name, one in components["schemas"].items()]
    return "".join(parts)


def _statuses(statuses: tuple[int, ...]) -> str:
    return ", ".join(map(str, statuses))


def _table(rows: Any) -> str:  # noqa: ANN401 - pairs
    return "\n".join(f"| `{name}` | {meaning} |" for name, meaning in rows)


def _headers(headers: dict[str, Any]) -> str:
    return _table((name, header["description"]) for name, header in headers.items())


def _operation(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"\n### {method.upper()} {path}\n\n{operation['summary']}"
    if operation["description"] != operation["summary"]:
        yield f" {operation['description']}"
    yield f"\n\n{RIGHTS[operation['x-right']]}"
    own = [one for one in operation["parameters"] if "$ref" not in one]
    headers = [one["$ref"].rpartition("/")[2] for one in operation["parameters"] if "$ref" in one]
    special = [name for name in headers if name.startswith("If-")]
    if special:
        yield f" Takes {' and '.join(f'`{name}`' for name in special)}."
    if "requestBody" in operation:
        ((kind, body),) = operation["requestBody"]["content"].items()
        yield f" Body ({kind}): {_type(body.get('schema', {}))}."
    yield "\n"
    if own:
        yield "\n| parameter | in | type | means |\n|---|---|---|---|\n"
        for one in own:
            mark = "" if one.get("required") else _default(one["schema"])
            yield (
                f"| `{one['name']}` | {one['in']} | {_type(one['schema'])}{mark} | "
                f"{one.get('description', '')} |\n"
            )
    yield f"\nAnswers: {_answers(operation)}.\n"


def _answers(operation: dict[str, Any]) -> str:
    shared = {*contract.ALWAYS, *contract.KEYED, *contract.CHANGING, *contract.WITH_BODY}
    told = []
    for status, response in operation["responses"].items():
        if "$ref" in response:
            told += [] if int(status) in shared else [f"`{status}`"]
            continue
        content = response.get("content", {})
        kinds = [
            _type(one["schema"]) if kind == "application/json" else kind
            for kind, one in content.items()
        ]
        told.append(f"`{status}`" + (f" {' or '.join(kinds)}" if kinds else ""))
    return ", ".join(told)


def _shape(name: str, schema: dict[str, Any]) -> str:
    lines = [f"\n### {name}\n\n{schema.get('description', '')}\n\n", FIELDS]
    required = schema.get("required", [])
    for field, one in schema.get("properties", {}).items():
        mark = "" if field in required else _default(one)
        lines.append(f"| `{field}` | {_type(one)}{mark} | {one.get('description', '')} |\n")
    return "".join(lines)


def _default(schema: dict[str, Any]) -> str:
    default = schema.get("default")
    if default in (None, "", [], {}):
        return ", optional"
    return f", else `{json.dumps(default)}`"


def _type(schema: dict[str, Any]) -> str:
    for word, told in TYPES.items():
        if word in schema:
            return told(schema[word])
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return {"date-time": "time"}.get(schema.get("format", ""), kind)


def _named(reference: str) -> str:
    name = reference.rpartition("/")[2]
    return f"[{name}](#{name.lower()})"


TYPES: dict[str, Callable[[Any], str]] = {
    "$ref": _named,
    "anyOf": lambda kinds: " or ".join(map(_type, kinds)),
    "enum": lambda words: " or ".join(f"`{one}`" for one in words),
    "const": lambda word: f"`{word}`",
}
