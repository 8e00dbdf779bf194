"""Processes that begin warm: forked from one that has imported everything, so that none spends seconds on starting.

For tests that need a process, because they send it signals or end it, and many of them. That the command starts from
cold is tested elsewhere, once for every command.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

# Nothing is computed before the fork, so no library has begun threads that would be missing after it.
MOTHER = """
import json, os, signal, socket, sys, tempfile
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background inherits that Ctrl-C is ignored
import numba
import discreet.catalogue, discreet.workflow, discreet.cli.main
[getattr(discreet.workflow, name) for name in discreet.workflow.__all__]
discreet.catalogue.maskers(), discreet.catalogue.linkers(), discreet.catalogue.measures()
door = socket.socket(fileno=int(sys.argv[1]))
order = {}
while message := (received := socket.recv_fds(door, 2**20, 2))[0]:
    order, handles = json.loads(message), received[1]
    if "wait" in order:
        door.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])).encode())
        continue
    child = os.fork()
    if child == 0:
        door.close()
        for target, handle in enumerate(handles, start=1):
            os.dup2(handle, target)
            os.close(handle)
        os.environ.clear()
        os.environ.update(order["environment"])
        tempfile.tempdir = None
        os.chdir(order["folder"])
        sys.argv = ["-c", *order["arguments"]]
        exec(order["program"], {"__name__": "__main__"})
        break
    for handle in handles:
        os.close(handle)
    door.send(json.dumps(child).encode())
"""


class Process:
    """A process of the nursery, in the manner of `subprocess.Popen`."""

    def __init__(self, door: socket.socket, pid: int, stdout: IO[str], stderr: IO[str]) -> None:
        self._door = door
        self.pid = pid
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Read what the process says until it ends, and learn its exit code."""
        said: dict[str, str] = {}

        def read(name: str, stream: IO[str]) -> None:
            with stream:
                said[name] = stream.read()

        readers = [threading.Thread(target=read, args=one, daemon=True)
                   for one in (("out", self.stdout), ("err", self.stderr))]  # fmt: skip
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired("a process of the nursery", timeout or 0)
        self._door.send(json.dumps({"wait": self.pid}).encode())
        self.returncode = json.loads(self._door.recv(64))
        return said["out"], said["err"]


class Nursery:
    """The process that others are forked from."""

    def __init__(self) -> None:
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._mother = subprocess.Popen(
                [sys.executable, "-c", MOTHER, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def start(
        self, program: str, arguments: Sequence[Any], folder: Path, environment: Mapping[str, str] | None = None
    ) -> Process:
        """Begin a program in a folder, with these arguments."""
        order = {
            "program": program, "arguments": [str(one) for one in arguments], "folder": str(folder),
            "environment": {**os.environ, **(environment or {})},
        }  # fmt: skip
        pipes = [os.pipe(), os.pipe()]
        socket.send_fds(self._door, [json.dumps(order).encode()], [write for _, write in pipes])
        for _, write in pipes:
            os.close(write)
        answer = self._door.recv(64)
        assert answer, "the nursery is closed"
        stdout, stderr = (os.fdopen(read, encoding="utf-8", errors="replace") for read, _ in pipes)
        return Process(self._door, json.loads(answer), stdout, stderr)

    def run(
        self, program: str, arguments: Sequence[Any], folder: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        process = self.start(program, arguments, folder, environment)
        out, err = process.communicate()
        assert process.returncode is not None
        return subprocess.CompletedProcess(list(arguments), process.returncode, out, err)

    def close(self) -> None:
        """End the process that others were forked from."""
        self._door.close()
        self._mother.wait()
