from __future__ import annotations

import math

import pytest

from discreet.errors import FileError
from discreet.release.sdcmicro_script import _bands, _refusal, _whole_name, read_sdcmicro

OBJECT = (
    'sdc <- createSdcObj(d, keyVars = c("region", "sex"), numVars = c("income", "tax"), pramVars = "fuel",'
    ' weightVar = "w", hhId = "home", sensibleVar = "illness", excludeVars = "name")\n'
)


def steps(script):
    return [(step.method, dict(step.parameters)) for step, _ in read_sdcmicro(OBJECT + script).steps]


STRATIFIED = OBJECT.replace("sensibleVar", 'strataVar = "county", sensibleVar')


def test_roles():
    columns = read_sdcmicro(STRATIFIED).columns
    assert columns == {
        "keys": ["region", "sex", "income", "tax", "fuel"], "numeric": ["income", "tax"], "weight": ["w"],
        "household": ["home"], "strata": ["county"], "confidential": ["illness"], "identifiers": ["name"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "method", "parameters"),
    [
        ("kAnon(sdc, k = 3)", "local-suppression",
         {"k": 3, "attributes": ["region", "sex"], "missing": "wildcard"}),
        ("localSuppression(sdc, k = 5, importance = c(2, 1))", "local-suppression",
         {"k": 5, "attributes": ["region", "sex"], "importance": ["sex", "region"], "missing": "wildcard"}),
        ("localSuppression(sdc, k = c(10, 20), combs = 1:2)", "local-suppression",
         {"combinations": {"1": 10, "2": 20}, "attributes": ["region", "sex"], "missing": "wildcard"}),
        ('localSupp(sdc, threshold = 0.1, keyVar = "sex")', "risk-suppression",
         {"threshold": 0.1, "suppress": ["sex"], "missing": "wildcard"}),
        ('globalRecode(sdc, column = "age", breaks = c(0, 15, 30))', "banding", {"bands": {"age": "0,15,30"}}),
        ('globalRecode(sdc, "age", 4)', "banding", {"bands": {"age": "equal:4"}}),
        ('groupAndRename(sdc, var = "fuel", before = c("oil", "gas"), after = "fossil")', "level-map",
         {"maps": {"fuel": {"oil": "fossil", "gas": "fossil"}}}),
        ('topBotCoding(sdc, value = 90, replacement = 90, column = "age")', "top-coding",
         {"threshold": 90, "attributes": ["age"]}),
        ('topBotCoding(sdc, value = 1, kind = "bottom", column = "age")', "bottom-coding",
         {"threshold": 1, "attributes": ["age"]}),
        ('microaggregation(sdc, aggr = 4, method = "mdav")', "mdav", {"k": 4, "attributes": ["income", "tax"]}),
        ('microaggregation(sdc, variables = "tax", method = "onedims")', "individual-ranking",
         {"k": 3, "attributes": ["tax"]}),
        ('microaggregation(sdc, method = "mcdpca")', "projection",
         {"k": 3, "attributes": ["income", "tax"], "axis": "robust"}),
        ("pram(sdc, pd = 0.7)", "pram", {"theta": 0.3, "invariant": True, "attributes": ["fuel"]}),
        ("addNoise(sdc, noise = 20)", "additive-noise", {"level": 0.2, "attributes": ["income", "tax"]}),
        ('addNoise(sdc, noise = 50, method = "correlated")', "correlated-noise",
         {"level": 0.5, "attributes": ["income", "tax"]}),
        ("rankSwap(sdc, P = 10)", "rank-swapping", {"p": 10, "attributes": ["income", "tax"]}),
    ],
)  # fmt: skip
def test_steps(call, method, parameters):
    assert steps(f"sdc <- {call}\n") == [(method, parameters)]


@pytest.mark.parametrize(
    ("call", "unread"),
    [
        ("localSuppression(sdc, k = kk)", ["localSuppression(k)"]),
        ("localSuppression(sdc, kk)", ["localSuppression(k)"]),
        ("kAnon(sdc, k = c(3, kk), combs = 1:2)", ["kAnon(k)"]),
        ("kAnon(sdc, k = 3, importance = imp)", ["kAnon(importance)"]),
        ("kAnon(sdc, k = NA)", ["kAnon(k)"]),
        ("localSupp(sdc, threshold = th)", ["localSupp(threshold)"]),
        ("microaggregation(sdc, aggr = n)", ["microaggregation(aggr)"]),
        ("microaggregation(sdc, method = m)", ["microaggregation(method)"]),
        ('microaggregation(sdc, "tax", n)', ["microaggregation(aggr)"]),
        ("microaggregation(sdc, variables = cols)", ["microaggregation(variables)"]),
        ("microaggrGower(sdc, aggr = n)", ["microaggrGower(aggr)"]),
        ("rankSwap(sdc, P = p0)", ["rankSwap(P)"]),
        ("pram(sdc, pd = mypd)", ["pram(pd)"]),
        ("pram(sdc, pd = c(0.9, 0.5))", ["pram(pd)"]),
        ("pram(sdc, strata_variables = s)", ["pram(strata_variables)"]),
        ("addNoise(sdc, noise = lvl)", ["addNoise(noise)"]),
        ("addNoise(sdc, noise = 2 * 10)", ["addNoise(noise)"]),
        ('topBotCoding(sdc, 90, 90, kind = side, column = "age")', ["topBotCoding"]),
        # What the method's own parameters refuse.
        ("localSuppression(sdc, k = -5)", ["localSuppression"]),
        ("localSuppression(sdc, k = 3.7)", ["localSuppression"]),
        ('localSuppression(sdc, k = "five")', ["localSuppression(k)"]),
        ("microaggregation(sdc, aggr = 1)", ["microaggregation"]),
        ("pram(sdc, pd = 80)", ["pram"]),
        ("addNoise(sdc, noise = -20)", ["addNoise"]),
        ("rankSwap(sdc, P = 500)", ["rankSwap"]),
        ('globalRecode(sdc, "age", c(0, x, 40))', ["globalRecode"]),
        ('globalRecode(sdc, "age", c(-Inf, Inf))', ["globalRecode"]),
        ("suppressWarnings(sdc <- kAnon(sdc, k = 3))", ["an expression"]),
        # A call within another one would be dropped with it.
        ("microaggregation(localSuppression(sdc, k = 10), aggr = 4)", ["microaggregation"]),
        ("microaggregation(ownFunction(sdc), aggr = 4)", ["microaggregation"]),
        ("microaggregation(objects[[1]], aggr = 4)", ["microaggregation"]),
        ("extractManipData(pram(sdc, pd = 0.5))", ["extractManipData"]),
        ("head(pram(sdc)@manipPramVars)", ["head"]),
        ("print(undolast(sdc))", ["print"]),
        # The beginning of a name that could be several, one that is given twice, one in other letters.
        ("microaggregation(sdc, aggr = 10, me = 'pca')", ["microaggregation(me)"]),
        ("microaggregation(sdc, agg = 10, aggr = 4)", ["microaggregation(agg)"]),
        ("microaggregation(sdc, var = 'tax')", ["microaggregation(var)"]),
        ("rankSwap(sdc, p = 30)", ["rankSwap(p)"]),
    ],
)
def test_what_cannot_be_told_gives_no_step_and_is_listed(call, unread):
    imported = read_sdcmicro(OBJECT + f"sdc <- {call}\n")
    assert imported.steps == []
    assert [(one.where, one.what) for one in imported.unread] == [("line 2", what) for what in unread]
    assert not any("RName" in str(one) or "RCall" in str(one) for one in imported.unread)


def test_why_a_call_was_refused_is_said_with_its_parameter():
    (unread,) = read_sdcmicro("sdc <- localSuppression(sdc, k = -5)\n").unread
    assert str(unread) == (
        "line 1: localSuppression: local-suppression refuses it: k must be an integer of at least 2; got -5; "
        "the call is not taken over"
    )


@pytest.mark.parametrize(
    ("breaks", "bands"),
    [
        ("c(0, 20, 40, Inf)", "0,20,40+"),
        ("c(-Inf, 20, 40)", "<20,40"),
        ("c(-Inf, 20, Inf)", "<20,20+"),
        ("c(Inf, 40, 20)", "20,40+"),
        ("c(0, 1234567)", "0,1234567"),
    ],
)
def test_open_ends_of_breaks(breaks, bands):
    assert steps(f'globalRecode(sdc, column = "age", breaks = {breaks})\n') == [("banding", {"bands": {"age": bands}})]


def test_names_of_written_values_stand_for_them():
    script = (
        'keyv <- c("q1", "q2")\n'
        "kk = 5\n"
        "sdc <- createSdcObj(d, keyVars = keyv)\n"
        "sdc <- kAnon(sdc, k = kk)\n"
        "kk <- kk + 1\n"
        "sdc <- kAnon(sdc, k = kk)\n"
        'more <- c("q3", f(x))\n'
        "late <- kAnon(sdc, k = after)\n"
        "after <- 4\n"
    )
    imported = read_sdcmicro(script)
    assert imported.columns == {"keys": ["q1", "q2"]}
    assert [step.parameters["k"] for step, _ in imported.steps] == [5]
    assert [(one.where, one.what) for one in imported.unread] == [
        ("line 5", "an expression"),
        ("line 6", "kAnon(k)"),
        ("line 7", "an expression"),
        ("line 8", "kAnon(k)"),
    ]


def test_undo_of_a_call_that_gave_no_step_takes_no_other_back():
    imported = read_sdcmicro(OBJECT + "sdc <- kAnon(sdc, k = 3)\nsdc <- pram(sdc, pd = p)\nsdc <- undolast(sdc)\n")
    assert [step.method for step, _ in imported.steps] == ["local-suppression"]
    assert [one.what for one in imported.unread] == ["pram(pd)", "undolast"]


def test_arguments_without_names_go_where_r_puts_them():
    assert steps('topBotCoding(sdc, 1, 1, "bottom", "age")\n') == [
        ("bottom-coding", {"threshold": 1, "attributes": ["age"]})
    ]
    assert steps('microaggregation(sdc, "tax", 7)\n') == [("mdav", {"k": 7, "attributes": ["tax"]})]
    assert steps("microaggrGower(sdc, aggr = 6)\n") == [("mixed-mdav", {"k": 6, "attributes": ["region", "sex"]})]


def test_undo_takes_the_last_step_back_and_says_so():
    imported = read_sdcmicro(OBJECT + "sdc <- kAnon(sdc, k = 3)\nsdc <- pram(sdc)\nsdc <- undolast(sdc)\n")
    assert [step.method for step, _ in imported.steps] == ["local-suppression"]
    assert "line 4: undolast: the step pram before it was left out" in map(str, imported.unread)


def test_every_line_is_a_step_a_role_silent_or_listed():
    """Nothing is dropped: a line that does neither declare nor mask stands in the list."""
    script = (
        "library(sdcMicro)\n"
        'd <- read.csv2("survey.csv")\n'
        "d$age <- d$age + 1\n"
        "set.seed(1)\n"
        'sdc <- createSdcObj(d, keyVars = names(d)[1:3], newArgument = "x")\n'
        "sdc <- kAnon(sdc, k = 3, cores = 4)\n"
        "sdc <- microaggregation(sdc, method = 'clara')\n"
        "if (x > 1) {\n  sdc <- f(sdc)\n}\n"
        "ownFunction(sdc)\n"
        "print(sdc)\n"
    )
    imported = read_sdcmicro(script)
    assert imported.data == "survey.csv"
    assert imported.layout == {"delimiter": ";"}
    assert [(one.where, one.what) for one in imported.unread] == [
        ("line 3", "an expression"),
        ("line 4", "set.seed"),
        ("line 5", "createSdcObj(keyVars)"),
        ("line 5", "createSdcObj(newArgument)"),
        ("line 6", "kAnon(cores)"),
        ("line 7", "microaggregation(method = 'clara')"),
        ("line 8", "if"),
        ("line 11", "ownFunction"),
        ("line 12", "print"),
    ]


@pytest.mark.parametrize(
    ("call", "method", "parameters"),
    [
        ("kAnon(sdc)", "local-suppression", {"k": 2, "attributes": ["region", "sex"], "missing": "wildcard"}),
        ("kAnon(sdc, 4)", "local-suppression", {"k": 4, "attributes": ["region", "sex"], "missing": "wildcard"}),
        ("kAnon(sdc, k = c(7, 9))", "local-suppression",
         {"k": 9, "attributes": ["region", "sex"], "missing": "wildcard"}),
        ("localSupp(sdc)", "risk-suppression", {"threshold": 0.15, "missing": "wildcard"}),
        ('localSupp(sdc, 0.2, "sex")', "risk-suppression",
         {"threshold": 0.2, "suppress": ["sex"], "missing": "wildcard"}),
        ('groupAndRename(sdc, "fuel", c("oil", "gas"), c("o", "g"))', "level-map",
         {"maps": {"fuel": {"oil": "o", "gas": "g"}}}),
        ('groupAndRename(sdc, "fuel", "oil", "o")', "level-map", {"maps": {"fuel": {"oil": "o"}}}),
        ('topBotCoding(sdc, 90, 90, column = "age")', "top-coding", {"threshold": 90, "attributes": ["age"]}),
        ('microaggregation(sdc, strata_variables = "county")', "mdav",
         {"k": 3, "attributes": ["income", "tax"], "strata": ["county"]}),
        ('microaggregation(sdc, method = "pca")', "projection", {"k": 3, "attributes": ["income", "tax"]}),
        ('mafast(sdc, "tax", aggr = 5)', "mdav", {"k": 5, "attributes": ["tax"]}),
        ("microaggrGower(sdc)", "mixed-mdav", {"k": 3, "attributes": ["region", "sex"]}),
        ("microaggrGower(sdc, k = 6)", "mixed-mdav", {"k": 6, "attributes": ["region", "sex"]}),
        ("pram(sdc)", "pram", {"theta": 0.2, "invariant": True, "attributes": ["fuel"]}),
        ('pram(sdc, "sex", 0.9, strata_variables = "county")', "pram",
         {"theta": 0.1, "invariant": True, "attributes": ["sex"], "strata": ["county"]}),
        ("addNoise(sdc)", "additive-noise", {"level": 1.5, "attributes": ["income", "tax"]}),
        ('addNoise(sdc, method = "ROMM")', "romm", {"attributes": ["income", "tax"]}),
        ("rankSwap(sdc)", "rank-swapping", {"p": 5, "attributes": ["income", "tax"]}),
        ("shuffle(sdc, form)", "shuffling", {"attributes": ["income", "tax"]}),
    ],
)  # fmt: skip
def test_steps_with_what_a_call_leaves_unsaid(call, method, parameters):
    assert steps(f"sdc <- {call}\n") == [(method, parameters)]


@pytest.mark.parametrize(
    ("call", "unread"),
    [
        ("kAnon(sdc, k = 3, combs = 2)", ["kAnon(combs)"]),
        ("kAnon(sdc, k = c(3, 4), combs = 1:3)", ["kAnon(k)", "kAnon(combs)"]),
        ("kAnon(sdc, importance = c(1, 2, 3))", ["kAnon(importance)"]),
        ("kAnon(sdc, importance = c(1, 2), k = 2, combs = NULL)", []),
        ('globalRecode(sdc, column = "age", breaks = f(x))', ["globalRecode"]),
        ("globalRecode(sdc, column = 3, breaks = c(0, 1))", ["globalRecode"]),
        ('globalRecode(sdc, column = "age", breaks = c(0, 9), labels = c("a"))', ["globalRecode(labels)"]),
        ('groupAndRename(sdc, "fuel", c("a", "b"), c("x", "y", "z"))', ["groupAndRename"]),
        ("groupAndRename(sdc, 2, c('a', 'b'), 'x')", ["groupAndRename"]),
        ('topBotCoding(sdc, value = f(x), column = "age")', ["topBotCoding"]),
        ("topBotCoding(sdc, value = 90, column = 2)", ["topBotCoding"]),
        ('topBotCoding(sdc, 90, 99, column = "age")', ["topBotCoding(replacement)"]),
        ('topBotCoding(sdc, value = 90, replacement = 99, column = "age")', ["topBotCoding(replacement)"]),
        ('topBotCoding(sdc, value = 90, column = "age")', []),
        ("microaggregation(sdc, method = 'rmd', trim = 0.1)",
         ["microaggregation(method = 'rmd')", "microaggregation(trim)"]),
        ("microaggregation(sdc, method = 'mdav', aggr = 3, variables = cols)", ["microaggregation(variables)"]),
        ("pram(sdc, alpha = 0.5)", ["pram(alpha)"]),
        ("addNoise(sdc, method = 'new', delta = 0.1)", ["addNoise(method = 'new')", "addNoise(delta)"]),
        ("addNoise(sdc, noise = 10, p = 0.1)", ["addNoise(p)"]),
        ("rankSwap(sdc, P = 5, K0 = 3)", ["rankSwap(K0)"]),
        ("shuffle(sdc, form)", ["shuffle(form)"]),
        ("removeDirectID(sdc, var = v)", ["removeDirectID"]),
        ("varToFactor(sdc, var = v)", ["varToFactor"]),
        ("undolast(sdc)", []),
        ("suda2(sdc)", ["suda2"]),
        ("head(sdc)", []),
    ],
)  # fmt: skip
def test_what_is_not_taken_over_is_listed(call, unread):
    assert [one.what for one in read_sdcmicro(OBJECT + f"sdc <- {call}\n").unread] == unread


def test_columns_by_name_by_place_and_by_position():
    imported = read_sdcmicro('createSdcObj(d, c("a", "b"), "x", c("p"))\n')
    assert imported.columns == {"keys": ["a", "b", "x", "p"], "numeric": ["x"]}
    assert imported.sets == {"keyVars": ["a", "b"], "numVars": ["x"], "pramVars": ["p"]}
    assert read_sdcmicro("createSdcObj(d, keyVars = c(1, 3))\n").columns == {"keys": [1, 3]}
    flagged = read_sdcmicro("createSdcObj(d, keyVars = TRUE, alpha = 0.5, seed = 3, weightVar = NULL)\n")
    assert (flagged.columns, [one.what for one in flagged.unread]) == (
        {}, ["createSdcObj(keyVars)", "createSdcObj(alpha)", "createSdcObj(seed)"],
    )  # fmt: skip
    script = OBJECT + 'sdc <- removeDirectID(sdc, var = c("mail", "tel"))\nvarToFactor(sdc, "sex")\n'
    imported = read_sdcmicro(script + 'varToNumeric(sdc, var = "age")\n')
    assert imported.columns["identifiers"] == ["name", "mail", "tel"]
    assert imported.columns["nominal"] == ["sex"]
    assert imported.columns["numeric"] == ["income", "tax", "age"]


def test_recoded_columns_are_declared_and_their_steps_say_where_they_come_from():
    script = 'sdc <- globalRecode(sdc, "age", c(-Inf, 15, 30, Inf))\nsdc <- groupAndRename(sdc, "fuel", "a", "b")\n'
    imported = read_sdcmicro(script + 'sdc <- topBotCoding(sdc, 90, 90, column = "height")\n')
    assert imported.columns == {"numeric": ["age", "height"], "nominal": ["fuel"]}
    assert dict(imported.steps[0][0].parameters) == {"bands": {"age": "<15,30+"}}
    notes = [note for _, note in imported.steps]
    assert notes[0].startswith("line 1: globalRecode. R's intervals are open at the left")
    assert notes[1:] == ["line 2: groupAndRename", "line 3: topBotCoding"]


def test_steps_without_declared_columns_name_none():
    for call in ("kAnon(sdc)", "microaggregation(sdc)", "pram(sdc)", "rankSwap(sdc)", "shuffle(sdc)"):
        ((step, _),) = read_sdcmicro(f"sdc <- {call}\n").steps
        assert "attributes" not in step.parameters


def test_importance_goes_with_named_keys_alone():
    imported = read_sdcmicro("createSdcObj(d, keyVars = c(1, 2))\nkAnon(sdc, importance = c(2, 1))\n")
    assert "importance" not in imported.steps[0][0].parameters
    assert [one.what for one in imported.unread] == ["kAnon(importance)"]


@pytest.mark.parametrize(
    ("pairs", "ghosts"),
    [
        ('list(list("a", "b"))', {"a": ["b"]}),
        ('list(list(c("a", "c"), c("b", "d")))', {"a": ["b", "d"], "c": ["b", "d"]}),
        ('list(list("a", "b"), list("c", "d"))', {"a": ["b"], "c": ["d"]}),
        ('list(list("a"))', None),
        ('list(list("a", "b", "c"))', None),
        ("ghosts", None),
    ],
)
def test_ghosts_follow_their_leaders(pairs, ghosts):
    imported = read_sdcmicro(f'createSdcObj(d, keyVars = "a", ghostVars = {pairs})\n')
    found = [(step.method, dict(step.parameters)) for step, _ in imported.steps]
    assert found == ([("ghost-suppression", {"ghosts": ghosts})] if ghosts else [])
    assert [one.what for one in imported.unread] == ([] if ghosts else ["createSdcObj(ghostVars)"])


@pytest.mark.parametrize(
    ("reader", "data", "layout"),
    [
        ('read.csv("a.csv")', "a.csv", {}),
        ('read.csv(file = "a.csv", sep = ",")', "a.csv", {}),
        ('read.csv("a.csv", sep = ";")', "a.csv", {"delimiter": ";"}),
        ('read.table("a.txt", sep = "")', "a.txt", {}),
        ('read_csv2("a.csv", sep = "|")', "a.csv", {"delimiter": ";"}),
        ("read.csv(path)", None, {}),
    ],
)
def test_the_file_and_how_its_cells_are_separated(reader, data, layout):
    imported = read_sdcmicro(f"d <- {reader}\n")
    assert (imported.data or None, imported.layout) == (data, layout)
    assert [one.what for one in imported.unread] == ([] if data else ["read.csv"])


@pytest.mark.parametrize(
    ("call", "strata"),
    [
        ("kAnon(sdc, k = 3)", ["county"]),
        ("microaggregation(sdc)", ["county"]),
        ("pram(sdc)", ["county"]),
        ('pram(sdc, strata_variables = "sex")', ["sex"]),
        ("rankSwap(sdc, P = 5)", None),
        ("addNoise(sdc)", None),
    ],
)
def test_what_an_object_is_stratified_by_holds_for_the_calls_that_look_at_it(call, strata):
    (step,) = [step for step, _ in read_sdcmicro(f"{STRATIFIED}sdc <- {call}\n").steps]
    assert step.parameters.get("strata") == strata


def test_what_follows_a_suppression_comes_after_the_last_one_and_the_order_of_records_last():
    made = OBJECT.replace("numVars", 'ghostVars = list(list("sex", "name2")), randomizeRecords = "simple", numVars')
    script = made + "sdc <- kAnon(sdc, k = 3)\nsdc <- localSuppression(sdc, k = 5)\nsdc <- undolast(sdc)\n"
    imported = read_sdcmicro(script + 'writeSafeFile(sdc, randomizeRecords = "byHH")\n')
    assert [step.method for step, _ in imported.steps] == ["local-suppression", "ghost-suppression", "record-order"]
    assert [one.what for one in imported.unread] == [
        "undolast", "writeSafeFile", "writeSafeFile(randomizeRecords)",
    ]  # fmt: skip
    assert [step.method for step, _ in read_sdcmicro('writeSafeFile(s, randomizeRecords = "no")\n').steps] == []


def test_what_an_object_is_made_with_besides_is_listed():
    made = OBJECT.replace("numVars", "seed = 3, alpha = 0.5, options = o, numVars")
    assert [(one.where, one.what) for one in read_sdcmicro(made).unread] == [
        ("line 1", f"createSdcObj({name})") for name in ("seed", "alpha", "options")
    ]


def test_how_a_table_is_read_is_taken_over_or_listed():
    imported = read_sdcmicro(
        'd <- read.table("a.txt", header = FALSE, dec = ",", na.strings = "-9", skip = 2, sep = s)\n'
    )
    assert imported.layout == {"header": False, "decimal": ","}
    assert [one.what for one in imported.unread] == [
        "read.table(na.strings)", "read.table(skip)", "read.table(sep)",
    ]  # fmt: skip


def test_one_new_name_holds_for_all_old_ones_however_it_is_written():
    call = 'groupAndRename(sdc, var = "fuel", before = c("oil", "gas"), after = c("fossil"))\n'
    assert steps(call) == [("level-map", {"maps": {"fuel": {"oil": "fossil", "gas": "fossil"}}})]


@pytest.mark.parametrize(
    ("call", "method", "parameters"),
    [
        ("microaggregation(sdc, agg = 10)", "mdav", {"k": 10, "attributes": ["income", "tax"]}),
        ('microaggregation(sdc, vari = "tax", 7)', "mdav", {"k": 7, "attributes": ["tax"]}),
        ("addNoise(sdc, nois = 300)", "additive-noise", {"level": 3.0, "attributes": ["income", "tax"]}),
        ('pram(sdc, v = "sex")', "pram", {"theta": 0.2, "invariant": True, "attributes": ["sex"]}),
    ],
)  # fmt: skip
def test_the_beginning_of_an_argument_stands_for_it(call, method, parameters):
    imported = read_sdcmicro(f"{OBJECT}sdc <- {call}\n")
    assert [(step.method, dict(step.parameters)) for step, _ in imported.steps] == [(method, parameters)]
    assert imported.unread == []


def test_the_inner_call_is_named_and_what_comes_after_is_read():
    made = OBJECT.strip().removeprefix("sdc <- ")
    imported = read_sdcmicro(f"sdc <- localSuppression({made}, k = 10)\nsdc <- addNoise(sdc, noise = 20)\n")
    assert [step.method for step, _ in imported.steps] == ["additive-noise"]
    assert list(map(str, imported.unread)) == [
        "line 1: localSuppression: not read: createSdcObj stands within it; give it a line of its own"
    ]


def test_what_an_object_is_made_of_is_read_on_the_spot_or_listed():
    imported = read_sdcmicro('sdc <- createSdcObj(read.csv("a.csv"), keyVars = "sex")\n')
    assert (imported.data, imported.unread, imported.columns) == ("a.csv", [], {"keys": ["sex"]})
    for dat in ("d[1:100, ]", "merge(d, e)"):
        imported = read_sdcmicro(f'sdc <- createSdcObj({dat}, keyVars = "sex")\n')
        assert imported.columns == {"keys": ["sex"]}
        assert [one.what for one in imported.unread] == ["createSdcObj(dat)"]


SECOND = 'other <- createSdcObj(d, keyVars = "age")\n'


@pytest.mark.parametrize(
    ("script", "found", "listed"),
    [
        # Another object beside the one that is released.
        (SECOND + "sdc <- kAnon(sdc, k = 3)\n", [["region", "sex"]], [2]),
        (SECOND + "other <- kAnon(other, k = 9)\nsdc <- kAnon(sdc, k = 3)\n", [["region", "sex"]], [2, 3]),
        (SECOND + "sdc <- kAnon(sdc, k = 3)\nother <- kAnon(other, k = 9)\n", [["age"]], [1, 3]),
        ("sdc <- kAnon(sdc, k = 3)\n" + SECOND + "other <- kAnon(other)\nout <- extractManipData(sdc)\n",
         [["region", "sex"]], [3, 4, 5]),
        ("sdc <- kAnon(sdc, k = 3)\n" + SECOND + "write.csv(sdcMicro::extractManipData(sdc))\n",
         [["region", "sex"]], [3, 4]),
        ("kAnon(sdc, k = 3) -> sdc\n" + SECOND + "extractManipData(sdc) -> other\n", [["region", "sex"]], [3, 4]),
        # The same name for another object.
        (SECOND.replace("other", "sdc") + "sdc <- kAnon(sdc, k = 3)\n", [["age"]], [1]),
        # A step that nobody looks at again.
        ("try1 <- kAnon(sdc, k = 9)\nsdc <- kAnon(sdc, k = 3)\n", [["region", "sex"]], [2]),
        ("sdc <- kAnon(sdc, k = 3)\ntry1 <- kAnon(sdc, k = 9)\nprint(sdc)\n", [["region", "sex"]], [3, 4]),
        ("try1 <- sdc |> kAnon(k = 9) |> kAnon(k = 8)\nsdc <- kAnon(sdc, k = 3)\n", [["region", "sex"]], [2, 2]),
        # An object from elsewhere.
        ("x <- readRDS(f)\nx <- kAnon(x, k = 9)\nsdc <- kAnon(sdc, k = 3)\n", [["region", "sex"]], [2, 3]),
        # One object under several names.
        ("a <- kAnon(sdc, k = 3)\nb <- kAnon(a, k = 3)\nrm(a)\n", [["region", "sex"]] * 2, []),
        ("a <- sdc\na <- kAnon(a, k = 3)\n", [["region", "sex"]], [2]),
        ("a <- sdc %>% kAnon(k = 3) %>% kAnon(k = 3)\nextractManipData(a)\n", [["region", "sex"]] * 2, [3]),
    ],
)  # fmt: skip
def test_only_what_the_released_object_comes_from_is_taken_over(script, found, listed):
    imported = read_sdcmicro(OBJECT + script)
    assert [step.parameters["attributes"] for step, _ in imported.steps] == found
    assert all(step.parameters["k"] < 9 for step, _ in imported.steps) or found == [["age"]]
    assert [one.where for one in imported.unread] == [f"line {line}" for line in listed]
    assert imported.columns["keys"] == (["age"] if found == [["age"]] else ["region", "sex", "income", "tax", "fuel"])


def test_an_object_in_a_chain_of_pipes_has_its_keys():
    imported = read_sdcmicro('sdc <- d |> createSdcObj(keyVars = "sex") |> kAnon(k = 3)\nsdc <- kAnon(sdc, k = 4)\n')
    assert [step.parameters["attributes"] for step, _ in imported.steps] == [["sex"], ["sex"]]
    imported = read_sdcmicro('sdc <- createSdcObj(d, keyVars = "sex") |> kAnon(k = 3)\n')
    assert ([step.parameters["attributes"] for step, _ in imported.steps], imported.unread) == ([["sex"]], [])


@pytest.mark.parametrize(
    "between",
    ["for (i in 1:2) sdc <- pram(sdc)", "if (x) {\n sdc <- pram(sdc)\n}", "sdc <- ownFunction(sdc)", "sdc@x <- 3",
     "sdc <- pram(pram(sdc))", "sdc <- suda2(sdc)"],
)  # fmt: skip
def test_undo_of_what_was_not_read_takes_nothing_back(between):
    script = f"{OBJECT}sdc <- kAnon(sdc, k = 3)\n{between}\nsdc <- undolast(sdc)\nsdc <- undolast(sdc)\n"
    imported = read_sdcmicro(script)
    assert [step.method for step, _ in imported.steps] == ["local-suppression"]
    assert [one.why for one in imported.unread if one.what == "undolast"] == [
        "what stands before it was not read; nothing is taken back"
    ] * 2


@pytest.mark.parametrize("between", ["summary(sdc)", 'd <- read.csv("d.csv")', "dRisk(sdc)"])
def test_undo_looks_past_what_changes_nothing(between):
    script = f"{OBJECT}sdc <- kAnon(sdc, k = 3)\nsdc <- pram(sdc)\n{between}\nsdc <- undolast(sdc)\n"
    assert [step.method for step, _ in read_sdcmicro(script).steps] == ["local-suppression"]


NOT_TAKEN = "the call is not taken over"
MIXED = "households do not stay together: all records are put into another order"
ANY_VALUE = 'sdcMicro takes a missing value for any value, as here; missing = "category" is stricter'
STAYS = "pd is the least probability to stay; theta is the share that may change, and invariant keeps totals"
WHOLE_STORIES = [
    (
        r"""library(sdcMicro)
set.seed(3)
d <- read.csv2("a.csv", dec = ",", header = TRUE, na = "-", skip = 3, verbose = TRUE)
e <- read.table("b.txt", sep = "\t")
sdc <- suppressWarnings(createSdcObj(dat = d, keyVars = c("a", "b"), hhId = "h", excludeVars = c("n", "n"), alpha = 1))
print(sdc)
x <- c(1, y)
f(z)
invisible(3 + y)
sdc <- pram(suda2(sdc))
sdc <- pram(sdc, 3, 4, 5, 6, 7)
""",
        {"keys": ["a", "b"], "household": ["h"], "identifiers": ["n"]},
        {"keys": "line 5", "household": "line 5", "identifiers": "line 5"},
        ("b.txt", {"delimiter": "\t"}),
        [],
        [
            "line 2: set.seed: R's draws cannot be had again; the protocol has a seed of its own",
            "line 3: read.csv2(na): declare these codes of the attributes that have them, as missing = [...]",
            "line 3: read.csv2(skip): not taken over; see [data]",
            "line 4: read.table: a second file is read; the protocol is about this one alone",
            "line 5: createSdcObj(alpha): not taken over",
            "line 6: print: no step; see every report shows it",
            "line 7: an expression: it would have to be run; what it does to the data is not taken over",
            "line 8: f: no call of sdcMicro that is known here",
            "line 9: an expression: it would have to be run; what it does to the data is not taken over",
            "line 10: pram: not read: suda2 stands within it; give it a line of its own",
            "line 11: pram: it has more arguments without a name than are known here",
            f"line 11: pram: pram refuses it: theta must be a number above 0 and below 1; got -4.0; {NOT_TAKEN}",
        ],
    ),
    (
        """sdc <- createSdcObj(d, keyVars = c("region", "sex"), numVars = c("income", "tax"), weightVar = "w")
sdc <- kAnon(sdc, k = c(3, 5), importance = 1, keep = TRUE, more = NULL)
sdc <- localSupp(sdc)
sdc <- localSupp(sdc, threshold = 0.2, keyVar = c("sex"), x = 1)
sdc <- globalRecode(sdc, 3, "a")
sdc <- globalRecode(sdc, "age", breaks = c(10, 5, 0), method = "equidistant")
sdc <- topBotCoding(sdc, "x", column = 3, kind = "middle")
sdc <- topBotCoding(sdc, 5, column = "age", kind = "top", keep = 1)
sdc <- microaggregation(sdc, method = "none")
sdc <- microaggregation(sdc, method = "rmd", aggr = 2.0)
sdc <- microaggrGower(sdc, aggr = 4, mixed = "x")
sdc <- microaggrGower(sdc, variables = "fuel", aggr = 4, k = 5)
sdc <- addNoise(sdc, method = "restr", noise = 25)
sdc <- rankSwap(sdc, P = 7.0)
sdc <- shuffle(sdc, form = y, method = "ds")
sdc <- varToFactor(sdc, var = x)
sdc <- removeDirectID(sdc, var = x)
sdc <- removeDirectID(sdc, var = c("id", "name"))
calcRisks(sdc)
""",
        {"keys": ["region", "sex", "income", "tax"], "numeric": ["income", "tax", "age"], "weight": ["w"],
         "identifiers": ["id", "name"]},
        {"keys": "line 1", "weight": "line 1", "identifiers": "line 18"},
        ("", {}),
        [
            ("local-suppression", {"k": 5, "attributes": ["region", "sex"], "missing": "wildcard"},
             f"line 2: kAnon. {ANY_VALUE}"),
            ("risk-suppression", {"threshold": 0.15, "missing": "wildcard"}, "line 3: localSupp"),
            ("risk-suppression", {"threshold": 0.2, "suppress": ["sex"], "missing": "wildcard"}, "line 4: localSupp"),
            ("banding", {"bands": {"age": "0,5,10"}},
             "line 6: globalRecode. R's intervals are open at the left, (15, 30]; bands here at the right, [15, 30)"),
            ("top-coding", {"threshold": 5, "attributes": ["age"]}, "line 8: topBotCoding"),
            ("mdav", {"k": 3, "attributes": ["income", "tax"]}, "line 9: microaggregation"),
            ("mdav", {"k": 2, "attributes": ["income", "tax"]}, "line 10: microaggregation"),
            ("mixed-mdav", {"k": 4, "attributes": ["region", "sex"]}, "line 11: microaggrGower"),
            ("mixed-mdav", {"k": 5, "attributes": ["fuel"]}, "line 12: microaggrGower"),
            ("correlated-noise", {"level": 0.25, "attributes": ["income", "tax"]},
             "line 13: addNoise. noise is in percent of a standard deviation; level is its hundredth"),
            ("rank-swapping", {"p": 7, "attributes": ["income", "tax"]}, "line 14: rankSwap"),
            ("shuffling", {"attributes": ["income", "tax"]}, "line 15: shuffle"),
        ],
        [
            "line 2: kAnon(k): several numbers without as many combs; the largest is taken",
            "line 2: kAnon(importance): it does not say one number for every named key",
            "line 2: kAnon(keep): not taken over",
            "line 4: localSupp(x): not taken over",
            "line 5: globalRecode: its column and breaks cannot be read; the call is not taken over",
            "line 6: globalRecode(method): not taken over",
            "line 7: topBotCoding: its column and value and kind cannot be read; the call is not taken over",
            "line 8: topBotCoding(keep): not taken over",
            "line 9: microaggregation(method = 'none'): no such grouping here; mdav is taken",
            "line 10: microaggregation(method = 'rmd'): distances are not robust here; mdav is taken",
            "line 11: microaggrGower(mixed): not taken over",
            "line 15: shuffle(form): name what predicts in predictors",
            "line 15: shuffle(method): not taken over",
            "line 16: varToFactor: its var is not written out; the call is not taken over",
            "line 17: removeDirectID: its var is not written out; the call is not taken over",
            "line 19: calcRisks: no step; see every assessment",
        ],
    ),
    (
        """sdc <- createSdcObj(d[1:3], keyVars = "a", ghostVars = list(list("a", "g"), list("b")),
  randomizeRecords = "byHH"); sdc <- kAnon(sdc, k = 1)
sdc <- undolast(sdc)
sdc <- kAnon(sdc, k = 3)
sdc <- undolast(sdc)
sdc <- pram(sdc, "a")
sdc <- varToFactor(sdc, "a")
sdc <- undolast(sdc)
writeSafeFile(sdc, randomize = "simple")
writeSafeFile(sdc, rand = "withinHH")
""",
        {"keys": ["a"], "nominal": ["a"]},
        {"keys": "line 1"},
        ("", {}),
        [
            ("pram", {"theta": 0.2, "invariant": True, "attributes": ["a"]},
             f"line 6: pram. {STAYS}"),
            ("ghost-suppression", {"ghosts": {"a": ["g"]}},
             "line 1: ghostVars. What is suppressed in a key is here, too: after every suppression"),
            ("record-order", {}, "line 1: randomizeRecords"),
        ],
        [
            "line 1: createSdcObj(dat): what is done to the data here is not taken over; they are read as they are",
            "line 1: createSdcObj(ghostVars): the columns of one pair are not written out",
            f"line 1: createSdcObj(randomizeRecords): {MIXED}",
            f"line 2: kAnon: local-suppression refuses it: k must be an integer of at least 2; got 1; {NOT_TAKEN}",
            "line 5: undolast: the step local-suppression before it was left out",
            "line 8: undolast: the call before it gave no step; nothing is taken back",
            "line 9: writeSafeFile: no step; see `discreet run` writes the release; its name stands in [release]",
            "line 10: writeSafeFile: no step; see `discreet run` writes the release; its name stands in [release]",
            f"line 10: writeSafeFile(randomizeRecords): {MIXED}",
        ],
    ),
    (
        'undolast(sdc)\nsdc <- createSdcObj(d, keyVars = keys, numVars = c("x", 3), randomizeRecords = "no", seed = 1)',
        {"keys": ["x", 3], "numeric": ["x", 3]},
        {"keys": "line 2"},
        ("", {}),
        [],
        [
            "line 1: undolast: not taken over: its object is none that the script makes",
            "line 2: createSdcObj(keyVars): the columns are not written out; declare them by hand",
            "line 2: createSdcObj(seed): R's draws cannot be had again; the protocol has a seed",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("script", "columns", "places", "data", "found", "unread"), WHOLE_STORIES)
def test_whole_scripts(script, columns, places, data, found, unread):
    imported = read_sdcmicro(script)
    assert (imported.columns, imported.places, (imported.data, imported.layout)) == (columns, places, data)
    assert [(step.method, dict(step.parameters), note) for step, note in imported.steps] == found
    assert list(map(str, imported.unread)) == unread


@pytest.mark.parametrize(
    ("function", "name", "whole"),
    [
        ("pram", "v", "variables"), ("pram", "pd", "pd"), ("pram", "p", "pd"), ("pram", "PD", ""), ("pram", "x", "x"),
        ("microaggrGower", "b", "by"), ("microaggrGower", "K", ""), ("microaggrGower", "k", "k"),
        ("createSdcObj", "KEYVARS", "KEYVARS"), ("createSdcObj", "s", ""), ("createSdcObj", "key", "keyVars"),
        ("kAnon", "K", ""), ("kAnon", "c", "combs"), ("rankSwap", "p", ""), ("rankSwap", "P", "P"),
        ("rankSwap", "se", "seed"), ("shuffle", "m", "method"), ("shuffle", "g", "gadp"),
        ("microaggregation", "w", "weights"),
        ("microaggregation", "m", ""), ("microaggregation", "METHOD", ""), ("varToFactor", "v", "var"),
        ("varToFactor", "VAR", "VAR"),
    ],
)  # fmt: skip
def test_the_whole_names_of_arguments(function, name, whole):
    assert _whole_name(function, name) == whole


ONE_NUMBER, NO_COLUMNS, ONE_NAME = "it must be one number", "it names no columns", "it must be one name"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("k", None, ""), ("k", 3, ""), ("k", [3, 4.5], ""), ("k", [], ONE_NUMBER), ("k", [3, True], ONE_NUMBER),
        ("k", math.inf, ONE_NUMBER), ("k", "3", ONE_NUMBER), ("aggr", [3], ONE_NUMBER), ("aggr", 0.5, ""),
        ("variables", ["a", 2], ""), ("variables", "a", ""), ("variables", [], NO_COLUMNS),
        ("variables", True, NO_COLUMNS),
        ("variables", {"0": "a"}, ""), ("strata_variables", ["a", 2.5], NO_COLUMNS), ("strata_variables", 3, ""),
        ("method", "mdav", ""), ("method", 3, ONE_NAME), ("keyVar", ["a"], ONE_NAME), ("keyVar", "a", ""),
        ("importance", "anything", ""), ("combs", [1, 2], ""),
    ],
)  # fmt: skip
def test_why_an_argument_is_refused(name, value, why):
    assert _refusal(name, value) == why


@pytest.mark.parametrize(
    ("breaks", "bands"),
    [
        (3, "equal:3"), (3.0, "equal:3"), ([4], "equal:4"), (True, ""), ("x", ""), (math.inf, ""), ([], ""),
        ([0, 5], "0,5"), ([5, 0.5], "0.5,5"), ([0, 0], ""), ([0, True], ""), ([0, None], ""), ([0, math.inf], "0+"),
        ([0, 5, math.inf], "0,5+"), ([-math.inf, 5], "<5"), ([-math.inf, 5, 9], "<5,9"),
        ([math.inf, -math.inf, 5], "<5,5+"), ([-math.inf, 5, 9, math.inf], "<5,9+"), ([-math.inf, math.inf], ""),
    ],
)  # fmt: skip
def test_breaks_as_bands(breaks, bands):
    assert _bands(breaks) == bands


@pytest.mark.parametrize("text", ["", "a + b", "f(x)\n", "x <- 3\ng(h(1))"])
def test_what_is_no_script_of_it_is_refused(text):
    with pytest.raises(FileError, match="Nothing in the file could be read as a script of sdcMicro"):
        read_sdcmicro(text)


@pytest.mark.parametrize("text", ["library(x)", 'read.csv("a")', "print(1)", "pram(s)", "undolast(s)", "f(1)\npram(s)"])
def test_one_known_call_makes_it_a_script(text):
    assert read_sdcmicro(text).tool == "sdcMicro"


@pytest.mark.parametrize(
    ("call", "inner"),
    [
        ("sdc <- pram(kAnon(sdc))", "kAnon"),
        ("sdc <- pram(f(sdc))", "f"),
        ("sdc <- pram(obj = f(sdc))", "f"),
        ("sdc <- pram(sdc$x)", "an expression"),
        ("sdc <- pram(sdc, variables = c('a', kAnon(x)))", "kAnon"),
        ("sdc <- f(g(list(a = kAnon(sdc))))", "kAnon"),
        ("sdc <- f(1 + undolast(sdc))", "undolast"),
        ("sdc <- f(sdc) |> g(pram(x))", "pram"),
        ("y <- createSdcObj(kAnon(sdc), keyVars = 'a')", "kAnon"),
    ],
)
def test_a_call_within_a_call_is_named(call, inner):
    unread = [one for one in read_sdcmicro(f"{OBJECT}{call}\n").unread if one.why.startswith("not read")]
    assert [(one.where, one.why) for one in unread] == [
        ("line 2", f"not read: {inner} stands within it; give it a line of its own")
    ]


@pytest.mark.parametrize("call", ["pram(sdc.x)", "pram(`sdc`)", "print(suda2(sdc))", "x <- c(pram)", "f(prams(sdc))"])
def test_what_is_no_call_within_a_call_is_not_named_so(call):
    assert not any(one.why.startswith("not read") for one in read_sdcmicro(f"{OBJECT}{call}\n").unread)
