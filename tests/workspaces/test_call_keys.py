"""Keys are let go of once the step that used them is committed."""

from uuid import UUID

from perdure.core.ids import ChatId, WorkspaceId
from perdure.workspaces.call_keys import CallKeys

ADA, BOB = ChatId(UUID(int=1)), ChatId(UUID(int=2))
PLACE, VIEW = (WorkspaceId(UUID(int=3)), False), (WorkspaceId(UUID(int=3)), True)


def test_the_keys_of_a_step_are_spent_when_the_next_step_of_the_same_chat_acts_in_the_same_place() -> None:
    keys = CallKeys()
    assert keys.use(ADA, PLACE, step=2, key="a") == set()
    assert keys.use(ADA, PLACE, step=2, key="b") == set()
    assert keys.use(BOB, PLACE, step=9, key="c") == set()
    assert keys.use(ADA, VIEW, step=4, key="d") == set()
    assert keys.use(ADA, PLACE, step=4, key="e") == {"a", "b"}
    assert keys.use(ADA, PLACE, step=6, key="f") == {"e"}
