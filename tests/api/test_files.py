"""Uploads: what a file is decides its content, not its label."""

from uuid import UUID

import pytest

from perdure.access.actor import Role
from perdure.machine.planning import FILES_LIMIT
from perdure.testing.served_api import Person, ServedApi

TEXT = {"type": "text", "text": "hello"}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
TAKEN = [
    (PNG, "image/png", "a.png", "image/png"),
    (PNG, "application/octet-stream", "a", "image/png"),
    (b"%PDF-1.7 x", "application/pdf", "a.pdf", "application/pdf"),
    (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", "a.webp", "image/webp"),
    (b'{"a": 1}', "application/json", "a.json", "application/json"),
    (b"a,b\n1,2", "text/csv", "a.csv", "text/csv"),
    (b"# title", "", "a.md", "text/markdown"),
    ("grüße".encode(), "text/plain; charset=utf-8", "a.txt", "text/plain"),
]
REFUSED = [
    (PNG, "image/jpeg", "a.jpg"),
    (PNG, "text/plain", "a.txt"),
    (b"<svg xmlns='x'></svg>", "image/svg+xml", "a.svg"),
    (b"  <?xml version='1.0'?><svg/>", "text/plain", "a.txt"),
    (b"<html><script>", "text/plain", "a.txt"),
    (b"PK\x03\x04\xff\xfe", "application/zip", "a.zip"),
    (b"MZ\x90\0\xff", "application/octet-stream", "a.exe"),
    (b"{", "application/json", "a.json"),
    (b"", "text/plain", "a.txt"),
    (b"x", "text/plain", ""),
    (b"x", "text/plain", "n" * 256),
]


@pytest.mark.parametrize(("content", "said", "name", "kind"), TAKEN)
async def test_a_file_is_what_its_content_says(ada: Person, content: bytes, said: str, name: str, kind: str) -> None:
    stored = await ada.ask("POST", "/files", content, content_type=said, x_file_name=name)
    assert (stored.status, stored.json["media_type"], stored.json["size"]) == (201, kind, len(content))
    read = await ada.get(f"/files/{stored.json['id']}")
    assert (read.body, read.headers["content-type"]) == (content, kind)
    assert "sandbox" in read.headers["content-security-policy"]


@pytest.mark.parametrize(("content", "said", "name"), REFUSED)
async def test_a_lying_or_strange_file_is_refused_and_not_kept(
    api: ServedApi, ada: Person, content: bytes, said: str, name: str
) -> None:
    assert (await ada.ask("POST", "/files", content, content_type=said, x_file_name=name)).status == 400
    assert await api.pool.fetchval("SELECT count(*) FROM files") == 0


async def test_ten_mebibytes_are_taken_and_one_byte_more_is_not(ada: Person) -> None:
    limit = 10 * 1024 * 1024
    assert (await ada.ask("POST", "/files", b"a" * limit, x_file_name="a.txt")).status == 201
    assert (await ada.ask("POST", "/files", b"a" * (limit + 1), x_file_name="a.txt")).status == 413
    assert (await ada.ask("POST", "/files", b"a" * (limit + 100_000), x_file_name="a.txt")).status == 413


async def test_a_form_may_hold_the_file(ada: Person) -> None:
    form = (
        b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="../../etc/a.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\nhello\r\n--xyz--\r\n"
    )
    stored = await ada.ask("POST", "/files", form, content_type="multipart/form-data; boundary=xyz")
    assert (stored.status, stored.json["name"], stored.json["size"]) == (201, "a.txt", 5)
    broken = await ada.ask("POST", "/files", b"nothing", content_type="multipart/form-data; boundary=xyz")
    assert broken.status == 400


def _form(*parts: tuple[str, bytes]) -> bytes:
    """A form as browsers send it."""
    return b"".join(b"--xyz\r\n%b\r\n\r\n%b\r\n" % (head.encode(), content) for head, content in parts) + b"--xyz--\r\n"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ('filename="gr\xfc\xdfe.txt"', "gr\xfc\xdfe.txt"),
        ("filename=\"a.txt\"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt", "gr\xfc\xdfe.txt"),
        ("filename=a.txt", "a.txt"),
        ('filename="a%22b.txt"', 'a"b.txt'),
        ('filename="a; filename=b.txt"', "a; filename=b.txt"),
        ('filename="C:\\\\a.txt"', "a.txt"),
    ],
)
async def test_a_file_in_a_form_keeps_its_name_and_every_byte(ada: Person, said: str, name: str) -> None:
    content = PNG + b"\n\r\n\r--xy\r\n--"
    head = f"Content-Disposition: form-data; name=file; {said}\r\nContent-Type: image/png"
    form = _form(('Content-Disposition: form-data; name="note"', b"hi"), (head, content))
    stored = await ada.ask("POST", "/files", form, content_type="multipart/form-data; boundary=xyz")
    assert (stored.status, stored.json["name"]) == (201, name)
    assert (await ada.get(f"/files/{stored.json['id']}")).body == content


async def test_a_form_that_makes_no_sense_is_refused(ada: Person) -> None:
    file = ('Content-Disposition: form-data; name="file"; filename="a.txt"', b"hello")
    inner = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (depth, depth) for depth in range(3_000)
    )
    for form in (
        _form(file, file),
        _form(("X: " + "x" * 100_000, b"")),
        b"--xyz\r\n" + inner,
        b"\r\n--xyz" * 100_000,
        b"",
    ):
        refused = await ada.ask("POST", "/files", form, content_type="multipart/form-data; boundary=xyz")
        assert refused.status == 400
    for kind in ("multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\xff"):
        assert (await ada.ask("POST", "/files", _form(file), content_type=kind)).status == 400


async def test_a_message_names_its_file_as_it_was_uploaded(ada: Person) -> None:
    stored = (await ada.ask("POST", "/files", PNG, x_file_name="a.png")).json
    part = {"type": "file", "file_id": stored["id"], "name": "lie.exe", "media_type": "text/html"}
    created = await ada.post("/chats", {"content": [part]})
    assert created.json["message"]["parts"] == [
        {"type": "file", "file_id": stored["id"], "name": "a.png", "media_type": "image/png"}
    ]


async def test_a_signed_address_gives_one_file_to_whoever_has_it(ada: Person, api: ServedApi) -> None:
    stored = (await ada.ask("POST", "/files", b"hello", x_file_name="a.txt", content_type="text/plain")).json
    other = (await ada.ask("POST", "/files", b"other", x_file_name="b.txt", content_type="text/plain")).json
    signed = (await ada.get(f"/files/{stored['id']}/url")).json
    assert signed["expires_in_s"] == 300
    path = signed["url"].removeprefix("/api/v1")
    async with await api.person("nobody") as nobody:
        nobody.token = "pdt_nothing"
        assert (await nobody.get(path)).body == b"hello"
        for wrong in (
            path.replace(stored["id"], other["id"]),
            path[:-2] + "AA",
            path.split("?")[0] + "?signature=.",
            path.split("?")[0] + "?signature=%ff",
        ):
            assert (await nobody.get(wrong)).status == 404
        assert (await nobody.get(path.split("?")[0])).status == 400
    await api.pool.execute("DELETE FROM files WHERE id = $1", UUID(stored["id"]))
    assert (await ada.get(path)).status == 404


async def test_a_signed_address_ends_with_the_person_who_asked_for_it(ada: Person, api: ServedApi) -> None:
    stored = (await ada.ask("POST", "/files", b"hello", x_file_name="a.txt", content_type="text/plain")).json
    path = (await ada.get(f"/files/{stored['id']}/url")).json["url"].removeprefix("/api/v1")
    async with await api.person("boss", Role.ADMIN) as boss:
        assert (await boss.get(path)).body == b"hello"
        assert (await boss.patch(f"/users/{ada.id}", {"disabled": True})).status == 200
        suspended = await boss.get(path)
        assert (suspended.status, suspended.json["message"]) == (404, "This address is not valid any more.")
        assert (await boss.patch(f"/users/{ada.id}", {"disabled": False})).status == 200
        assert (await boss.get(path)).body == b"hello"


async def _uploaded(ada: Person, name: str = "a.txt") -> dict[str, str]:
    """A file of hers, as a message names it."""
    stored = await ada.ask("POST", "/files", b"hello", x_file_name=name, content_type="text/plain")
    return {"type": "file", "file_id": stored.json["id"]}


async def test_a_file_that_is_said_again_is_still_one_file(ada: Person, api: ServedApi) -> None:
    file = await _uploaded(ada)
    path = f"/chats/{(await ada.post('/chats', {'content': [file, file]})).json['chat']['id']}"
    assert (await ada.put(f"{path}/messages/1", {"content": [file]})).status == 202
    assert (await ada.post(f"{path}/messages", {"content": [file]})).status == 202
    assert await api.pool.fetchval("SELECT file_count FROM chats") == 1


async def test_a_file_that_a_waiting_message_gets_later_belongs_to_its_chat(ada: Person, api: ServedApi) -> None:
    path = f"/chats/{(await ada.post('/chats', {'content': [TEXT]})).json['chat']['id']}"
    assert (await ada.post(f"{path}/messages", {"content": [TEXT]})).status == 202
    file = await _uploaded(ada)
    assert (await ada.put(f"{path}/queue/1", {"content": [TEXT, file]})).status == 200
    assert [str(row["file_id"]) for row in await api.pool.fetch("SELECT file_id FROM file_links")] == [file["file_id"]]
    assert await api.pool.fetchval("SELECT file_count FROM chats") == 1


async def test_what_tools_made_takes_no_room_from_what_people_attach(ada: Person, api: ServedApi) -> None:
    path = f"/chats/{(await ada.post('/chats', {'content': [TEXT]})).json['chat']['id']}"
    await api.pool.execute(
        "UPDATE chats SET made_file_count = $1, snapshot_version = snapshot_version + 1", FILES_LIMIT
    )
    assert (await ada.post(f"{path}/messages", {"content": [await _uploaded(ada)]})).status == 202
    await api.pool.execute("UPDATE chats SET file_count = $1, snapshot_version = snapshot_version + 1", FILES_LIMIT)
    refused = await ada.post(f"{path}/messages", {"content": [await _uploaded(ada)]})
    assert (refused.status, refused.json["message"]) == (400, "A chat holds at most 50 attached files.")
