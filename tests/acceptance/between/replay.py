"""Sending again what was said: to whom it was said and to others, as it was and changed, later.

Nothing of it may change anything. What is asked again is refused; so is what is answered again, by
whoever asked something else; so is whatever offers to speak in the open, or as nodes did earlier.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

import httpx

from agent_memory_os.federation import hello, identity, requests
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH
from agent_memory_os.federation.requests import INPUT, TO, Request, digest_of
from agent_memory_os.federation.transport.responder import HELLO, PULL, PUSH
from tests.acceptance.between.five import NAMES, Five
from tests.acceptance.between.machine import Here
from tests.acceptance.between.message import Exchange, exchanges
from tests.acceptance.between.way import OPEN, STALE

PAIRING = (OPEN_PATH, CLOSE_PATH)
SYNC = (HELLO, PULL, PUSH)
EACH = 1
"""So many requests of each kind are sent again for each two machines that are drawn."""

LATER_MS = (60_000, 200_000, 310_000, 3_600_000, 86_400_000)
"""How much later: within the time in which a request is good, and beyond it."""

OPENLY = b'{"object":"mem_x"}\n'

UNSAID = frozenset({"nonces", "usage", "terms"})
"""The tables that say nothing of what a node holds, or of whom it knows."""

NOTED = frozenset({"clock_offset", "tried_at", "seen_at", "fault", "failures"})
"""What a node notes of an exchange that failed."""


class Answer(NamedTuple):
    """What a node answers: the status, and the code of a problem."""

    status: int
    code: str


class Replayer:
    """Sends requests to the machines as somebody does who stands between them."""

    def __init__(self, five: Five) -> None:
        self.five = five
        self.machines: dict[str, Here] = {
            name: one for name, one in five.machines.items() if isinstance(one, Here)
        }
        self.clients = {
            name: httpx.Client(base_url=one.url, timeout=60) for name, one in self.machines.items()
        }
        self.devices = {name: identity.device(str(one.home)) for name, one in self.machines.items()}
        self.sent = 0

    def close(self) -> None:
        """Close the connections."""
        for client in self.clients.values():
            client.close()

    def send(
        self, name: str, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        """Send a request to a machine."""
        self.sent += 1
        headers = {key: value for key, value in headers.items() if key != "content-length"}
        answer = self.clients[name].request(method, target, headers=headers, content=body)
        code = answer.json()["code"] if answer.status_code >= 400 else ""
        return Answer(answer.status_code, code)

    def again(self, name: str, one: Exchange, **more: str) -> Answer:
        """Send a request again to a machine, with other headers."""
        headers = {**one.asked.headers, **more}
        return self.send(name, self.method(one), one.target, headers, one.asked.body)

    def method(self, one: Exchange) -> str:
        """Return the method of a request."""
        return one.asked.first.partition(" ")[0]

    def drawn(self) -> list[Exchange]:
        """Return what is sent again: requests of every kind, and all that paired."""
        every = [*exchanges(self.five.ways.said)]
        found = [one for one in every if one.target in PAIRING]
        for target in SYNC:
            some = [one for one in every if one.target == target]
            found += self.five.chance.sample(some, min(len(some), EACH * len(NAMES)))
        return found

    # -- requests

    def replays(self) -> Iterator[str]:
        """Send all that was drawn to everybody; give what was not refused as it must be."""
        drawn = self.drawn()
        for order in (drawn, drawn[::-1]):
            for one in order:
                for name in NAMES:
                    yield from self.wrong(one, name, self.again(name, one))
        for one in drawn:
            if one.target not in PAIRING:
                yield from self.changed(one)
        for later in LATER_MS:
            for machine in self.machines.values():
                machine.clock.ahead = later
            for one in drawn:
                answer = self.again(one.answerer, one)
                yield from self.wrong(one, one.answerer, answer, is_late=later > 300_000)
        for machine in self.machines.values():
            machine.clock.ahead = 0

    def wrong(
        self, one: Exchange, name: str, answer: Answer, *, is_late: bool = False
    ) -> Iterator[str]:
        """Give what a machine answered to what it was sent again, where that is not right."""
        if one.target in PAIRING:
            right = {Answer(409, "bad_code"), Answer(429, "limit_reached")}
        elif name != one.answerer:
            right = {Answer(401, "unauthenticated")}
        else:
            right = {Answer(401, "clock_apart" if is_late else "replayed")}
        if answer not in right:
            yield f"{one.asked.first} of {one.asker} to {one.answerer}, again to {name}: {answer}"

    def changed(self, one: Exchange) -> Iterator[str]:
        """Send a request changed in each way to whom it was sent; give what was not refused."""
        other = next(name for name in NAMES if name not in (one.asker, one.answerer))
        asker, stranger = self.devices[one.asker].id, self.devices[other].id
        headers, body = one.asked.headers, one.asked.body
        signed = {name: headers[name] for name in headers}
        elsewhere = next(target for target in SYNC if target != one.target)
        input_of = headers[INPUT].replace(asker, stranger)
        unsigned = {name: headers[name] for name in headers if not name.startswith("sig")}
        to, path = one.answerer, one.target
        sends = {
            "path": (to, "POST", elsewhere, signed, body),
            "query": (to, "POST", f"{path}?again=1", signed, body),
            "method": (to, "PUT", path, signed, body),
            "key id": (to, "POST", path, {**signed, INPUT: input_of}, body),
            "to": (other, "POST", path, {**signed, TO: stranger}, body),
            "unsigned": (to, "POST", path, unsigned, body),
        }
        for how, send in sends.items():
            answer = self.send(*send)
            if answer != Answer(401, "unauthenticated"):
                yield f"{one.asked.first} with another {how}: {answer}"
        # What is signed of a body is its digest, and no name of a host is: those came before.
        yield from self.wrong(one, to, self.again(to, one, host="elsewhere.example:8765"))
        yield from self.wrong(one, to, self.send(to, "POST", path, signed, body + b" "))

    def kept_back(self) -> Iterator[str]:
        """Keep a request back and hand it in later: it is taken once, and by nobody else."""
        way = self.five.between["mira", "desk"]
        before = len(self.five.ways.said)
        way.fault, way.answer = STALE, b""
        self.five.machines["mira"].sync("desk")
        way.fault = OPEN
        [one, *_] = exchanges(
            [
                said._replace(answered=bytearray(b"\r\n\r\n"))
                for said in self.five.ways.said[before:]
            ]
        )
        for name in ("lap", "bob", "zoe"):
            yield from self.wrong(one, name, self.again(name, one))
        if self.again("desk", one).status not in (200, 204):
            yield "what was kept back for a moment is not taken"
        yield from self.wrong(one, "desk", self.again("desk", one))

    # -- answers

    def answers(self) -> Iterator[str]:
        """Answer what machines ask with what was answered before; give what was believed."""
        every = [one for one in exchanges(self.five.ways.said) if one.said and one.answered]
        for asker, answerer in (("mira", "desk"), ("zoe", "bob"), ("lap", "desk")):
            way = self.five.between[asker, answerer]
            same = [one for one in every if (one.asker, one.answerer) == (asker, answerer)]
            others = [one for one in every if one.asker == answerer or one.answerer == asker]
            for target in SYNC:
                some = [one for one in same if one.target == target][-1:]
                some += [one for one in others if one.target == target][-1:]
                for one in some:
                    way.fault, way.answer = STALE, one.said
                    done = self.five.machines[asker].sync(answerer)[answerer]
                    if done.state != "failed" or done.moved:
                        yield f"{asker} believed an answer to {one.asked.first}: {done}"
            way.fault = OPEN

    # -- downgrade

    def downgrades(self) -> Iterator[str]:
        """Offer the open and older protocols; give what was not refused."""
        for what, answer in (*self.offered(), *self.unsigned(), *self.on_the_way()):
            if answer.status not in range(400, 500):
                yield f"{what}: {answer}"

    def offered(self) -> Iterator[tuple[str, Answer]]:
        """Offer them as a peer does, with its signature."""
        mira, desk = self.devices["mira"], self.devices["desk"].id
        ours = hello.Hello(mira.id, desk, self.machines["desk"].clock())
        older = ours._replace(oldest=0, newest=0)
        for said in (ours._replace(seals=(hello.PLAIN,)), ours._replace(seals=()), older):
            line = hello.written(said, mira)
            yield f"a hello as {line!r}", self.signed(mira, "desk", HELLO, line)
        for target in (PULL, PUSH):
            for body in (OPENLY, b"{}\n", b"plain\n"):
                yield f"{body!r} to {target}", self.signed(mira, "desk", target, body)

    def unsigned(self) -> Iterator[tuple[str, Answer]]:
        """Offer them as nobody, or with a key of one's own."""
        for target in SYNC:
            for path in (target, target.replace("/v1/", "/v0/"), target.replace("/v1", "")):
                for headers in ({}, {"authorization": "Bearer 0123456789abcdef"}):
                    yield f"{path} with {headers}", self.send("desk", "POST", path, headers, OPENLY)

    def on_the_way(self) -> Iterator[tuple[str, Answer]]:
        """Have what peers offer offer them, on its way."""
        for one in exchanges(self.five.ways.said):
            if one.target == HELLO and one.answerer == "desk":
                plain = one.asked.body.replace(hello.SEAL.encode(), hello.PLAIN.encode())
                answer = self.send("desk", "POST", HELLO, one.asked.headers, plain)
                yield "a hello that was changed on its way", answer

    def signed(self, device: Device, name: str, target: str, body: bytes) -> Answer:
        """Send what a device signs."""
        request = Request("POST", target, digest_of(body), self.devices[name].id)
        now = self.machines[name].clock()
        headers = requests.sign_request(request, device, now=now, nonce=secrets.token_hex(16))
        return self.send(name, "POST", target, headers, body)

    # -- what a node holds

    def digests(self) -> dict[str, str]:
        """Return a digest of all that each machine holds and of whom it knows."""
        return {name: _digest(one) for name, one in self.machines.items()}


def _digest(machine: Here) -> str:
    found = sha256()
    with machine.node.context.database.read() as snapshot:
        names = snapshot.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        for (name,) in names:
            if name not in UNSAID and not name.startswith("sqlite_"):
                columns = snapshot.rows("SELECT name FROM pragma_table_info(?)", (name,))
                wanted = [one for (one,) in columns if one not in NOTED]
                rows = snapshot.rows(f"SELECT {', '.join(wanted)} FROM {name}")
                found.update(repr((name, sorted(map(repr, rows)))).encode())
    return found.hexdigest()
