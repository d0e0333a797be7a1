"""Labels of turns: what a model gives is checked, and what is no label is replaced by what was asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.agent.describing import LABEL_LENGTH, LABEL_WORDS, checked_label, label_of


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Sorted the list", "Sorted the list"),
        ("sorted the list.", "Sorted the list"),
        ('"Sorted the list"', "Sorted the list"),
        ("**Sorted** the list", "Sorted** the list"),
        ("Label: sorted the list", "Sorted the list"),
        ("I sorted the list. It was long, and took a while.", "Sorted the list"),
        ("The user has asked about lists", "Asked about lists"),
        ("Fixed v2.1 of the parser", "Fixed v2.1 of the parser"),
        ("Sorted it\nand more", "Sorted it"),
        ("リストを並べ替えた。終わり。", "リストを並べ替えた"),
        ("Sorted the list of all the numbers that the user had given in Python", ""),
        ("x" * (LABEL_LENGTH + 1), ""),
        ("  ", ""),
        ("...", ""),
    ],
)
def test_a_label_is_a_phrase_of_a_few_words(said: str, label: str) -> None:
    assert checked_label(said) == label


@given(st.text(max_size=200))
def test_whatever_is_said_a_label_is_short(said: str) -> None:
    label = checked_label(said)
    assert len(label) <= LABEL_LENGTH + 2
    assert len(label.split()) <= LABEL_WORDS
    assert "\n" not in label


@pytest.mark.parametrize(
    ("asked", "label"),
    [
        ("How do I sort a list of numbers in Python?", "How do I sort a"),
        ("  Stop.  ", "Stop"),
        ("x" * 100, "x" * LABEL_LENGTH),
        ("go " + "x" * 100, "go"),
        ("", ""),
    ],
)
def test_without_one_the_first_words_of_the_question_stand_in(asked: str, label: str) -> None:
    assert label_of(asked) == label
