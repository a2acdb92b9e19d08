"""What every request passes: the node, who may come in, what they have used, what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from agent_memory_os.api.meter import Meter
from agent_memory_os.api.metrics import Metrics
from agent_memory_os.api.sessions import Sessions
from agent_memory_os.api.stream.streams import Streams
from agent_memory_os.federation.transport.responder import Peering
from agent_memory_os.service.node import LocalNode

MAX_BODY = 8 * 1024 * 1024
"""Bytes of a JSON body: a memory of the largest size fits, however it is escaped."""

MAX_HELD = 32 * MAX_BODY
"""Bytes of all such bodies that are held in memory at once."""


class Door(NamedTuple):
    """The parts that routes and guards share.

    ``hosts`` are the names that a browser may address this server by, and ``origins`` the pages
    of other hosts that may call it. ``uid`` is the home's owner, who needs no key on the socket.
    ``url`` is where people reach the server.
    ``ending`` is set when the server is told to end: whatever streams without end ends then,
    such as ``streams`` of events. ``peering`` is what answers peers; without it nobody does.
    ``called`` is what strangers are told that this node is called, if anything.
    """

    node: LocalNode
    clock: Callable[[], int]
    sessions: Sessions
    meter: Meter
    metrics: Metrics
    hosts: frozenset[str]
    origins: frozenset[str]
    uid: int
    ending: asyncio.Event
    streams: Streams
    max_body: int = MAX_BODY
    max_held: int = MAX_HELD
    url: str = ""
    peering: Peering | None = None
    called: str = ""
