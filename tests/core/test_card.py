"""The table of a card's fields, and what is made of it."""

from perdure.core.card import CARD_FIELDS, CardChange, moved_fields


def test_every_field_of_a_change_is_in_the_table_in_its_order() -> None:
    assert CardChange.__struct_fields__ == tuple(CARD_FIELDS)


def test_two_changes_add_up_to_one() -> None:
    first = CardChange(cost=5, context_tokens=3, plan_mode=True, approvals={"read": "auto"})
    second = CardChange(cost=2, turns=1, context_tokens=4, turn_label=None, pin=0, approvals={"write": "auto"})
    assert first + second == CardChange(
        cost=7,
        turns=1,
        context_tokens=4,
        plan_mode=True,
        pin=0,
        turn_label=None,
        approvals={"read": "auto", "write": "auto"},
    )


def test_what_a_change_leaves_alone_does_not_move() -> None:
    known = CardChange(cost=5, context_limit=8)
    assert moved_fields(known, CardChange()) == {}
    assert moved_fields(known, CardChange(cost=1, turn_label=None)) == {"cost": 6, "turn_label": None}
