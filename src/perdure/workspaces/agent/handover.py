"""The place for what commands must not reach where nobody inside may change users: a neighbour hands it over.

Two containers of a pod share a folder for one socket. The neighbour alone sees the records and the settings with their
token. It gives them away once, to the agent program, which asks before any command can, and leaves.
"""

from __future__ import annotations

import os
import socket
import struct
import time

from perdure.workspaces.agent.problems import invalid

NEIGHBOUR_SECONDS = 60.0
LOOK_SECONDS = 0.005
LENGTH = struct.Struct(">I")
MOST_BYTES = 4 * 1024 * 1024


def give(path: str, config: str, records: str) -> None:
    """Hand the settings and an open folder to the first who asks. The neighbour imports this module and no more."""
    with open(config, "rb") as file:
        settings = file.read()
    folder = os.open(records, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.settimeout(NEIGHBOUR_SECONDS)
        listening.bind(path + ".new")
        listening.listen(1)
        # Whoever finds the name finds somebody who listens.
        os.rename(path + ".new", path)
        taker, _ = listening.accept()
        os.unlink(path)
    with taker:
        socket.send_fds(taker, [LENGTH.pack(len(settings))], [folder])
        taker.sendall(settings)


def take(path: str) -> tuple[bytes, int]:
    """The settings and the folder of records, from the neighbour."""
    deadline = time.monotonic() + NEIGHBOUR_SECONDS
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(NEIGHBOUR_SECONDS)
        while True:
            try:
                asking.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(LOOK_SECONDS)
        head, folders, _, _ = socket.recv_fds(asking, LENGTH.size, 1)
        if len(head) != LENGTH.size or len(folders) != 1:
            raise invalid("the neighbour handed over nothing")
        (length,) = LENGTH.unpack(head)
        with asking.makefile("rb") as file:
            content = file.read(min(length, MOST_BYTES))
    if len(content) != length:
        raise invalid("the neighbour did not hand over everything")
    return content, folders[0]
