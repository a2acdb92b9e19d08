"""Immutable values, and the words of ``typing`` that run: without loading ``typing``.

Loading ``typing`` and making forty classes with its ``NamedTuple`` is a third of what a cold
command may cost beyond starting Python. A checker sees ``typing``'s own names here; a running
program gets a :class:`NamedTuple` that is made of ``collections.namedtuple`` and behaves the same
(fields, defaults, methods, properties, ``_replace``), and a ``cast`` that returns what it is given.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple, cast
else:

    class _Maker(type):
        """Turns a class body with annotations into a tuple with named fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            """Return the class: the root as it is, and what derives from it as a tuple."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.pop("__annotations__", {}))
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults)  # noqa: PYI024 - it stands for typing's
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """An immutable value whose fields are the annotations of its class."""

    def cast(kind: object, value: object) -> object:  # noqa: ARG001 - a checker reads it
        """Return the value: only a checker looks at the kind."""
        return value


__all__ = ["TYPE_CHECKING", "NamedTuple", "cast"]
