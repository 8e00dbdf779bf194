"""What is asked of a column of text does not depend on how it is cut."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from discreet.io.text_parts import Texts

COLUMN = ["12", None, "7", "12", "x1", None, "7"]
CUTS = [(7,), (1, 6), (2, 3, 2), (1,) * 7, (0, 7), (7, 0), (3, 0, 4)]


class Cut:
    """A column in parts that counts how many are looked at."""

    def __init__(self, values: list[str | None], cut: tuple[int, ...]) -> None:
        self.looks = 0
        self.values, self.cut = values, cut

    def __call__(self) -> Any:
        start = 0
        for size in self.cut:
            self.looks += 1
            yield pa.array(self.values[start : start + size], pa.string())
            start += size


@pytest.mark.parametrize("cut", CUTS)
def test_questions_have_one_answer(cut: tuple[int, ...]) -> None:
    texts = Texts(Cut(COLUMN, cut))
    assert texts.all(r"^\w+$")
    assert not texts.all(r"^\d+$")
    assert texts.any("^x")
    assert not texts.any("^y")
    assert not texts.empty()
    assert [texts.count(value) for value in ("12", "7", "x1", "y")] == [2, 2, 1, 0]
    assert set(texts.values()) == set(texts.different().values()) == {"12", "7", "x1"}
    assert [texts.first(count) for count in range(8)] == [
        [], ["12"], ["12"], ["12", "7"], ["12", "7"], ["12", "7", "x1"], ["12", "7", "x1"], ["12", "7", "x1"],
    ]  # fmt: skip
    assert set(texts.changed(lambda part: part.filter(pa.compute.equal(part, "7"))).values()) == {"7"}


@pytest.mark.parametrize("cut", [(3,), (1, 2), (0, 3)])
def test_a_column_without_values_is_nothing(cut: tuple[int, ...]) -> None:
    texts = Texts(Cut([None] * 3, cut))
    assert texts.empty()
    assert not texts.all(".*")
    assert not texts.any(".*")
    assert (texts.first(3), list(texts.values()), texts.count("x")) == ([], [], 0)
    assert Texts(Cut([None, None, "a"], cut)).all("^a$")


def test_a_look_ends_with_the_part_that_decides_it() -> None:
    for ask, looks in [
        (lambda texts: texts.all("^1"), 3), (lambda texts: texts.any("^7"), 3), (lambda texts: texts.first(2), 2),
        (lambda texts: texts.empty(), 1),
    ]:  # fmt: skip
        parts = Cut(COLUMN, (1,) * 7)
        ask(Texts(parts))
        assert parts.looks == looks


def test_a_column_that_is_held_is_one_part_and_its_different_values_are_found_once() -> None:
    column = pa.chunked_array([COLUMN[:3], COLUMN[3:]])
    texts = Texts.of(column)
    assert list(texts.parts()) == [column]
    different = texts.different()
    assert [part.to_pylist() for part in different.parts()] == [["12", "7", "x1"]]
    assert next(iter(different.parts())) is next(iter(different.parts()))


def test_no_value_twice_in_a_part() -> None:
    texts = Texts(Cut(COLUMN, (4, 3))).different()
    for _ in range(2):  # as often as is needed
        assert [part.to_pylist() for part in texts.parts()] == [["12", "7"], ["x1", "7"]]
    two = Texts(lambda: [pa.array(["a", "a"]), pa.array(["a"])])
    assert [part.to_pylist() for part in two.different().parts()] == [["a"], ["a"]]
