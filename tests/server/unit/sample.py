"""A service and a timer, with every character that a system could take amiss."""

from __future__ import annotations

from agent_memory_os.server.unit.job import At, Every, Job

HOME = '/home/sam/100% "mine" & <ours>'
SERVICE = Job(
    "agent-memory-1f2e3d4c",
    f"Agent Memory at {HOME}",
    HOME,
    ("/opt/agent memory/bin/agent-memory", "--home", HOME, "serve", "--log-file", "/l$og\\x.log"),
    f"{HOME}/logs/server.log.begin",
)
TIMER = Job(
    "agent-memory-backup",
    "A backup each night",
    "/home/sam/.agent-memory",
    ("/opt/bin/agent-memory", "--home", "/home/sam/.agent-memory", "backup", "/b", "--keep", "7"),
    "/home/sam/.agent-memory/logs/backup.log",
    At(3, 5),
)
EVERY = TIMER._replace(
    name="agent-memory-sync",
    title="Exchange with peers",
    command=("/opt/bin/agent-memory", "--home", "/home/sam/.agent-memory", "sync", "auto"),
    log="/home/sam/.agent-memory/logs/sync.log",
    at=Every(5),
)
JOBS = {"service": SERVICE, "timer": TIMER, "every": EVERY}
