"""Who is in charge of a team, and which of its organisation's registers count.

A team's id commits to its founder, who is its first admin. A *hand-over* by the admin names the
next one; of two that an admin made, the earlier one counts (the lower stamp, then the digest). The
founder's recovery key takes the team back at any time: such a *recovery* has a turn, one more than
the last that was seen, and the highest turn is where the line of admins begins anew.

Each register of a team and its projects names, under ``relies``, the hand-over or recovery that
put its author in charge (none: it is the founder). It counts while its author is in charge by it
and nothing ended that; once a hand-over or a recovery did, it counts only if that lists it. So who
handed a team over, or lost it, can neither date back nor act on; what one of its devices did
meanwhile and the hand-over had not seen does not count either, and is shown as such. Where the list
is not here, what takes away (a removal, a narrowing) counts by itself: whoever is out is never sent
the lists, and has to believe its removal.
"""

from __future__ import annotations

from agent_memory_os.model.authority.device import Devices, signer
from agent_memory_os.model.authority.held import Held, Named
from agent_memory_os.model.merge import newest
from agent_memory_os.model.register import TEAM_ADMIN, TEAM_LIFE, Register
from agent_memory_os.value import NamedTuple

NOT_ADMIN = "its author was not in charge of the team"
HANDED_OVER = "the team was handed over or taken back, and this was not among what remained"
UNLISTED = "the list that would tell whether it remained is not here"
NOT_CHOSEN = "another hand-over counts"


class Step(NamedTuple):
    """One in the line of admins: the register that put it in charge (none: founder), and who."""

    name: str
    admin: str
    register: Register | None


class Teams:
    """Judges the registers of teams and projects. A project's are judged by its team's line."""

    def __init__(self, held: Held, devices: Devices) -> None:
        self.held = held
        self.devices = devices
        self._lines: dict[str, list[Step]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._reasons: dict[str, str] = {}

    def team_of(self, object_id: str) -> str:
        """Return the team that a team or project belongs to; empty where it is not known."""
        if object_id.startswith("team_"):
            return object_id
        return next(iter(self.held.proof(object_id)), "")

    def admin(self, team: str) -> str:
        """Return the account that is in charge now; empty where the team is not known."""
        line = self.line(team)
        return line[-1].admin if line else ""

    def admins(self, team: str) -> set[str]:
        """Return every account that was ever in charge, as far as is known, and the founder."""
        found = {step.admin for step in self.line(team)}
        return found | set(self.held.proof(team)[:1])

    def in_charge(self, team: str) -> str:
        """Return what a register by the present admin names as what it relies on."""
        line = self.line(team)
        return line[-1].name if line else ""

    def line(self, team: str) -> list[Step]:
        """Return the line of admins, from the founder or the last recovery on."""
        if team not in self._lines:
            line = self._lines[team] = self._follow(team)
            self._places[team] = {step.name: place for place, step in enumerate(line)}
        return self._lines[team]

    def turn(self, team: str) -> int:
        """Return the turn of the last recovery; 0 where there was none."""
        return max((int(one.value["turn"]) for _, one in self._recoveries(team)), default=0)

    def reason(self, name: str, register: Register) -> str:
        """Return why a register of a team or project does not count; nothing where it does."""
        if name not in self._reasons:
            self._reasons[name] = self.devices.reason(name, register) or self._judge(name, register)
        return self._reasons[name]

    def counting(self, object_id: str, group: str) -> list[Named]:
        """Return the registers of a team or project, of one group, that count."""
        return [one for one in self.held.of(object_id, group) if not self.reason(*one)]

    def ending(self, object_id: str, group: str) -> list[Named]:
        """Return those of one group that count, or may: for what takes away, both do."""
        found = self.held.of(object_id, group)
        return [one for one in found if self.reason(*one) in ("", UNLISTED)]

    def may_have_been(self, register: Register) -> bool:
        """Say whether a register's author was in charge by what it names, whatever came after.

        By a line of steps of this very team: one of another team puts nobody in charge here.
        """
        team = self.team_of(register.object)
        founder = next(iter(self.held.proof(team)), "")
        while register.group != TEAM_ADMIN or signer(register) == "device":
            by = relied(register, team)
            if not by:
                break
            step = self.held.registers.get(by)
            if step is None or (step.object, step.group) != (team, TEAM_ADMIN):
                return False
            if step.value["to"] != register.author:
                return False
            register = step
        return register.author == founder

    def projects(self, team: str) -> list[str]:
        """Return the projects of a team that somebody made who may have been in charge."""
        return [
            project
            for project in self.held.projects(team)
            if any(self.may_have_been(one) for _, one in self.held.about(project))
        ]

    def is_alive(self, object_id: str) -> bool:
        """Say whether a team, or a project and its team, was not removed."""
        last = newest([one for _, one in self.counting(object_id, _life_of(object_id))])
        if last is not None and last.value["state"] == "removed":
            return False
        team = self.team_of(object_id)
        return team == object_id or self.is_alive(team)

    def _follow(self, team: str) -> list[Step]:
        founder = next(iter(self.held.proof(team)), "")
        if not founder:
            return []
        steps: dict[str, list[tuple[int, str, Register]]] = {}
        for name, one in self.held.of(team, TEAM_ADMIN):
            if signer(one) == "device" and not self.devices.reason(name, one):
                steps.setdefault(relied(one, team), []).append((one.stamp, name, one))
        line = [self._start(team, founder)]
        while found := [
            step for step in steps.get(line[-1].name, ()) if step[2].author == line[-1].admin
        ]:
            _, name, one = min(found)
            line.append(Step(name, str(one.value["to"]), one))
        return line

    def _start(self, team: str, founder: str) -> Step:
        found = self._recoveries(team)
        if not found:
            return Step("", founder, None)
        turn = max(found, key=lambda one: (one[1].value["turn"], one[1].stamp, one[0]))
        return Step(turn[0], str(turn[1].value["to"]), turn[1])

    def _recoveries(self, team: str) -> list[Named]:
        founder = self.held.proof(team)[:1]
        return [
            (name, one)
            for name, one in self.held.of(team, TEAM_ADMIN)
            if signer(one) != "device" and (one.author,) == founder
        ]

    def _judge(self, name: str, register: Register) -> str:
        team = self.team_of(register.object)
        line = self.line(team)
        if not line:
            return NOT_ADMIN
        if register.group == TEAM_ADMIN:
            return "" if name in self._places[team] else NOT_CHOSEN
        reason = self.judge_by_line(team, name, register, relied(register, team))
        return NOT_ADMIN if reason == UNLISTED and not self.may_have_been(register) else reason

    def judge_by_line(self, team: str, name: str, register: Register, by: str) -> str:
        """Return why a register does not count that relies on one step of a team's line."""
        line, scope = self.line(team), scope_of(register.object)
        place = self._places[team].get(by)
        if place is None:
            return NOT_ADMIN if line[0].register is None else self._remains(line[0], scope, name)
        if register.author != line[place].admin:
            return NOT_ADMIN
        if place + 1 == len(line):
            return ""
        return self._remains(line[place + 1], scope, name)

    def _remains(self, step: Step, scope: str, name: str) -> str:
        listed = self.held.remains(step.register, scope) if step.register else None
        if listed is None:
            return UNLISTED
        return "" if name in listed.names else HANDED_OVER


def _life_of(object_id: str) -> str:
    return TEAM_LIFE if object_id.startswith("team_") else "project.life"


def scope_of(object_id: str) -> str:
    """Return the scope of a team's or project's id."""
    return f"team:{object_id}" if object_id.startswith("team_") else f"project:{object_id}"


def relied(register: Register, team: str) -> str:
    """Return the hand-over or recovery that a register's author is in charge by, if any."""
    return register.relies.get(f"team:{team}", "")
