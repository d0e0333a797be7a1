"""What the proxy of a workspace costs on this machine: time for each request, and how much throughput it leaves."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, create_server, socket
from statistics import median
from threading import Thread
from uuid import uuid4

from perdure.core.errors import Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.core.timing import BUILD_STEP_LONGEST
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Network, Plan
from perdure.workspaces.egress.certificates import Authority, HostCertificates, new_authority
from perdure.workspaces.egress.control import EgressOptions
from perdure.workspaces.egress.proxy import PORT
from perdure.workspaces.egress.rules import ArmedRule, Credential, Rule
from perdure.workspaces.local.driver import LocalDriver

ADDED_BAR_MILLISECONDS = 2.0
THROUGHPUT_BAR = 0.8
MEBIBYTE = 1 << 20
SMALL = 1_000
SENT_AT_ONCE = 4 * MEBIBYTE
HERE = ("127.0.0.0/8",)
WAYS = ("plain", "closed", "opened")
"""HTTP; TLS that goes through as it is; TLS that is opened for a credential."""
HOSTS = {way: f"{way}.bench.invalid" for way in WAYS}

# The same program asks inside through the proxy, and outside directly.
CLIENT = """
import json, socket, ssl, sys, time
host, port, proxy, trust, new, kept = json.load(sys.stdin)
context = ssl.create_default_context(cafile=trust) if trust else None
whole = f"http://{host}:{port}" if proxy and not trust else ""
asked = f"GET {whole}/1000 HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode()

def connected():
    sock = socket.create_connection(("127.0.0.1", proxy or port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if proxy and trust:
        sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
        said = sock.recv(65536)
        assert b" 200 " in said, said
    return context.wrap_socket(sock, server_hostname=host) if context else sock

def once(sock):
    sock.sendall(asked)
    said = b""
    while b"\\r\\n\\r\\n" not in said or len(said.partition(b"\\r\\n\\r\\n")[2]) < 1000:
        piece = sock.recv(65536)
        assert piece, said
        said += piece
    assert b" 200 " in said[:20], said

def timed(work):
    begun = time.perf_counter()
    result = work()
    return (time.perf_counter() - begun) * 1000, result

def fresh():
    with connected() as sock:
        once(sock)

with connected() as sock:
    once(sock)
    again = [timed(lambda: once(sock))[0] for _ in range(kept)]
print(json.dumps([[timed(fresh)[0] for _ in range(new)], again]))
"""


@dataclass(slots=True)
class WayCost:
    """One way: milliseconds of requests on new and on kept connections, and MiB a second; directly and through."""

    new: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    kept: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    speed: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    @property
    def added(self) -> float:
        return median(self.kept[1]) - median(self.kept[0])

    @property
    def added_new(self) -> float:
        return median(self.new[1]) - median(self.new[0])

    @property
    def left(self) -> float:
        return median(self.speed[1]) / median(self.speed[0])


EgressCost = Mapping[str, WayCost]


class BenchServers:
    """One server over TLS and one without. The path says how many bytes come."""

    def __init__(self) -> None:
        self.authority: Authority = new_authority("bench")
        self._certificates = HostCertificates(self.authority)
        self._body = memoryview(os.urandom(SENT_AT_ONCE))
        self._sockets = [create_server(("127.0.0.1", 0)) for _ in range(2)]
        for listening, secure in zip(self._sockets, (False, True), strict=True):
            Thread(target=self._accept, args=(listening, secure), daemon=True).start()

    def port(self, way: str) -> int:
        return int(self._sockets[way != "plain"].getsockname()[1])

    def close(self) -> None:
        for listening in self._sockets:
            listening.close()

    def _accept(self, listening: socket, secure: bool) -> None:
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(accepted, secure), daemon=True).start()

    def _serve(self, sock: socket, secure: bool) -> None:
        with sock:
            try:
                sock.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
                if secure:
                    # One certificate serves all names: the client here is told which to expect by each.
                    context = self._certificates.context(HOSTS["closed"])
                    context.sni_callback = lambda opened, name, _: setattr(
                        opened, "context", self._certificates.context(name or HOSTS["closed"])
                    )
                    with context.wrap_socket(sock, server_side=True) as opened:
                        self._answer(opened)
                else:
                    self._answer(sock)
            except OSError:
                return

    def _answer(self, sock: socket) -> None:
        while head := sock.recv(65_536):
            size = int(head.split(b" ", 2)[1].rpartition(b"/")[2])
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            while size:
                piece = self._body[: min(size, SENT_AT_ONCE)]
                sock.sendall(piece)
                size -= len(piece)


async def measured(requests: int, mebibytes: int, rounds: int) -> EgressCost:
    """Directly and through the proxy in turns, so that both meet the same machine."""
    with _serving() as servers, tempfile.TemporaryDirectory(prefix="perdure-") as root:
        # Workspaces run as users of their own.
        os.chmod(root, 0o711)  # noqa: PTH101, S103
        names = tuple((host, ("127.0.0.1",)) for host in HOSTS.values())
        driver = LocalDriver(Path(root), egress=EgressOptions(servers.authority.certificate, names))
        plan = Plan(WorkspaceId(uuid4()), network=Network.ALLOW)
        await driver.create(plan)
        try:
            async with await driver.start(plan) as client:
                await driver.egress(plan).tell(_rules(servers))
                sides = (Outside(Path(root), servers), Inside(client))
                costs = {way: WayCost() for way in WAYS}
                for _ in range(rounds):
                    for way, cost in costs.items():
                        for side, place in enumerate(sides):
                            await _round(place, way, servers.port(way), cost, (side, requests, mebibytes))
                return costs
        finally:
            await driver.remove(plan)


@contextmanager
def _serving() -> Generator[BenchServers]:
    servers = BenchServers()
    try:
        yield servers
    finally:
        servers.close()


def _rules(servers: BenchServers) -> list[ArmedRule]:
    credential = Credential("key")
    plain = Rule(HOSTS["plain"], scheme="http", port=servers.port("plain"), networks=HERE)
    closed = Rule(HOSTS["closed"], port=servers.port("closed"), networks=HERE)
    opened = Rule(HOSTS["opened"], port=servers.port("opened"), networks=HERE, credential=credential)
    return [ArmedRule(plain), ArmedRule(closed), ArmedRule(opened, field=credential.field("secret"))]


class Outside:
    """Directly, from this process's own place."""

    proxy = 0

    def __init__(self, root: Path, servers: BenchServers) -> None:
        self.trust = str(root / "trusted.pem")
        Path(self.trust).write_text(servers.authority.certificate)

    async def says(self, command: Sequence[str], told: str = "") -> str:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate(told.encode())
        if process.returncode:
            raise Misconfigured(f"{command[0]} failed directly")
        return said.decode()

    @property
    def python(self) -> str:
        return sys.executable

    def resolved(self, host: str, port: int) -> list[str]:
        return ["--cacert", self.trust, "--noproxy", "*", "--resolve", f"{host}:{port}:127.0.0.1"]


class Inside:
    """Through the proxy, from a command of the workspace."""

    proxy = PORT
    trust = "/run/perdure/trusted/certificates.pem"
    python = "python3"

    def __init__(self, client: WorkspaceClient) -> None:
        self._client = client

    async def says(self, command: Sequence[str], told: str = "") -> str:
        await self._client.files.put("told", told.encode())
        await self._client.files.put("command", b"\0".join(part.encode() for part in command))
        run = "xargs -0 -a command sh -c 'exec \"$@\" < told' sh"
        process = await self._client.processes.wait((await self._client.processes.start(run)).id, BUILD_STEP_LONGEST)
        if process.exit_code:
            raise Misconfigured(f"{command[0]} failed in the workspace: {process.head}{process.tail}")
        return process.head

    def resolved(self, host: str, port: int) -> list[str]:
        del host, port
        return []


async def _round(place: Outside | Inside, way: str, port: int, cost: WayCost, how: tuple[int, int, int]) -> None:
    side, requests, mebibytes = how
    trust = place.trust if way != "plain" else ""
    told = json.dumps([HOSTS[way], port, place.proxy, trust, requests // 4, requests])
    new, kept = json.loads(await place.says([place.python, "-c", CLIENT], told))
    cost.new[side].extend(new)
    cost.kept[side].extend(kept)
    url = f"{'http' if way == 'plain' else 'https'}://{HOSTS[way]}:{port}/{mebibytes * MEBIBYTE}"
    curl = ["curl", "-sS", "-o", "/dev/null", "-w", "%{speed_download}", *place.resolved(HOSTS[way], port), url]
    cost.speed[side].append(float(await place.says(curl)) / MEBIBYTE)


def table(costs: EgressCost) -> str:
    head = f"{'':<10}{'kept, ms':>20}{'new, ms':>20}{'MiB/s':>20}{'added':>9}{'new':>9}{'left':>7}"
    rows = [
        f"{way:<10}{_pair(cost.kept, 3):>20}{_pair(cost.new, 3):>20}{_pair(cost.speed, 0):>20}"
        f"{cost.added:>9.3f}{cost.added_new:>9.3f}{cost.left:>7.2f}"
        for way, cost in costs.items()
    ]
    return "\n".join([head, *rows])


def _pair(pair: tuple[list[float], list[float]], digits: int) -> str:
    return " → ".join(f"{median(numbers):.{digits}f}" for numbers in pair)


def missed(costs: EgressCost) -> list[str]:
    failures: list[str] = []
    for way, cost in costs.items():
        if cost.added > ADDED_BAR_MILLISECONDS:
            failures.append(f"{way}: {cost.added:.2f} ms added to a request, more than {ADDED_BAR_MILLISECONDS:.0f}")
        if cost.left < THROUGHPUT_BAR:
            failures.append(f"{way}: {cost.left:.2f} of the throughput is left, less than {THROUGHPUT_BAR}")
    return failures
