"""Engines and hosts as templates name them: reached by their settings, refused with a word about what is missing."""

import tempfile
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec import structs
from tests.workspaces.sshd import running_sshd

from perdure.core.errors import BuildFailed, Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.store.tables import workspaces as rows
from perdure.store.tables.templates import packed
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces import operations
from perdure.workspaces.docker import DockerDriver
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.ssh import SshHost
from perdure.workspaces.templates.catalogue import TemplateCatalogue

SSH = {"address": "host", "user": "me", "host_key": "ssh-ed25519 AAAA", "root": "/srv", "key": "key"}
RECIPE = """description = "Another host"
driver = "ssh"
start_up = "echo hello > greeting"
[settings]
address = "{host.address}"
port = "{host.port}"
user = "{host.user}"
host_key = "{host_key}"
root = "{host.root}"
key = "{key}"
"""


@pytest.fixture
def folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="perdure-") as name:
        (Path(name) / "ssh").mkdir()
        yield Path(name)


async def offered(pool: Pool, wish: Wish, host: SshHost, key: str) -> None:
    recipe = RECIPE.format(host=host, host_key=host.host_key.strip(), key=key)
    insert = "INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, $2, $3, '', $4)"
    await pool.execute(insert, wish.organisation_id, wish.template, recipe, packed({}))


async def only_row(pool: Pool) -> WorkspaceRow:
    (record,) = await pool.fetch("SELECT id FROM workspaces")
    row = await rows.load(pool, record["id"])
    assert row is not None
    return row


def workspaces(pool: Pool, folder: Path) -> Workspaces:
    drivers, templates = Drivers(folder, LocalDriver(folder)), TemplateCatalogue(pool)
    return Workspaces(pool, drivers, templates, LocalBus(), SystemClock())


async def test_a_template_puts_workspaces_on_another_host(pool: Pool, folder: Path, wish: Wish) -> None:
    async with running_sshd() as host:
        (folder / "ssh/key").write_text(host.private_key)
        await offered(pool, wish, host, "key")
        service = workspaces(pool, folder)
        row = await service.create(WorkspaceId(uuid4()), wish)
        said = await operations.execute(await service.client(row), "k", "cat greeting; pwd")
        assert said.head.splitlines() == ["hello", f"{host.root}/{row.id}/tree"]
        assert (await service.sandboxed(row), await service.has_view(row)) == (False, False)
        await service.remove(row)
        assert not (Path(host.root) / str(row.id)).exists()
        await service.close()


async def test_a_template_whose_host_cannot_be_reached_leaves_nothing_half_made(
    pool: Pool, folder: Path, wish: Wish
) -> None:
    await offered(pool, wish, SshHost("127.0.0.1", 9, "me", "", "ssh-ed25519 AAAA", "/srv"), "missing")
    service = workspaces(pool, folder)
    with pytest.raises(BuildFailed, match="There is no SSH key 'missing': put the private key at"):
        await service.create(WorkspaceId(uuid4()), wish)
    stands = await pool.fetchrow("SELECT status, error FROM workspaces")
    assert stands is not None
    assert (stands["status"], "There is no SSH key" in stands["error"]) == ("failed", True)
    await service.close()


@pytest.mark.parametrize(
    ("key", "said"),
    [("good", "127.0.0.1 cannot be reached over SSH: "), ("bad", "The keys for 127.0.0.1 cannot be read")],
)
async def test_why_a_host_cannot_be_used_is_kept_with_the_workspace(
    pool: Pool, folder: Path, wish: Wish, key: str, said: str
) -> None:
    async with running_sshd() as host:
        pass
    (folder / "ssh/good").write_text(host.private_key)
    (folder / "ssh/bad").write_text("not a key")
    await offered(pool, wish, host, key)
    service = workspaces(pool, folder)
    with pytest.raises(BuildFailed, match=said):
        await service.create(WorkspaceId(uuid4()), wish)
    stands = await only_row(pool)
    assert (stands.status, (stands.error or "").startswith(said)) == ("failed", True)
    await service.remove(stands)
    await service.close()


async def test_a_workspace_whose_key_was_taken_away_promises_nothing_and_leaves_the_list(
    pool: Pool, folder: Path, wish: Wish
) -> None:
    await offered(pool, wish, SshHost("127.0.0.1", 9, "me", "", "ssh-ed25519 AAAA", "/srv"), "missing")
    service = workspaces(pool, folder)
    with pytest.raises(BuildFailed):
        await service.create(WorkspaceId(uuid4()), wish)
    row = await only_row(pool)
    assert (await service.has_view(row), await service.sandboxed(row)) == (False, False)
    await service.remove(row)
    with pytest.raises(Misconfigured):
        await service.remove(structs.replace(row, status="stopped"))


@pytest.mark.parametrize(
    ("name", "settings", "complaint"),
    [
        ("cloud", {}, "There is no driver 'cloud'"),
        ("docker", {}, "needs the setting 'image'"),
        ("ssh", {**SSH, "address": ""}, "needs the setting 'address'"),
        ("ssh", {**SSH, "key": "../key"}, "There is no SSH key"),
        ("ssh", {**SSH, "port": "twenty"}, "'port' is not a number"),
        ("ssh", {**SSH, "root": "workspaces"}, "'root' is not an absolute path"),
        ("docker", {"image": "base", "engine": "/run/docker.sock"}, "'engine' is not an address such as unix:"),
    ],
)
def test_settings_that_lead_nowhere_are_refused(
    folder: Path, name: str, settings: dict[str, str], complaint: str
) -> None:
    (folder / "ssh/key").write_text("a key")
    (folder / "key").write_text("not for templates")
    with pytest.raises(Misconfigured, match=complaint):
        Drivers(folder, LocalDriver(folder)).of(name, settings)


def test_one_driver_serves_all_workspaces_of_an_engine(folder: Path) -> None:
    drivers = Drivers(folder, LocalDriver(folder))
    first = drivers.of("docker", {"image": "base"})
    assert isinstance(first, DockerDriver)
    assert drivers.of("docker", {"image": "base"}) is first
    assert drivers.of("docker", {"image": "base", "engine": "tcp://127.0.0.1:1"}) is not first
    assert drivers.of("local", {"anything": "else"}) is drivers.of("local", {})
