"""Files on their way in and out: through a file in the home, and never whole in memory.

What is sent is written first, so that a reader that is slow holds no state of the database, and its
length is known: who gets less knows that something is missing. What is received is read when all of
it is there: who stops half way has done nothing. Such a file has no name, or goes by one that the
doctor knows, and is nobody else's to read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import IO, BinaryIO, cast

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from agent_memory_os.api.door import Door
from agent_memory_os.errors import DiskFull, InvalidInput
from agent_memory_os.settings import DATABASE
from agent_memory_os.store.file.copy import PARTIAL
from agent_memory_os.store.file.disk import free_bytes, told_as_refusal

LINES = "application/x-ndjson"
LEAST_FREE = 134_217_728
"""Bytes of the disk that nothing which is received or sent may take."""

_CHUNK = 262_144
_BETWEEN_LOOKS = 16_777_216


@asynccontextmanager
async def received(request: Request, door: Door) -> AsyncIterator[str]:
    """Give the path of a file with a request's body, which is gone afterwards."""
    home = door.node.context.home
    with (
        told_as_refusal(home),
        tempfile.NamedTemporaryFile(dir=home, prefix=f"{DATABASE}.", suffix=PARTIAL) as file,
    ):
        await _take(request, file, home)
        yield file.name


@asynccontextmanager
async def held(request: Request, home: str) -> AsyncIterator[BinaryIO]:
    """Give a file with a request's body, in memory where it is small."""
    with (
        told_as_refusal(home),
        tempfile.SpooledTemporaryFile(_CHUNK, dir=home) as file,
    ):
        await _take(request, file, home)
        file.seek(0)
        yield cast("BinaryIO", file)


async def _take(request: Request, file: IO[bytes], home: str) -> None:
    pending = bytearray()
    looked_at, size = -_BETWEEN_LOOKS, 0
    try:
        async for chunk in request.stream():
            pending += chunk
            size += len(chunk)
            if len(pending) >= _CHUNK:
                await run_in_threadpool(file.write, bytes(pending))
                pending.clear()
            if size - looked_at >= _BETWEEN_LOOKS:
                looked_at = size
                _check_room(home)
    except ClientDisconnect as error:
        raise InvalidInput("The body ended before it was whole.") from error
    await run_in_threadpool(file.write, bytes(pending))
    await run_in_threadpool(file.flush)


def _check_room(home: str) -> None:
    if free_bytes(home) < LEAST_FREE:
        raise DiskFull(f"The disk that holds {home} is nearly full; nothing was done.")


def written(pieces: Iterable[bytes], home: str) -> BinaryIO:
    """Return a file without a name that holds these pieces."""
    with told_as_refusal(home):
        file = tempfile.TemporaryFile(dir=home)  # noqa: SIM115 - whoever gets it closes it
        try:
            looked_at = -_BETWEEN_LOOKS
            for piece in pieces:
                if file.tell() - looked_at >= _BETWEEN_LOOKS:
                    looked_at = file.tell()
                    _check_room(home)
                file.write(piece)
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file


def sent(file: BinaryIO, kind: str | None, headers: Mapping[str, str]) -> StreamingResponse:
    """Return an answer with a file, piece by piece; the file is closed when it is over."""
    length = str(file.seek(0, os.SEEK_END))
    file.seek(0)
    return StreamingResponse(
        _pieces(file), media_type=kind, headers={**headers, "content-length": length}
    )


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while piece := await run_in_threadpool(file.read, _CHUNK):
            yield piece
