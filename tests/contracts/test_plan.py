"""What a masker plans from."""

from __future__ import annotations

import pytest

from discreet.contracts.plan import OfTable, Plan, Scope, kinds, of_table
from discreet.contracts.remark import Remark
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema

ONE = Schema([Attribute("n", Numeric(), "key")])


@pytest.mark.parametrize(
    ("n", "block_size", "parts"), [(10, None, 1), (10, 5, 2), (11, 5, 3), (4, 5, 1), (0, 5, 1), (5, 5, 1)]
)
def test_into_how_many_parts_records_are_cut(n, block_size, parts):
    assert Scope(ONE, (), n, n, None, None, block_size).parts == parts
    assert Scope(ONE, (), n, n, None, None).stratum == 0


def test_a_question_of_the_whole_table():
    def inquiry():
        first = yield "one"
        second = yield "two"
        return first + second

    asked = of_table(inquiry())
    assert next(asked) == OfTable("one")
    assert asked.send(3) == OfTable("two")
    with pytest.raises(StopIteration) as end:
        asked.send(4)
    assert end.value.value == 7


def test_what_engines_call_the_scales():
    scales = {"n": Numeric(), "o": Ordinal(("a", "b")), "c": Nominal(("a", "b")), "s": Sequence(("a", "b"))}
    schema = Schema([Attribute(name, scale, "key") for name, scale in scales.items()])
    assert kinds(schema, "nocs") == {"n": "float", "o": "code", "c": "code", "s": "bytes"}
    assert kinds(schema, "c") == {"c": "code"}


def test_plans_and_remarks_are_plain():
    assert (Plan().attributes, Plan().details, Plan().notes) == ((), {}, ())
    assert Remark("small-k", "k is 2.", "Take more.").to_dict() == {
        "code": "small-k", "sentence": "k is 2.", "hint": "Take more.",
    }  # fmt: skip
