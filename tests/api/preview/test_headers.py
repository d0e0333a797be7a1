"""Which headers cross between a browser and a workspace, for any that there could be."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.api.preview.addresses import Place, PreviewAddresses
from perdure.api.preview.headers import Headers, Shown, moved, returned, sent
from perdure.core.ids import WorkspaceId

OWN = Shown(3000, "https://p3000-a.preview.example.net", page="https://perdure.example.com")
PATH = Shown(3000, "null", "/preview/grant")
SECRET = "pds_secret"
names = st.sampled_from(
    [
        "cookie",
        "authorization",
        "connection",
        "host",
        "origin",
        "referer",
        "x-a",
        "upgrade",
        "set-cookie",
        "location",
        "transfer-encoding",
        "x-forwarded-host",
        "sec-websocket-key",
        "content-type",
        "clear-site-data",
        "accept",
    ]
)
values = st.one_of(
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40),
    st.sampled_from(
        [
            f"perdure_session={SECRET}",
            f"a=1; perdure_session={SECRET}; b=2",
            f"Perdure_Session={SECRET}",
            "x-a, close",
            f"Bearer {SECRET}",
            f"bearer  {SECRET}",
            "perdure_session=evil; Domain=example.com",
            "a=1; dOmAin=example.com",
        ]
    ),
)
lists = st.lists(st.tuples(names, values), max_size=8)


@given(lists, st.sampled_from([OWN, PATH]))
def test_what_proves_who_somebody_is_never_reaches_a_workspace(headers: Headers, shown: Shown) -> None:
    proofs = [(name, value) for name, value in headers if name in ("cookie", "authorization") or SECRET not in value]
    found = sent(proofs, shown)
    assert SECRET not in str(found)
    assert [value for name, value in found if name == "Host"] == ["localhost:3000"]
    assert not {"host", "connection", "upgrade", "transfer-encoding", "x-forwarded-host"} & {name for name, _ in found}


@given(lists, st.sampled_from([OWN, PATH]))
def test_no_cookie_of_this_server_and_none_for_a_whole_domain_comes_back(headers: Headers, shown: Shown) -> None:
    cookies = [value.lower() for name, value in returned(headers, shown) if name == "set-cookie"]
    assert not any(each.lstrip().startswith("perdure_") for each in cookies)
    assert not any(piece.strip().startswith("domain=") for each in cookies for piece in each.split(";")[1:])
    assert shown.isolated or not cookies


@given(lists)
def test_without_an_origin_every_answer_is_in_a_sandbox(headers: Headers) -> None:
    found = returned(headers, PATH)
    last = [value for name, value in found if name == "content-security-policy"][-1]
    assert last.startswith("sandbox ")
    assert "allow-same-origin" not in last
    assert not {"clear-site-data", "set-cookie", "nel"} & {name for name, _ in found}


@pytest.mark.parametrize(
    ("location", "own", "path"),
    [
        ("/a?b#c", "/a?b#c", "/preview/grant/a?b#c"),
        ("a/b", "a/b", "a/b"),
        ("http://localhost:3000/x", "/x", "/preview/grant/x"),
        ("http://127.0.0.1:3000", "/", "/preview/grant/"),
        ("http://localhost:3001/x", "http://localhost:3001/x", "http://localhost:3001/x"),
        ("https://example.com/x", "https://example.com/x", "https://example.com/x"),
        ("//evil.example/x", "//evil.example/x", "//evil.example/x"),
        ("http://localhost:3000//evil.example", "/evil.example", "/preview/grant/evil.example"),
        ("http://[", "http://[", "http://["),
        ("http://localhost:99999/", "http://localhost:99999/", "http://localhost:99999/"),
    ],
)
def test_an_answer_leads_on_where_the_browser_is(location: str, own: str, path: str) -> None:
    assert moved(location, OWN) == own
    assert moved(location, PATH) == path


@given(st.uuids(), st.integers(1, 65535))
def test_every_place_has_one_name_that_fits_a_host(workspace: UUID, port: int) -> None:
    place = Place(WorkspaceId(workspace), port)
    assert len(place.label) <= 63
    assert Place.of(place.label) == Place.of(place.label.upper()) == place
    for other in (place.label[:-1], f"{place.label}a", f"p0{place.label[1:]}", f"{place.label}.x", place.label[1:]):
        assert Place.of(other) != place


LABEL = Place(WorkspaceId(UUID(int=5)), 80).label


@pytest.mark.parametrize(
    ("configured", "public_url", "page", "origin"),
    [
        (None, None, "http://localhost:8080", f"http://{LABEL}.localhost:8080"),
        (None, None, "http://127.0.0.1:8080", f"http://{LABEL}.localhost:8080"),
        (None, None, "http://10.0.0.7:8080", None),
        (None, None, "http://[", None),
        (None, "https://perdure.example.com", "https://perdure.example.com", None),
        ("off", None, "http://localhost:8080", None),
        (
            "https://*.preview.example.net",
            "https://a.example",
            "https://a.example",
            f"https://{LABEL}.preview.example.net",
        ),
    ],
)
def test_an_origin_of_its_own_is_where_there_can_be_one(
    configured: str | None, public_url: str | None, page: str, origin: str | None
) -> None:
    addresses = PreviewAddresses(configured, public_url)
    place = Place(WorkspaceId(UUID(int=5)), 80)
    assert addresses.origin(place, page) == origin
    if origin is not None:
        assert addresses.place(origin.partition("://")[2]) == place
    assert addresses.place("perdure.example.com") is None
    assert addresses.place(f"{LABEL}.elsewhere.example") is None
    assert addresses.place("") is None
