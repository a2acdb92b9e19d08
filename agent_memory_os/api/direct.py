"""Routes that read their query themselves, for reads that are asked for all the time.

FastAPI looks at each parameter of a query apart, which takes it longer than to find a memory. Here
the model looks at all of them at once. The signature of an endpoint says the same as ever, so that
the schema is made from it as from any other.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query as QueryParameter
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams

from agent_memory_os.api.access import reading

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Direct(APIRoute):
    """The route of an endpoint that takes the request, a caller who may read, and a query's model.

    Any other endpoint is served as ever.
    """

    def get_route_handler(self) -> Handler:
        """Return what answers a request."""
        endpoint = self.endpoint
        hints = get_type_hints(endpoint, include_extras=True)
        if [*hints] != ["request", "caller", "narrow", "return"] or not _is_query(hints["narrow"]):
            return super().get_route_handler()
        model = get_args(hints["narrow"])[0]

        async def handle(request: Request) -> Response:
            caller = await reading(request)
            answer: Response = await endpoint(request, caller, read(model, request.query_params))
            return answer

        return handle


def _is_query(hint: object) -> bool:
    return any(isinstance(more, QueryParameter) for more in get_args(hint)[1:])


def read(model: type[BaseModel], query: QueryParams) -> BaseModel:
    """Return a query as its model; of a parameter that is given twice and is no list, the last.

    Raises :class:`RequestValidationError` where it does not fit.
    """
    lists = _lists(model)
    given = {name: query.getlist(name) if name in lists else query[name] for name in query}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        faults = [{**fault, "loc": ("query", *fault["loc"])} for fault in error.errors()]
        raise RequestValidationError(faults) from error


@cache
def _lists(model: type[BaseModel]) -> frozenset[str]:
    fields = model.model_fields.items()
    return frozenset(name for name, field in fields if get_origin(field.annotation) is list)
