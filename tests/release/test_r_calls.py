from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.release.r_calls import RCall, RName, is_literal, r_calls


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
        ("1:100001", list(range(1, 100_002))),
        ("1:100002", RName("1:100002")),
        ("2:2", [2]),
        ("1e1:12", [10, 11, 12]),
        ("1.5:3", RName("1.5:3")),
        ("1:1e400", RName("1:1e400")),
        ("1:n", RName("1:n")),
        ("a:b", RName("a:b")),
        ("+3", 3),
        ("+Inf", float("inf")),
        ("-x", RName("-x")),
        ("!3", RName("!3")),
        ("3L", 3),
        ("3.0", 3.0),
        (".5", 0.5),
        ("2E-1", 0.2),
        ("T", True),
        ("F", False),
        ("FALSE", False),
        (r'"a\\b\"c"', r'a\b"c'),
        (r'"\t"', "\t"),
        (r"'a\nb\r\x'", "a\nb\rx"),
        ("seq(5, 5)", [5]),
        ("seq(2, 4)", [2, 3, 4]),
        ("seq(0, 1, 0.25)", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("seq(0, 0.3, 0.1)", [0.0, 0.1, 0.2, pytest.approx(0.3)]),
        ("seq(0, 10, 4)", [0, 4, 8]),
        ("seq(3, 1, -1)", [3, 2, 1]),
        ("seq(3, 1)", RCall("seq", (3, 1), {}, 1)),
        ("seq(1, 3, 0)", RCall("seq", (1, 3, 0), {}, 1)),
        ("seq(0, Inf)", RCall("seq", (0, float("inf")), {}, 1)),
        ("seq(0, n)", RCall("seq", (0, RName("n")), {}, 1)),
        ("seq(FALSE, TRUE)", RCall("seq", (False, True), {}, 1)),
        ("seq(4)", RCall("seq", (4,), {}, 1)),
        ("seq(1, 2, 3, 4)", RCall("seq", (1, 2, 3, 4), {}, 1)),
        ("seq(0, 9, by = 3)", RCall("seq", (0, 9), {"by": 3}, 1)),
        ("seq(0, 100000)", list(range(100_001))),
        ("seq(0, 100001)", RCall("seq", (0, 100_001), {}, 1)),
        ("c()", []),
        ("c(c(1, 2), c(3))", [1, 2, 3]),
        ("c(a = 1, b = 2)", {"a": 1, "b": 2}),
        ("c(7, a = 1)", {"0": 7, "a": 1}),
        ("list()", {}),
        ("list(a = 1, 8)", {"0": 8, "a": 1}),
        ("g(1)", RCall("g", (1,), {}, 1)),
        ("f(1)(2)", RName("f(1)(2)")),
        ("x[1, 2]", RName("x[1,2]")),
        ("a \\ b", RName("a\\b")),
        ("g\n(1)", RCall("g", (1,), {}, 1)),
    ],
)
def test_what_a_text_can_tell(text, value):
    (call,) = r_calls(f"f(x = {text})")
    assert call.named == {"x": value}
    assert isinstance(call.named["x"], type(value)) or isinstance(value, RName)


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
     'source("other.R")', "k <- x |> g()", "g(k <- 3)", "`k` <- g()", 'assign("k", 3)', "k %<>% g()", "x %<>% g(k)",
     "x -> k", "x$k = 3", "while (a) g(k)", "g(1); k <<- g()", "load(f)", "g(x) |> h() -> k", "y <- x; y -> k"],
)  # fmt: skip
def test_a_name_stands_for_what_is_written_until_it_may_have_changed(change):
    assert [call.named for call in r_calls("k <- 5\nf(k = k)")][-1] == {"k": 5}
    assert [call.named for call in r_calls(f"k <- 5\n{change}\nf(k = k)")][-1] == {"k": RName("k")}
    assert [call.named for call in r_calls("k <- 5\nj <- c(k, 6)\n7 -> k\nf(j = j, k = k)")][-1] == {
        "j": [5, 6],
        "k": 7,
    }


@pytest.mark.parametrize(
    "other", ["g(k = 3)", "x[k = 3]", "g(k)", "k == 3", "k + 1", "g(list(k = 3))", "x <- g(k)", "x = k", "j <- 6", ""]
)
def test_a_name_still_stands_for_what_is_written_after_what_only_looks_at_it(other):
    assert [call.named for call in r_calls(f"k <- 5\n{other}\nf(k = `k`)")][-1] == {"k": 5}


X, Y, A, B = map(RName, "xyab")
NESTED = RCall("g", (A, B), {}, 1)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        # As (line, result, function, places, named, literal, words, piped).
        ("", []),
        ("# f(1)\n\n", []),
        ("f", [(1, "", "", (), {}, False, "f", False)]),
        ("f()", [(1, "", "f", (), {}, False, "f", False)]),
        ("f(1)(2)", [(1, "", "", (), {}, False, "f", False)]),
        ("x <- f(a)", [(1, "x", "f", (A,), {}, False, "f a", False)]),
        ("x = f(a)", [(1, "x", "f", (A,), {}, False, "f a", False)]),
        ("`x` <<- f(`x`)", [(1, "`x`", "f", (RName("`x`"),), {}, False, "f x", False)]),
        ("x <-", [(1, "", "", (), {}, False, "", False)]),
        ("<- x", [(1, "", "", (), {}, False, "x", False)]),
        ("-> x", [(1, "", "", (), {}, False, "", False)]),
        ("f(a) -> `b`", [(1, "`b`", "f", (A,), {}, False, "f a", False)]),
        ("a -> b", [(1, "b", "", (), {}, False, "a", False)]),
        ("5 -> b", [(1, "b", "", (), {}, True, "", False)]),
        ("a |> f() -> b", [(1, "b", "f", (A,), {}, False, "a f", False)]),
        ("x = y", [(1, "x", "", (), {}, False, "y", False)]),
        ("x == y", [(1, "", "", (), {}, False, "x y", False)]),
        ("a$b <- f(x)", [(1, "", "", (), {}, False, "a b f x", False)]),
        ("x <- f(a) + g(b)", [(1, "x", "", (), {}, False, "f a g b", False)]),
        ("x <- y |> f(1)", [(1, "x", "f", (Y, 1), {}, False, "y f", False)]),
        ("x <- y %>% f(k = a)", [(1, "x", "f", (Y,), {"k": A}, False, "y f k a", False)]),
        ("x <- f(y) |> g(a) |> h()",
         [(1, "", "f", (Y,), {}, False, "f y g a h", False),
          (1, "", "g", (RName("f(y)"), A), {}, False, "f y g a h", True),
          (1, "x", "h", (RName("f(y)"),), {}, False, "f y g a h", True)]),
        ("f(a) |> g",
         [(1, "", "f", (A,), {}, False, "f a g", False), (1, "", "", (RName("f(a)"),), {}, False, "f a g", True)]),
        ("f(a) |>",
         [(1, "", "f", (A,), {}, False, "f a", False), (1, "", "", (RName("f(a)"),), {}, False, "f a", True)]),
        ("h(f(a) |> g(b))", [(1, "", "h", (RName("f(a)|>g(b)"),), {}, False, "h f a g b", False)]),
        ("{ a |> f() }", [(1, "", "", (), {}, False, "a f", False)]),
        # What a line ends with says whether the next one belongs to it, over empty lines and comments, too.
        ("x |>\n f() |>\n\n # why\n g()",
         [(2, "", "f", (X,), {}, False, "x f g", False), (5, "", "g", (X,), {}, False, "x f g", True)]),
        ("x <-\n f(a,\n\n b)\ny",
         [(2, "x", "f", (A, B), {}, False, "f a b", False), (5, "", "", (), {}, False, "y", False)]),
        ("f(a) +\n g(b)\nh(x)",
         [(1, "", "", (), {}, False, "f a g b", False), (3, "", "h", (X,), {}, False, "h x", False)]),
        ("a &&\nf(b)", [(1, "", "", (), {}, False, "a f b", False)]),
        ("a %in%\nf(b)", [(1, "", "", (), {}, False, "a f b", False)]),
        ("x[1]\nf(b)", [(1, "", "", (), {}, False, "x", False), (2, "", "f", (B,), {}, False, "f b", False)]),
        ("if (a) f(b)", [(1, "", "if", (), {}, False, "if a f b", False)]),
        ("while (a) f(b)", [(1, "", "while", (), {}, False, "while a f b", False)]),
        ("x <- function(a) f(b)", [(1, "x", "function", (), {}, False, "function a f b", False)]),
        ("repeat { f(a)\ng(b) }", [(1, "", "", (), {}, False, "repeat f a g b", False)]),
        ("f(a);;g(b)", [(1, "", "f", (A,), {}, False, "f a", False), (1, "", "g", (B,), {}, False, "g b", False)]),
        ("f(';', \"\n\")\ng()",
         [(1, "", "f", (";", "\n"), {}, False, "f", False), (3, "", "g", (), {}, False, "g", False)]),
        ("a) f(b)\ng()", [(1, "", "", (), {}, False, "a f b", False), (2, "", "g", (), {}, False, "g", False)]),
        ("f(a))\ng()", [(1, "", "", (), {}, False, "f a", False), (2, "", "g", (), {}, False, "g", False)]),
        ("f(, a, )", [(1, "", "f", (A,), {}, False, "f a", False)]),
        ("f(g(a, b), [a, b], y = {x, y})",
         [(1, "", "f", (NESTED, RName("[a,b]")), {"y": RName("{x,y}")}, False, "f g a b a b y x y", False)]),
        ("f('a' = 1, `b` = 2, \"c d\" = 3)", [(1, "", "f", (), {"a": 1, "b": 2, "c d": 3}, False, "f b", False)]),
        ("f(a == 1, a[1] = 2)", [(1, "", "f", (RName("a==1"), RName("a[1]=2")), {}, False, "f a a", False)]),
        ("pkg::f(1)\n`g`(2)",
         [(1, "", "f", (1,), {}, False, "pkg::f", False), (2, "", "g", (2,), {}, False, "g", False)]),
        ("f(x, k = 1) # g(2)\n# h(3)\nh()",
         [(1, "", "f", (X,), {"k": 1}, False, "f x k", False), (3, "", "h", (), {}, False, "h", False)]),
        ("\\ <- f(1)", [(1, "", "", (), {}, False, "f", False)]),
        ("x <- list(a = 1, 2)", [(1, "x", "", (), {}, True, "list a", False)]),
        ("x <- c(a = 1, b = y)", [(1, "x", "c", (), {"a": 1, "b": Y}, False, "c a b y", False)]),
        ("k <- 5\nk |> f(k)\nf(`k`, j = k)",
         [(1, "k", "", (), {}, True, "", False), (2, "", "f", (RName("k"), 5), {}, False, "k f k", False),
          (3, "", "f", (5,), {"j": 5}, False, "f k j k", False)]),
    ],
)  # fmt: skip
def test_every_part_of_a_statement(script, found):
    assert [
        (one.line, one.result, one.function, one.places, one.named, one.literal, " ".join(one.words), one.piped)
        for one in r_calls(script)
    ] == found


def test_arguments_by_name_go_before_those_by_place():
    call = RCall("f", (1, None), {"x": 2, "y": None})
    assert [call.argument(*asked) for asked in (("x",), ("x", 0), ("y", 0), ("z", 0), ("z", 1))] == [
        2,
        2,
        None,
        1,
        None,
    ]
    assert [call.argument("z", 2), call.argument("z", 3), call.argument("z")] == [None, None, None]


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (3, True), (None, True), ([], True), ({}, True), (["a", [1, {"b": 2}]], True), (RName("x"), False),
        (RCall("f"), False), ([1, RName("x")], False), ({"a": 1, "b": RCall("f")}, False), ({"a": [RName("x")]}, False),
    ],
)  # fmt: skip
def test_a_value_is_written_out_where_all_its_parts_are(value, literal):
    assert is_literal(value) is literal


@given(st.text(alphabet="abc(){}[]\"'`#,;=<-|>%:$ \n1.\\", max_size=80))
def test_no_text_breaks_it_and_lines_never_go_back(text):
    lines = [call.line for call in r_calls(text)]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


def test_a_call_of_which_nothing_is_said():
    bare = RCall("kAnon")
    assert (bare.places, bare.named, bare.line, bare.result, bare.literal) == ((), {}, 0, "", False)
    assert (bare.words, bare.piped) == ((), False)
    told = RCall("kAnon", (1, 2), {"k": 3})
    asked = [("k", 0), ("x", 1), ("x", 2), ("x", None)]
    assert [told.argument(*one) for one in asked] == [3, 2, None, None]
