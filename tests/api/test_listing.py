"""Where lists go on."""

from perdure.api.listing import next_passed, passed_of


def test_a_search_goes_on_until_a_page_is_not_full_and_never_where_it_would_be_refused() -> None:
    assert next_passed(49, 0, 50) is None
    assert passed_of(next_passed(50, 9_950, 50)) == 10_000
    assert next_passed(50, 10_000, 50) is None
