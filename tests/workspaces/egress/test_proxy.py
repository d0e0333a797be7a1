"""The proxy in this process, with a resolver that changes its mind."""

import socket
import threading
from collections.abc import Iterator

import pytest
from tests.workspaces.egress.servers import Servers

from perdure.workspaces.egress.certificates import new_authority
from perdure.workspaces.egress.proxy import Proxy, SeenRequest
from perdure.workspaces.egress.rules import ArmedRule, Rule


class Fickle:
    """Says another address each time it is asked, the last one for ever."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked = 0

    def __call__(self, host: str, port: int) -> list[str]:
        del host, port
        self.asked += 1
        return [self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]]


@pytest.fixture
def servers() -> Iterator[Servers]:
    found = Servers()
    yield found
    found.close()


def asked(resolve: Fickle, port: int, told: list[SeenRequest] | None = None) -> str:
    proxy = Proxy(new_authority("test"), resolve=resolve)
    proxy.book.tell([ArmedRule(Rule("a.example.test", scheme="http", port=port, networks=("127.0.0.1/32",)))])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=proxy.serve, args=(listening,), daemon=True).start()
        with socket.create_connection(listening.getsockname()) as client:
            client.sendall(
                f"GET http://a.example.test:{port}/allowed/ HTTP/1.1\r\nHost: a.example.test:{port}\r\n"
                "Connection: close\r\n\r\n".encode()
            )
            said = client.makefile().read()
        listening.shutdown(socket.SHUT_RDWR)
    if told is not None:
        told += proxy.seen.after(0, 0)[1]
    return said


def test_a_name_is_looked_up_once_and_its_address_used_as_checked(servers: Servers) -> None:
    fickle = Fickle("127.0.0.1", "::1")
    assert "fine" in asked(fickle, servers.plain)
    assert fickle.asked == 1


def test_a_request_is_noted_once_whatever_became_of_it(servers: Servers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        closed = int(nobody.getsockname()[1])
    for address, port, allowed in (
        ("127.0.0.1", servers.plain, True),
        ("::1", servers.canary, False),
        ("127.0.0.1", closed, True),
    ):
        told: list[SeenRequest] = []
        asked(Fickle(address), port, told)
        assert [each.allowed for each in told] == [allowed]


def test_a_name_that_turns_private_is_refused(servers: Servers) -> None:
    assert "at no address that may be reached" in asked(Fickle("::1"), servers.canary)
    assert servers.touched == 0
