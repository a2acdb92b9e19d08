"""A folder may be left in any state by whoever writes to it: what is not a whole bundle is none."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.errors import Refused
from agent_memory_os.federation.hello import MAX_LINE_BYTES
from agent_memory_os.federation.transport.folder import HELLO, FolderTransport
from tests.federation.sample import ANN, BOB, NOW
from tests.federation.transport.way import in_folder

PLACE = Path(BOB.id) / ANN.id
NAME = f"{NOW:015}-{0:032x}.bundle"

DYING = """
import os, sys
from agent_memory_os.federation.transport.folder import FolderTransport
def pieces():
    yield b"half"
    sys.stdout.write("half")
    sys.stdout.flush()
    os.kill(os.getpid(), 9)
folder, device, peer = sys.argv[1:]
FolderTransport(folder, device, peer, lambda: 1, lambda: "0" * 32).push(pieces())
"""


def names(folder: Path) -> list[str]:
    """Return the names of what lies in the inbox."""
    return sorted(os.listdir(folder / PLACE))


def read(folder: Path) -> list[bytes]:
    """Return what Bob's end reads, without taking it."""
    return [delivery.file.read() for delivery in in_folder(folder)(BOB.id, ANN.id).pull()]


def test_the_form_of_the_folder(tmp_path: Path) -> None:
    """A bundle is one file, in the sender's folder below the recipient's; so is a hello."""
    ann = in_folder(tmp_path)(ANN.id, BOB.id)
    ann.push([b"bundle"])
    ann.hello(b"hello\n")
    first, second = names(tmp_path)
    assert first.startswith(f"{NOW:015}-")
    assert first.endswith(".bundle")
    assert second == HELLO
    assert os.listdir(tmp_path) == [BOB.id]


def test_names_grow_where_the_clock_does_not(tmp_path: Path) -> None:
    """Bundles are in their order also where the clock went back between them."""
    now = NOW
    end = FolderTransport(str(tmp_path), ANN.id, BOB.id, lambda: now, lambda: "f" * 32)
    for one in (b"1", b"2", b"3"):
        end.push([one])
        now -= 50_000
    assert read(tmp_path) == [b"1", b"2", b"3"]


def test_a_write_that_was_interrupted_is_ignored(tmp_path: Path) -> None:
    """What a sender that was killed half way leaves is read by nobody, and cleared a day later."""
    arguments = [sys.executable, "-c", DYING, str(tmp_path), ANN.id, BOB.id]
    died = subprocess.run(arguments, capture_output=True, check=False)
    assert (died.returncode, died.stdout) == (-9, b"half")
    (left,) = names(tmp_path)
    assert read(tmp_path) == []
    path = tmp_path / PLACE / left
    os.utime(path, (NOW / 1000, NOW / 1000))
    ann = in_folder(tmp_path)(ANN.id, BOB.id)
    ann.push([b"1"])
    assert left in names(tmp_path)
    os.utime(path, (NOW / 1000 - 90_000, NOW / 1000 - 90_000))
    ann.push([b"2"])
    assert left not in names(tmp_path)
    assert read(tmp_path) == [b"1", b"2"]


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    """While a bundle is written slowly, whoever looks sees none of it, and then all."""
    seen: list[list[bytes]] = []

    def slowly() -> Iterator[bytes]:
        for _ in range(10):
            yield b"x" * 1000
            seen.append(read(tmp_path))

    in_folder(tmp_path)(ANN.id, BOB.id).push(slowly())
    assert seen == [[]] * 10
    assert read(tmp_path) == [b"x" * 10_000]


def test_what_is_no_plain_file_is_passed_over(tmp_path: Path) -> None:
    """Links, pipes, folders and other names in the inbox are neither followed nor waited for."""
    inbox = tmp_path / PLACE
    inbox.mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    (inbox / NAME.replace("0.", "1.")).symlink_to(secret)
    os.mkfifo(inbox / NAME.replace("0.", "2."))
    (inbox / NAME.replace("0.", "3.")).mkdir()
    for name in ("notes.txt", f".{NAME}", f"{NAME}.part", f"{NAME}.tmp", f"x{NAME}"):
        (inbox / name).write_bytes(b"other")
    (inbox / HELLO).symlink_to(secret)
    assert read(tmp_path) == []
    assert in_folder(tmp_path)(BOB.id, ANN.id).hello(b"hello\n") is None
    (inbox / NAME).write_bytes(b"bundle")
    assert read(tmp_path) == [b"bundle"]


@pytest.mark.parametrize("part", [BOB.id, str(PLACE)])
def test_a_link_leads_nobody_elsewhere(tmp_path: Path, part: str) -> None:
    """Where a folder of the exchange is a link, nothing is written, read or removed through it."""
    other = tmp_path / "other"
    (other / ANN.id).mkdir(parents=True)
    link = tmp_path / "folder" / part
    link.parent.mkdir(parents=True)
    link.symlink_to(other)
    ann, bob = (
        in_folder(tmp_path / "folder")(*way) for way in ((ANN.id, BOB.id), (BOB.id, ANN.id))
    )
    for act in (lambda: ann.push([b"1"]), lambda: ann.hello(b"x"), lambda: list(bob.pull())):
        with pytest.raises(Refused, match="is a link"):
            act()
    assert list(other.rglob("*")) == [other / ANN.id]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where files cannot be locked, they are read all the same."""

    def fail(_file: int, _how: int) -> None:
        raise OSError(95, "Operation not supported")

    in_folder(tmp_path)(ANN.id, BOB.id).push([b"1"])
    monkeypatch.setattr(fcntl, "flock", fail)
    assert read(tmp_path) == [b"1"]


def test_a_hello_of_any_length_is_read_so_far(tmp_path: Path) -> None:
    """Of a hello no more is read than shows that it is too long."""
    (tmp_path / PLACE).mkdir(parents=True)
    (tmp_path / PLACE / HELLO).write_bytes(b"x" * 100_000)
    shown = in_folder(tmp_path)(BOB.id, ANN.id).hello(b"hello\n")
    assert shown == b"x" * (MAX_LINE_BYTES + 1)


def test_a_folder_that_is_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a bundle cannot be removed, it comes again, and nobody fails for it."""
    in_folder(tmp_path)(ANN.id, BOB.id).push([b"1"])

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "unlink", refuse)
    for delivery in in_folder(tmp_path)(BOB.id, ANN.id).pull():
        delivery.taken()
    assert read(tmp_path) == [b"1"]


def test_a_disk_that_fails_is_told_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses is one sentence, whether at writing, reading or removing."""
    (tmp_path / "file").write_bytes(b"")
    end = FolderTransport(str(tmp_path / "file"), ANN.id, BOB.id, lambda: NOW, lambda: "0" * 32)
    for act in (lambda: end.push([b"1"]), lambda: end.hello(b"x"), lambda: list(end.pull())):
        with pytest.raises(Refused, match="cannot be used"):
            act()
    in_folder(tmp_path)(ANN.id, BOB.id).push([b"1"])
    (delivery,) = in_folder(tmp_path)(BOB.id, ANN.id).pull()

    def fail(path: str) -> None:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(os, "unlink", fail)
    with pytest.raises(Refused, match="Input/output"):
        delivery.taken()


def test_many_readers_take_each_bundle_once(tmp_path: Path) -> None:
    """However many processes read one inbox at a time, each bundle is applied by one of them."""
    for number in range(60):
        in_folder(tmp_path)(ANN.id, BOB.id).push([b"%d" % number])
    found: list[bytes] = []

    def take() -> None:
        for delivery in in_folder(tmp_path)(BOB.id, ANN.id).pull():
            found.append(delivery.file.read())
            time.sleep(0.001)
            delivery.taken()

    readers = [threading.Thread(target=take) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(map(int, found)) == list(range(60))
    assert read(tmp_path) == []
