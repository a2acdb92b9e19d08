"""What has come from a peer, looked at before anything is locked.

A register whose form is right may still be one that can never be taken here; why, and what a
content says, is worked out when it comes, and not while others wait to write.
"""

from __future__ import annotations

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.canonical import encode_checked
from agent_memory_os.model.identifier import device_id
from agent_memory_os.model.memory import Content, check, from_value, is_usual, to_value
from agent_memory_os.model.register import CONTENT, DEVICE, Register
from agent_memory_os.store.lexical import text_of, words_of
from agent_memory_os.value import NamedTuple


class Arrival(NamedTuple):
    """A register that a device signed, with its digest, and the line that it came in.

    ``said`` are the canonical bytes of its value. ``content`` is what a content says, where the row
    of a memory can say all of it, and ``words`` are the terms that it is found by. ``fault`` is why
    it can never be taken; nothing if it can.
    """

    name: str
    register: Register
    signature: bytes
    line: bytes
    said: bytes
    content: Content | None
    words: str
    fault: str


def arrived(name: str, register: Register, signature: bytes, line: bytes) -> Arrival:
    """Return what has come, looked at."""
    content, words, fault = None, "", ""
    try:
        if register.group == CONTENT:
            found = check(from_value(register.value)[0])
            if is_usual(register.value) or to_value(found) == register.value:
                content = found
                words = words_of(text_of(found.content, found.summary, found.tags))
        elif register.group.startswith(DEVICE):
            fault = _fault_of_device(register)
    except AgentMemoryError as error:
        fault = str(error)
    return Arrival(name, register, signature, line, _said(register, line), content, words, fault)


def _fault_of_device(register: Register) -> str:
    keys = (str(register.value["sign"]), str(register.value["seal"]))
    if device_id(*keys) != register.group.removeprefix(DEVICE):
        return "its keys are not those that the device's id commits to"
    return ""


def _said(register: Register, line: bytes) -> bytes:
    """Return the canonical bytes of a register's value, cut out of its line where they end it."""
    before = f',"stamp":{register.stamp},"value":'.encode()
    at = -1 if register.unknown else line.find(before)
    if at < 0:
        return encode_checked(register.value)
    return line[at + len(before) :].removesuffix(b"\n")[:-1]
