from __future__ import annotations

import pytest

from discreet import catalogue
from discreet.parameters import describe, summary_of


class Above:
    """Stand above.

    Parameters
    ----------
    k : int
        What the class above says.
    strata : list of str
        Only said *above*.
    """


class Below(Above):
    """Do one thing,
    on two lines.

    Keeps much; destroys little.

    Parameters
    ----------
    k, l : int
        What the class
        itself says.
    **others
        All else.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> 1 - 1
    0
    """


def test_a_docstring_in_its_parts():
    about = describe(Below)
    assert about.summary == "Do one thing, on two lines."
    assert about.more == "Keeps much; destroys little."
    assert about.notes == "O(n)."
    assert about.sections["Examples"] == ">>> 1 - 1\n0"
    assert dict(about.parameters) == {
        "k": "What the class itself says.",
        "l": "What the class itself says.",
        "others": "All else.",
        "strata": "Only said *above*.",
    }


def test_nothing_said_is_nothing_told():
    class Silent: ...

    about = describe(Silent)
    assert (about.summary, about.more, dict(about.parameters), dict(about.sections)) == ("", "", {}, {})


def test_a_summary_is_in_plain_words():
    def function():
        """Return `x` of :meth:`~discreet.contracts.masker.Masker.mask`.

        More.
        """

    assert summary_of(function) == "Return x of mask."
    assert summary_of(Below) == "Do one thing, on two lines."


@pytest.mark.parametrize("contract", ["maskers", "linkers", "measures"])
def test_every_method_says_what_each_parameter_is_for(contract):
    for name, cls in getattr(catalogue, contract)().items():
        about = describe(cls)
        assert about.summary, name
        assert describe(cls) is about, "a description is made once a class"
        # A seed is the same everywhere: its constraint says all there is to say.
        assert not [one for one in cls.parameter_names() if one != "random_state" and not about.parameters.get(one)]
