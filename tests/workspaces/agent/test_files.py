"""Reading, writing and listing: bounded answers, atomic writes, and no way outside."""

import base64
import os
import stat

import pytest
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.wire import FileEdits, ImagePage, TextEdit, TextPage

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def page(inside: Inside, path: str, offset: int = 1, limit: int = 2000) -> TextPage:
    found = await inside.client.files.read(path, offset, limit)
    assert isinstance(found, TextPage)
    return found


async def refusal(inside: Inside, path: str, offset: int = 1, limit: int = 2000) -> WorkspaceRefused:
    with pytest.raises(WorkspaceRefused) as refused:
        await inside.client.files.read(path, offset, limit)
    return refused.value


async def test_a_page_has_the_lines_asked_for(inside: Inside) -> None:
    (inside.tree / "f").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    found = await page(inside, "f", offset=40, limit=3)
    assert (found.lines, found.offset, found.total_lines) == (["line 40", "line 41", "line 42"], 40, 100)


async def test_an_empty_file_has_no_lines(inside: Inside) -> None:
    (inside.tree / "f").touch()
    assert (await page(inside, "f")).lines == []


async def test_carriage_returns_are_not_shown(inside: Inside) -> None:
    (inside.tree / "f").write_bytes(b"a\r\nb\r\n")
    assert (await page(inside, "f")).lines == ["a", "b"]


async def test_a_long_line_is_cut_and_says_how_much_is_missing(inside: Inside) -> None:
    (inside.tree / "f").write_text("é" * 1000)
    assert (await page(inside, "f")).lines == ["é" * 512 + "… [976 more bytes in this line]"]


async def test_a_page_stops_before_it_is_too_large_for_an_answer(inside: Inside) -> None:
    (inside.tree / "f").write_text(("x" * 1000 + "\n") * 500)
    found = await page(inside, "f")
    assert len(found.lines) == 32
    assert found.total_lines == 500


async def test_an_offset_past_the_end_names_the_last_line(inside: Inside) -> None:
    (inside.tree / "f").write_text("a\nb\n")
    assert "offset must be at most 2" in str(await refusal(inside, "f", offset=3))


async def test_an_image_comes_back_as_an_image(inside: Inside) -> None:
    (inside.tree / "p.png").write_bytes(PIXEL)
    found = await inside.client.files.read("p.png", 1, 10)
    assert isinstance(found, ImagePage)
    assert (found.media_type, base64.b64decode(found.base64)) == ("image/png", PIXEL)


async def test_a_binary_file_is_refused_with_what_to_do(inside: Inside) -> None:
    (inside.tree / "f").write_bytes(b"\x7fELF\0\0")
    assert (await refusal(inside, "f")).code == "binary"


async def test_a_file_over_a_mebibyte_is_refused_with_what_to_do(inside: Inside) -> None:
    (inside.tree / "f").write_bytes(b"x" * (1024 * 1024 + 1))
    assert "use search_files, or execute with head" in str(await refusal(inside, "f"))


async def test_a_directory_a_pipe_and_nothing_are_refused(inside: Inside) -> None:
    (inside.tree / "d").mkdir()
    os.mkfifo(inside.tree / "pipe")
    codes = [(await refusal(inside, name)).code for name in ("d", "pipe", "gone", "gone/deeper")]
    assert codes == ["is_a_directory", "not_a_file", "not_found", "not_found"]


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret",
        "/etc/passwd",
        "d/../../outside/secret",
        "link",
        "loop",
        "hole/secret",
        "~/../outside/secret",
        "back",
    ],
)
async def test_no_path_leads_outside(inside: Inside, path: str) -> None:
    (inside.outside / "secret").write_text("secret")
    (inside.tree / "d").mkdir()
    (inside.tree / "link").symlink_to(inside.outside / "secret")
    (inside.tree / "hole").symlink_to(inside.outside)
    (inside.tree / "back").symlink_to("d/../../outside/secret")
    (inside.tree / "loop").symlink_to("loop")
    assert (await refusal(inside, path)).code == "outside"
    with pytest.raises(WorkspaceRefused) as refused:
        await inside.client.files.write(path, "overwritten")
    assert refused.value.code == "outside"
    assert (inside.outside / "secret").read_text() == "secret"


async def test_a_link_that_stays_inside_is_written_through(inside: Inside) -> None:
    (inside.tree / "real").write_text("old")
    (inside.tree / "link").symlink_to("real")
    await inside.client.files.write("link", "new")
    assert (inside.tree / "link").is_symlink()
    assert (inside.tree / "real").read_text() == "new"


async def test_a_link_from_the_tree_into_home_is_inside(inside: Inside) -> None:
    (inside.home / "notes").write_text("kept\n")
    (inside.tree / "notes").symlink_to(inside.home / "notes")
    assert (await page(inside, "notes")).lines == ["kept"]


async def test_writing_makes_parents_and_keeps_the_mode(inside: Inside) -> None:
    await inside.client.files.write("a/b/c.sh", "one")
    (inside.tree / "a/b/c.sh").chmod(0o755)
    written = await inside.client.files.write("a/b/c.sh", "two")
    assert stat.S_IMODE((inside.tree / "a/b/c.sh").stat().st_mode) == 0o755
    assert (written.state, written.files[0].path, written.files[0].new) == ("done", "a/b/c.sh", False)
    assert os.listdir(inside.tree / "a/b") == ["c.sh"]  # noqa: PTH208


async def test_a_write_protected_file_is_left_alone(inside: Inside) -> None:
    (inside.tree / "f").write_text("old")
    (inside.tree / "f").chmod(0o444)
    with pytest.raises(WorkspaceRefused, match="chmod"):
        await inside.client.files.write("f", "new")
    assert (inside.tree / "f").read_text() == "old"


async def test_writing_over_a_directory_is_refused(inside: Inside) -> None:
    (inside.tree / "d").mkdir()
    with pytest.raises(WorkspaceRefused, match="is a directory"):
        await inside.client.files.write("d", "x")


async def test_a_write_with_the_same_key_happens_once(inside: Inside) -> None:
    await inside.client.files.write("f", "mine", key="k")
    (inside.tree / "f").write_text("changed by hand")
    again = await inside.client.files.write("f", "mine", key="k")
    assert again.state == "done"
    assert (inside.tree / "f").read_text() == "changed by hand"


async def test_a_list_shows_a_bounded_tree(inside: Inside) -> None:
    (inside.tree / "a/b/c").mkdir(parents=True)
    (inside.tree / "a/f").write_text("12345")
    (inside.tree / "hole").symlink_to(inside.outside)
    (inside.outside / "secret").touch()
    listing = await inside.client.files.list(".", 2)
    assert [(entry.path, entry.kind, entry.bytes) for entry in listing.entries] == [
        ("a", "directory", 0), ("a/b", "directory", 0), ("a/f", "file", 5), ("hole", "link", 0),
    ]  # fmt: skip


async def test_a_list_of_very_many_files_ends_and_says_so(inside: Inside) -> None:
    for number in range(1200):
        (inside.tree / f"f{number}").touch()
    listing = await inside.client.files.list()
    assert (len(listing.entries), listing.complete) == (1000, False)


async def test_bytes_go_in_and_come_out(inside: Inside) -> None:
    content = bytes(range(256)) * 100
    await inside.client.files.put("bin/tool", content, executable=True)
    assert await inside.client.files.content("bin/tool", 1_000_000) == content
    assert os.access(inside.tree / "bin/tool", os.X_OK)


async def test_more_bytes_than_asked_for_are_refused(inside: Inside) -> None:
    (inside.tree / "f").write_bytes(b"x" * 101)
    with pytest.raises(WorkspaceRefused, match="more than 100 bytes"):
        await inside.client.files.content("f", 100)


async def test_names_of_any_script_work(inside: Inside) -> None:
    await inside.client.files.write("ключ/naïve 文件.txt", "x\n")
    assert (await page(inside, "ключ/naïve 文件.txt")).lines == ["x"]


async def test_the_longest_name_that_fits_a_directory_can_be_written_and_edited(inside: Inside) -> None:
    name = "文" * 85
    await inside.client.files.put(name, b"old\n")
    await inside.client.files.write(name, "one\n")
    await inside.client.files.edit([FileEdits(name, [TextEdit("one", "two")])])
    assert [(path.name, path.read_text()) for path in inside.tree.iterdir()] == [(name, "two\n")]


@pytest.mark.parametrize("path", ["", "  \t", "\n", "a\0b", "x" * 300])
async def test_a_path_that_makes_no_sense_is_refused(inside: Inside, path: str) -> None:
    assert (await refusal(inside, path)).code == "invalid"
    with pytest.raises(WorkspaceRefused) as refused:
        await inside.client.files.write(path, "x")
    assert refused.value.code == "invalid"
    assert list(inside.tree.iterdir()) == []


async def test_a_plan_is_not_written_through_a_link(inside: Inside) -> None:
    (inside.home / ".perdure").symlink_to(inside.tree)
    for _ in range(2):
        with pytest.raises(WorkspaceRefused) as refused:
            await inside.client.files.write("~/.perdure/PLAN.md", "plan", key="k", through_links=False)
        assert refused.value.code == "link"
    assert list(inside.tree.iterdir()) == []
    (inside.home / ".perdure").unlink()
    await inside.client.files.write("~/.perdure/PLAN.md", "plan", key="k", through_links=False)
    assert (inside.home / ".perdure/PLAN.md").read_text() == "plan"
