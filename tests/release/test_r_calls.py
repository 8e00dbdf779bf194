from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.release.r_calls import RCall, RName, r_calls


def calls(text):
    return [(call.line, call.result, call.function) for call in r_calls(text)]


def test_lines_results_and_functions():
    script = "# a comment\nlibrary(sdcMicro)\n\nsdc <- f(1,\n   2)\nx = g()\nh(3) -> y; k()\n"
    assert calls(script) == [(2, "", "library"), (4, "sdc", "f"), (6, "x", "g"), (7, "y", "h"), (7, "", "k")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a b"', "a b"),
        (r"'it\'s'", "it's"),
        ("3", 3),
        ("-2.5", -2.5),
        ("1e3", 1000.0),
        ("4L", 4),
        ("TRUE", True),
        ("NULL", None),
        ("1:4", [1, 2, 3, 4]),
        ("3:1", [3, 2, 1]),
        ('c("a", "b")', ["a", "b"]),
        ("c(1:2, 9)", [1, 2, 9]),
        ("seq(0, 90, 30)", [0, 30, 60, 90]),
        ('list(c("a"), "b")', {"0": ["a"], "1": "b"}),
        ("other", RName("other")),
        ("10 * c(1, 2)", RName("10*c(1,2)")),
        ("Inf", float("inf")),
        ("-Inf", -float("inf")),
        ("NA", RName("NA")),
        ("1:999999999", RName("1:999999999")),
    ],
)
def test_what_a_text_can_tell(text, value):
    (call,) = r_calls(f"f(x = {text})")
    assert call.named == {"x": value}
    assert call.argument("x") == value
    assert call.argument("y", 3) is None


def test_names_of_packages_and_commas_in_texts():
    (call,) = r_calls('sdcMicro::kAnon(obj, "a, b)", k = 3)')
    assert (call.function, call.places, call.named) == ("kAnon", (RName("obj"), "a, b)"), {"k": 3})


def test_pipes_are_taken_apart_and_go_on_over_lines():
    script = "sdc <- sdc |>\n  f(1) %>%\n  g(k = 2)\n"
    assert list(r_calls(script)) == [
        RCall("f", (RName("sdc"), 1), {}, 2, ""),
        RCall("g", (RName("sdc"),), {"k": 2}, 3, "sdc"),
    ]


def test_what_would_have_to_be_run_is_no_call_but_has_its_line():
    script = "a <- 1\nfor (i in 1:3) {\n  f(i)\n  g(i)\n}\nx$age[x$age > 90] <- 90\nf(1) + g(2)\nh()"
    assert calls(script) == [(1, "a", ""), (2, "", "for"), (6, "", ""), (7, "", ""), (8, "", "h")]


@pytest.mark.parametrize(
    "change",
    ["k <- g()", "k[2] <- 3", "names(k) = 3", "if (a) k <- 3", "for (i in 1:2) {\n k <- 3\n}", "g() -> k", "rm(k)",
     'source("other.R")', "k <- x |> g()", "g(k <- 3)", "`k` <- g()", 'assign("k", 3)'],
)  # fmt: skip
def test_a_name_stands_for_what_is_written_until_it_may_have_changed(change):
    assert [call.named for call in r_calls("k <- 5\nf(k = k)")][-1] == {"k": 5}
    assert [call.named for call in r_calls(f"k <- 5\n{change}\nf(k = k)")][-1] == {"k": RName("k")}
    assert [call.named for call in r_calls("k <- 5\nj <- c(k, 6)\n7 -> k\nf(j = j, k = k)")][-1] == {
        "j": [5, 6],
        "k": 7,
    }


@given(st.text(alphabet="abc(){}[]\"'`#,;=<-|>%:$ \n1.\\", max_size=80))
def test_no_text_breaks_it_and_lines_never_go_back(text):
    lines = [call.line for call in r_calls(text)]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)
