"""How a command's help is laid out: the same whatever version of Typer makes it."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

_HYPHEN = "\u2010"
"""Stands for ``-`` while lines are broken: what is to be typed is not cut in two."""


class Helped(TyperCommand):
    """A command whose help shows each argument as it is written, and no types of Python."""

    def get_help(self, ctx: Any) -> str:  # noqa: ANN401 - Typer's, or click's
        """Return the whole help."""
        return str(super().get_help(ctx)).replace(_HYPHEN, "-")

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write what the command does."""
        plain, self.help = self.help, _unbroken(self.help or "")
        super().format_help_text(ctx, formatter)
        self.help = plain

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as above
        """Return what stands behind the command in the line of usage."""
        return [*map(argument_name, self._arguments()), "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the arguments, then the options."""
        arguments = [(argument_name(one).strip("[]"), one.help or "") for one in self._arguments()]
        options = [
            one.get_help_record(ctx)
            for one in self.get_params(ctx)
            if one.param_type_name == "option"
        ]
        for title, told in (("Arguments", arguments), ("Options", options)):
            if told:
                with formatter.section(title):
                    records = [record for record in told if record]
                    formatter.write_dl([(name, _unbroken(text)) for name, text in records])

    def _arguments(self) -> list[Any]:
        return [one for one in self.params if one.param_type_name == "argument"]


def _unbroken(text: str) -> str:
    return text.replace("-", _HYPHEN)


def argument_name(parameter: Any) -> str:  # noqa: ANN401 - a class of Typer or of click
    """Return an argument as a line of usage shows it: ``QUERY...``, ``[CONTENT]``."""
    name = str(parameter.metavar or parameter.name.upper())
    if parameter.nargs == -1 and not name.endswith("..."):
        name += "..."
    return name if parameter.required else f"[{name}]"
