"""Which of several hosts a connection leads to, and what becomes of the others that were asked."""

import asyncio
from urllib.parse import parse_qs, urlencode, urlsplit

from perdure.store.hosts import Hosts

REFUSES_TLS = b"N"


class Slow:
    """A host that answers the question about TLS when it is told to, and hears what is said to it then."""

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.asked = asyncio.Event()
        self.heard = b""
        self.over = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        self.asked.set()
        await self.answers.wait()
        writer.write(REFUSES_TLS)
        self.heard = await reader.read(1000)
        writer.close()
        self.over.set()


def beside(url: str, port: int) -> str:
    """The database's URL with one more host in front of it, on this machine."""
    parts = urlsplit(url)
    login, _, host = parts.netloc.rpartition("@")
    if host:
        return parts._replace(netloc=f"{login}@127.0.0.1:{port},{host}").geturl()
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    options |= {"host": f"127.0.0.1,{options['host']}", "port": f"{port},{options['port']}"}
    return parts._replace(query=urlencode(options)).geturl()


async def test_an_attempt_that_comes_too_late_is_not_cut_off_in_its_greeting(database_url: str) -> None:
    slow, complaints = Slow(), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["message"]))
    async with await asyncio.start_server(slow.serve, "127.0.0.1", 0) as server:
        hosts = Hosts(beside(database_url, server.sockets[0].getsockname()[1]))
        connection = await hosts.connect()
        assert slow.asked.is_set()
        assert await connection.fetchval("SELECT 1") == 1
        await connection.close()
        slow.answers.set()
        await slow.over.wait()
    assert b"user\0" in slow.heard
    assert complaints == []
