"""Environments in which nothing can start: one line that says what to do, exit code 2, no traceback."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Start

from perdure.store.connection import connect
from perdure.testing.postgres import Databases


def refusal(start: Start, *arguments: str, **environment: str) -> str:
    process = start(*arguments, **environment)
    _, complaint = process.communicate()
    assert process.returncode == 2
    lines = [line for line in complaint.splitlines() if not line.startswith("{")]
    assert len(lines) == 1
    assert lines[0].startswith("perdure: ")
    return lines[0]


@contextmanager
def old_postgres() -> Generator[str]:
    """A server that says, in Postgres' own protocol, that it is version 13."""

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + (len(body) + 4).to_bytes(4) + body

    hello = (
        message(b"R", (0).to_bytes(4))
        + message(b"S", b"server_version\x0013.4\x00")
        + message(b"S", b"client_encoding\x00UTF8\x00")
        + message(b"K", bytes(8))
        + message(b"Z", b"I")
    )

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(hello)
            connection.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield f"postgresql://me@127.0.0.1:{listener.getsockname()[1]}/perdure?sslmode=disable"
        thread.join()


@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_database_that_cannot_be_reached(start: Start, command: str) -> None:
    complaint = refusal(start, command, database_url="postgresql://me:secret@127.0.0.1:1/perdure", bind="127.0.0.1:0")
    assert "The database at 127.0.0.1:1/perdure cannot be reached" in complaint
    assert "Start it, correct PERDURE_DATABASE_URL, or leave that out" in complaint
    assert "secret" not in complaint


def test_a_database_that_is_too_old(start: Start) -> None:
    with old_postgres() as url:
        complaint = refusal(start, "migrate", database_url=url)
    assert "The database server is Postgres 13; 14 or newer is needed." in complaint


def test_a_database_that_does_not_exist(start: Start, databases: Databases) -> None:
    complaint = refusal(start, "migrate", database_url=databases.named("nowhere"))
    assert 'database "nowhere" does not exist' in complaint
    assert "Create it with: createdb" in complaint


async def test_a_database_of_a_newer_schema(start: Start, database_url: str) -> None:
    connection = await connect(database_url)
    await connection.execute("INSERT INTO migrations (number, name, checksum) VALUES (9999, 'later', '')")
    await connection.close()
    complaint = refusal(start, "serve", database_url=database_url, bind="127.0.0.1:0")
    assert "The database has schema 9999" in complaint
    assert "Start the newer Perdure that migrated it." in complaint


async def test_a_database_without_permissions(start: Start, databases: Databases) -> None:
    async with databases.fresh(migrated=False) as url:
        connection = await connect(url)
        await connection.execute("DROP ROLE IF EXISTS visitor; CREATE ROLE visitor LOGIN")
        await connection.close()
        complaint = refusal(start, "migrate", database_url=url.replace("perdure@", "visitor@"))
    assert "visitor may not change the schema" in complaint
    assert "GRANT ALL ON SCHEMA public TO visitor;" in complaint


def test_a_data_directory_that_cannot_be_made(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    complaint = refusal(start, "serve", data_dir=str(tmp_path / "file/data"), bind="127.0.0.1:0")
    assert "cannot be used: Not a directory. Set PERDURE_DATA_DIR to a directory that you may write to." in complaint


def test_a_port_that_is_in_use(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        complaint = refusal(start, "serve", "--bind", address)
    assert f"Cannot listen on {address}: Address already in use. Stop what uses it, or choose another" in complaint


def test_an_address_that_is_none(start: Start) -> None:
    assert "--bind is not usable: it must be host:port" in refusal(start, "serve", "--bind", "here")


def test_a_setting_that_is_not_usable(start: Start) -> None:
    assert "PERDURE_LOG_FORMAT is not usable" in refusal(start, "serve", log_format="pretty")


def test_a_simulator_whose_port_is_in_use(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        complaint = refusal(start, "sim", "--port", str(port))
    assert f"Cannot listen on 127.0.0.1:{port}: " in complaint
    assert complaint.endswith("Choose another port with --port.")


def test_a_file_that_holds_no_scripts(start: Start, tmp_path: Path) -> None:
    (tmp_path / "scripts.json").write_text('{"scripts": [{"name": 5}]}')
    complaint = refusal(start, "sim", "--port", "0", "--script", str(tmp_path / "scripts.json"))
    assert "scripts.json holds no scripts: Expected `str`, got `int` - at `$.scripts[0].name`." in complaint


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "No such file or directory"), ("{", "the request's body is not JSON"), ("{}", "home must be a string")],
)
def test_settings_of_a_workspace_that_mean_nothing(start: Start, tmp_path: Path, content: str | None, why: str) -> None:
    path = tmp_path / "settings.json"
    if content is not None:
        path.write_text(content)
    assert refusal(start, "agent", str(path)) == f"perdure: {path} cannot be used: {why}"


async def test_an_input_that_does_not_fit_says_where_and_why(start: Start, database_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "service"
    folder.mkdir()
    (folder / "template.toml").write_text('description = "x"\nnetwork = "fast"\n')
    password = start("users", "add", "ada@example.com", "--password", "short", database_url=database_url)
    template = start("templates", "import", str(folder), database_url=database_url)
    said = [(process.communicate()[1], process.returncode) for process in (password, template)]
    assert said[0] == (
        "perdure: The password is too short or too long (password: must have 10 to 1024 characters).\n",
        1,
    )
    assert said[1][0].startswith("perdure: The template is not valid (template.toml: Invalid enum value 'fast'")
    assert said[1][1] == 1


def test_an_address_that_nobody_could_sign_in_with(start: Start) -> None:
    process = start("users", "add", "ada", "--password", "long enough for us")
    _, complaint = process.communicate()
    assert process.returncode == 2
    assert "must be an email address, such as ada@example.com" in " ".join(complaint.replace("│", " ").split())
