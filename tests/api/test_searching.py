"""What is typed into the search box, as it is meant."""

import pytest

from perdure.api.listing import search_of
from perdure.api.wire.chats import ListQuery
from perdure.core.errors import InvalidInput


def test_words_and_terms_are_told_apart() -> None:
    search = search_of(
        ListQuery(q='fast "two words" label:team:docs archived:true source:api search:more unread:false')
    )
    assert (search.words, search.labels) == ("fast two words more", '{"team":"docs"}')
    assert (search.archived, search.source, search.unread) == (True, "api", False)


def test_what_would_stand_for_anything_stands_for_itself() -> None:
    search = search_of(ListQuery(q="title:100%_done repo:my_repo"))
    assert (search.title, search.repo) == (r"100\%\_done", r"my\_repo")


@pytest.mark.parametrize("q", ["colour:red", "archived:maybe", "label:team", "label::docs"])
def test_a_term_that_makes_no_sense_is_refused(q: str) -> None:
    with pytest.raises(InvalidInput):
        search_of(ListQuery(q=q))
