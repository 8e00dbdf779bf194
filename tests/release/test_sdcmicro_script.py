from __future__ import annotations

import pytest

from discreet.release.sdcmicro_script import read_sdcmicro

OBJECT = (
    'sdc <- createSdcObj(d, keyVars = c("region", "sex"), numVars = c("income", "tax"), pramVars = "fuel",'
    ' weightVar = "w", hhId = "home", strataVar = "county", sensibleVar = "illness", excludeVars = "name")\n'
)


def steps(script):
    return [(step.method, dict(step.parameters)) for step, _ in read_sdcmicro(OBJECT + script).steps]


def test_roles():
    columns = read_sdcmicro(OBJECT).columns
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
