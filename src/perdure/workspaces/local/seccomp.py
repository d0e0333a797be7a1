"""A filter for the kernel calls that no build, test or shell needs, and that widen the way out of a sandbox."""

import errno
import platform
import struct

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER_OFFSET, ARCHITECTURE_OFFSET, FIRST_ARGUMENT_OFFSET = 0, 4, 16
FOREIGN_NUMBERS = 0x40000000
HYPERVISOR_SOCKETS = 40
"""The family of sockets that no network namespace holds: they lead to the host of a virtual machine."""
SOCKET = {"x86_64": 41, "aarch64": 198}
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

REFUSED = {
    "x86_64": (
        103, 155, 163, 164, 165, 166, 167, 168, 169, 172, 173, 175, 176, 179, 227, 246, 248, 249, 250, 272, 298, 304,
        308, 313, 320, 321, 323,
    ),
    "aarch64": (
        39, 40, 41, 60, 89, 97, 104, 105, 106, 112, 116, 142, 170, 217, 218, 219, 224, 225, 241, 265, 268, 273, 280,
        282, 294,
    ),
}  # fmt: skip
REFUSED_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)
"""Numbers of io_uring and of the newer mount calls, the same on every architecture."""


def program(machine: str | None = None) -> bytes:
    """The filter as bubblewrap wants it; nothing for a machine we have no table for.

    Refused: mounting, namespaces, kernel modules, keys, BPF, performance events, userfaultfd, io_uring, file handles,
    clocks, swap, reboot, accounting, the kernel's log, sockets to a hypervisor.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        return b""
    numbers = (*REFUSED[machine], *REFUSED_EVERYWHERE)
    refuse_at = len(numbers) + 3
    steps = [
        _step(LOAD, ARCHITECTURE_OFFSET),
        _step(JUMP_EQUAL, ARCHITECTURES[machine], yes=1),
        _step(RETURN, REFUSE | errno.ENOSYS),
        _step(LOAD, NUMBER_OFFSET),
        _step(JUMP_AT_LEAST, FOREIGN_NUMBERS, yes=refuse_at + 1),
        *(_step(JUMP_EQUAL, number, yes=refuse_at - place) for place, number in enumerate(numbers)),
        _step(JUMP_EQUAL, SOCKET[machine], no=2),
        _step(LOAD, FIRST_ARGUMENT_OFFSET),
        _step(JUMP_EQUAL, HYPERVISOR_SOCKETS, yes=1),
        _step(RETURN, ALLOW),
        _step(RETURN, REFUSE | errno.EPERM),
    ]
    return b"".join(steps)


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
