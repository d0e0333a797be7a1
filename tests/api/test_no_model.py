"""Without a model there is nobody to answer: that is said before anything is kept."""

from typing import Any

import pytest

from perdure.testing.served_api import Person, ServedApi

TEXT = [{"type": "text", "text": "hello"}]


def says_what_to_do(body: Any) -> bool:
    return "No model is set up" in body["message"] and "admin" in body["message"]


async def test_a_chat_that_no_model_could_answer_is_not_begun(api: ServedApi, ada: Person) -> None:
    await api.has_no_model()
    refused = await ada.post("/chats", {"content": TEXT})
    assert (refused.status, says_what_to_do(refused.json)) == (409, True)
    assert (await ada.get("/chats")).json["items"] == []


@pytest.mark.parametrize(("method", "path"), [("POST", "messages"), ("PUT", "messages/1")])
async def test_what_no_model_could_answer_is_not_said(api: ServedApi, ada: Person, method: str, path: str) -> None:
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    await api.has_no_model()
    refused = await ada.ask(method, f"/chats/{chat}/{path}", {"content": TEXT})
    assert (refused.status, says_what_to_do(refused.json)) == (409, True)
    assert len((await ada.get(f"/chats/{chat}/messages")).json["items"]) == 1


async def test_a_fork_that_no_model_could_answer_is_not_begun(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    await api.has_no_model()
    refused = await ada.post(f"/chats/{chat}/fork", {"after": 1, "content": TEXT})
    assert (refused.status, says_what_to_do(refused.json)) == (409, True)
    assert len((await ada.get("/chats")).json["items"]) == 1
    assert (await ada.post(f"/chats/{chat}/fork", {"after": 1})).status == 201
