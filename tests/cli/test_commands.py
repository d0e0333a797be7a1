"""The commands, used as intended."""

import signal
import subprocess
from importlib.metadata import version
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import msgspec
import pytest
from tests.cli.conftest import Spawn, Start

from perdure.cli.main import COMMANDS
from perdure.store.connection import connect
from perdure.testing.forking import ForkedCommand
from perdure.testing.polling import eventually
from perdure.testing.postgres import Databases


def address_of(server: "subprocess.Popen[str] | ForkedCommand") -> str:
    """Where a server says that it is ready."""
    assert server.stderr is not None
    for line in server.stderr:
        said = msgspec.json.decode(line)["message"]
        if said.startswith("ready at "):
            return said.removeprefix("ready at ")
    raise AssertionError("it ended before it was ready")


def get(url: str) -> tuple[int, object]:
    try:
        with urlopen(url) as answer:  # noqa: S310
            return answer.status, msgspec.json.decode(answer.read())
    except HTTPError as error:
        with error:
            return error.code, msgspec.json.decode(error.read())


def test_it_says_which_version_it_is(spawn: Spawn) -> None:
    said, _ = spawn("--version").communicate()
    assert said == f"perdure {version('perdure')}\n"


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_server_is_ready_until_it_is_told_to_stop(spawn: Spawn, database_url: str, stop: signal.Signals) -> None:
    server = spawn("serve", database_url=database_url, bind="127.0.0.1:0")
    address = address_of(server)
    assert get(f"{address}/healthz") == (200, {"status": "alive"})
    eventually(lambda: get(f"{address}/readyz") == (200, {"status": "ready"}), "it is ready")
    server.send_signal(stop)
    _, logged = server.communicate()
    assert server.returncode == 0
    assert logged.splitlines()[-1].endswith('"message":"stopped"}'), logged


async def test_a_server_whose_database_is_gone_is_alive_and_not_ready(start: Start, databases: Databases) -> None:
    async with databases.fresh() as url:
        server = start("serve", database_url=url, bind="127.0.0.1:0")
        address = address_of(server)
    status, answer = get(f"{address}/readyz")
    assert status == 503
    assert msgspec.convert(answer, dict[str, object])["status"] == "not ready"
    assert get(f"{address}/healthz") == (200, {"status": "alive"})


async def test_migrate_says_what_it_did(start: Start, databases: Databases) -> None:
    async with databases.fresh(migrated=False) as url:
        first, second = (start("migrate", database_url=url).communicate()[0] for _ in range(2))
    assert first.startswith("applied 0001 chats\n")
    assert second == "Nothing to do: the schema is the newest.\n"


async def test_doctor_finds_nothing_wrong_with_a_new_database(start: Start, database_url: str) -> None:
    doctor = start("doctor", database_url=database_url)
    report, _ = doctor.communicate()
    assert doctor.returncode == 0, report
    assert "✓ pooler: sessions are kept" in report
    assert "✓ rows: Every chat is in a valid state." in report


async def test_doctor_names_the_chat_whose_rows_are_wrong(start: Start, database_url: str) -> None:
    connection = await connect(database_url)
    await connection.execute(
        "INSERT INTO chats (id, status, snapshot_version, next_message) "
        "VALUES ('00000000-0000-0000-0000-000000000001', 'waiting', 1, 5)"
    )
    await connection.close()
    doctor = start("doctor", database_url=database_url)
    report, _ = doctor.communicate()
    assert doctor.returncode == 1
    assert "✗ rows: Every history is numbered without a gap. Not chat 00000000-0000-0000-0000-000000000001" in report
    assert "✗ rows: Every chat can be listed." in report


def test_doctor_says_why_the_database_is_no_use(start: Start) -> None:
    doctor = start("doctor", database_url="postgresql://me@127.0.0.1:1/perdure")
    report, complaint = doctor.communicate()
    assert doctor.returncode == 1
    assert "✗ database: The database at 127.0.0.1:1/perdure cannot be reached" in report
    assert complaint == ""


def test_help_lists_every_command_without_colour(spawn: Spawn) -> None:
    text, _ = spawn("--help").communicate()
    assert [name for name in COMMANDS if name not in text] == []
    assert "\x1b" not in text


def test_an_unknown_command_is_refused(spawn: Spawn) -> None:
    process = spawn("sevre")
    _, complaint = process.communicate()
    assert process.returncode == 2
    assert "sevre" in complaint


async def test_a_template_is_imported_from_a_directory_listed_and_removed(
    start: Start, database_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "service"
    (folder / "files").mkdir(parents=True)
    (folder / "template.toml").write_text('description = "Our service"\n')
    (folder / "files/run.sh").write_text("#!/bin/sh\n")
    said = [
        start("templates", *arguments, database_url=database_url).communicate()[0]
        for arguments in (("import", str(folder)), ("list",), ("remove", "service"), ("list",))
    ]
    assert said[0] == "service can be used.\n"
    assert "service  yours  Our service\n" in said[1]
    assert said[2] == "service is gone.\n"
    assert "service" not in said[3]


async def test_workspaces_are_listed_and_what_is_not_there_is_said(start: Start, database_url: str) -> None:
    listed = start("workspaces", "list", database_url=database_url).communicate()
    assert listed == ("", "There are no workspaces.\n")
    stopping = start("workspaces", "stop", "00000000-0000-0000-0000-000000000001", database_url=database_url)
    _, said = stopping.communicate()
    assert (stopping.returncode, said) == (1, "perdure: Workspace not found.\n")


def test_links_that_sign_in_lead_to_where_browsers_reach_the_server(start: Start, database_url: str) -> None:
    behind = {"database_url": database_url, "public_url": "https://perdure.example.com/"}
    printed, _ = start("users", "link", **behind).communicate()
    assert printed.startswith("https://perdure.example.com/api/v1/login/link?token=")
    elsewhere, _ = start("users", "link", "--base", "http://10.0.0.7", **behind).communicate()
    assert elsewhere.startswith("http://10.0.0.7/api/v1/login/link?token=")
    server = start("serve", **behind, bind="127.0.0.1:0")
    address_of(server)
    assert server.stderr is not None
    assert server.stderr.readline().startswith("Sign in once with https://perdure.example.com/api/v1/login/link?token=")


def test_faces_says_where_a_server_is_and_makes_a_token_for_it(start: Start, database_url: str) -> None:
    server = start("serve", database_url=database_url, bind="127.0.0.1:0")
    address = address_of(server)
    eventually(lambda: get(f"{address}/readyz") == (200, {"status": "ready"}), "it is ready")
    said, _ = start("faces", "--url", address, database_url=database_url).communicate()
    told = dict(line.split(maxsplit=1) for line in said.replace("AI SDK", "SDK").splitlines())
    assert told["OpenAI"] == f"{address}/v1"
    asked = Request(f"{told['OpenAI']}/models", headers={"Authorization": f"Bearer {told['token']}"})  # noqa: S310
    with urlopen(asked) as answer:  # noqa: S310
        assert answer.status == 200
    assert get(told["A2A"])[0] == 200
    server.send_signal(signal.SIGTERM)
    server.communicate()
    gone = start("faces", "--url", address, database_url=database_url)
    assert "No server is ready" in gone.communicate()[1]
    assert gone.returncode == 1


async def test_what_is_changed_at_the_machine_is_audited(start: Start, database_url: str) -> None:
    secret = ("--password", "long enough for us")
    for command in (
        ("users", "add", "ada@example.com", *secret),
        ("users", "password", "ada@example.com", *secret),
        ("tokens", "add", "bot", "--email", "ada@example.com"),
    ):
        process = start(*command, database_url=database_url)
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint
    connection = await connect(database_url)
    audited = await connection.fetch("SELECT action, detail FROM audit ORDER BY id")
    await connection.close()
    assert [row["action"] for row in audited] == ["user.add", "user.change", "token.add"]
    assert "long enough" not in str([row["detail"] for row in audited])
