"""Counters for Prometheus: how many requests of which route took how long. No content, no names."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from agent_memory_os.service.upkeep.report import Sizes

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

_SIZES = {
    "memories": "Memories in the whole node, forgotten ones too.",
    "file_bytes": "Bytes of the node's file.",
    "log_bytes": "Bytes of its write-ahead log.",
}


class Metrics:
    """The counters of one server."""

    def __init__(self, version: str) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "agent_memory_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "agent_memory_request_seconds",
            "How long requests took, by route.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.streams = Gauge(
            "agent_memory_event_streams", "Open streams of events.", registry=self._registry
        )
        self._sizes = {
            name: Gauge(f"agent_memory_{name}", words, registry=self._registry)
            for name, words in _SIZES.items()
        }
        info = Gauge("agent_memory_info", "The version.", ("version",), registry=self._registry)
        info.labels(version).set(1)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that is over."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, sizes: Sizes) -> bytes:
        """Return all counters, and how much the node holds, in Prometheus's text format."""
        for name, value in sizes._asdict().items():
            self._sizes[name].set(value)
        return generate_latest(self._registry)
