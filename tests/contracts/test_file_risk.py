"""The one screen of what a file would risk: every row with its figure, from figures made by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from discreet.contracts.assessment import Combination, Exposure, NotComputed
from discreet.contracts.file_risk import FileRisk, GroupSizes
from discreet.contracts.measurement import Measurement


def measurement(name, value, **details):
    return Measurement(name, name.upper(), "risk", value, 0.0, 100.0, "%", "So it is.", details=details)


SIZES = (GroupSizes(1, 1, 1500, 1500), GroupSizes(2, 4, 100, 300), GroupSizes(5, 0, 20, 200), GroupSizes(9, 9, 0, 0))
EXPOSURE = Exposure(
    ("age", "job"), 2, 2000,
    (Combination(("age", "job"), 7, 0), Combination(("age",), 0, 0), Combination(("job",), 1200, 3)),
    {"job": (1234.56, 0.0), "age": (2.0, 1.0)}, "",
)  # fmt: skip
RISK = FileRisk(
    n_records=2000, keys=("age", "job"), value=12.5, sentence="12.5 % are found.", population=1234567.0,
    below={2: 1500, 3: 1600, 5: 0, 10: 40}, groups=1620, sizes=SIZES,
    expected={"file": 1620, "population": 12.25, "household": 30.0}, highest=33.333,
    uniques={"pitman": 100.0, "snb": 90.0, "loglinear": 80.0}, chosen="snb", threshold=(0.5, 0.123456),
    measurements=(measurement("suda2", 4.0, max_size=3, dis_percent=1.5, levels={"job": "smith"}),
                  measurement("mahalanobis-interval", 6.0)),
    exposure=EXPOSURE, not_computed=(NotComputed("zayatz", "Zayatz", "risk", "too few records."),),
)  # fmt: skip


def rows(title, risk=RISK):
    return dict(risk.sections)[title]


def test_records_that_share_their_keys_with_few():
    assert rows("Records that share their keys with") == (
        ("nobody", "1,500   75.00 %", "violates 2-anonymity"),
        ("at most 1 other", "1,600   80.00 %", "violates 3-anonymity"),
        ("at most 3 others", "0    0.00 %", ""),
        ("at most 8 others", "40    2.00 %", "violates 10-anonymity"),
    )


def test_expected_reidentifications_and_the_threshold():
    assert rows("Expected re-identifications") == (
        ("known to be in the file", "1,620   81.00 %", "of 1,620 groups, one each"),
        ("known to be in the population", "12.2    0.61 %", "one record at most 33 %"),
        ("household, in the population", "30.0    1.50 %", "through any of its members"),
        ("for 0.5 % in the population", "0.1235 %", "is the highest risk to leave"),
    )
    assert len(rows("Expected re-identifications", replace(RISK, threshold=None))) == 3


def test_the_model_that_is_believed_says_so():
    assert rows("Alone in the population") == (
        ("Pitman", "100.0    5.00 %", "for samples up to a tenth"),
        ("shifted negative binomial", "90.0    4.50 %", "for larger samples; believed (Dankar)"),
        ("log-linear model", "80.0    4.00 %", "main effects of the keys"),
    )
    assert "Alone in the population" not in dict(replace(RISK, uniques={}).sections)


def test_where_it_comes_from():
    assert rows("Where it comes from") == (
        ("singled out by 3 keys or fewer", "4.00 %", "SUDA2; DIS 1.50 %"),
        ("numbers near nobody's", "6.00 %", "robust Mahalanobis"),
        ("riskiest keys", "2 looked at", "job (−1,234.6), age (−2.0)"),
        ("alone on", "7", "age + job"),
        ("alone on", "1,200", "job"),
    )
    bare = replace(RISK, exposure=None, measurements=(measurement("suda2", 4.0, max_size=2),))
    assert rows("Where it comes from", bare) == (("singled out by 2 keys or fewer", "4.00 %", "SUDA2"),)
    assert rows("Not computed") == (("Zayatz", "–", "too few records."),)


def test_what_was_looked_at():
    assert RISK.about == "2,000 records, of 1,234,567; the intruder knows age, job."
    seven = replace(RISK, population=None, keys=tuple("abcdefg"))
    assert seven.about == (
        "2,000 records, the file is taken for the population; the intruder knows a, b, c, d, e, f and 1 more."
    )
    assert replace(RISK, keys=tuple("abcdef")).about.endswith("knows a, b, c, d, e, f.")


def test_the_screen_ends_with_bars_of_records():
    lines = RISK.lines()
    assert lines[:2] == ["Worst case: 12.5 % are found.", RISK.about]
    assert [title for title, _ in RISK.sections] == [line for line in lines[2:-5] if not line.startswith(" ")]
    assert lines[-5].split() == ["Groups", "by", "size", "groups", "records"]
    cells = [line.split() for line in lines[-4:]]
    # 40 signs for most records; 300 of 1,500 are 8, 200 are a part of 6; none has none.
    assert cells == [["1", "1,500", "1,500", "█" * 40], ["2–4", "100", "300", "█" * 8], ["5+", "20", "200", "█" * 6],
                     ["9", "0", "0"]]  # fmt: skip
    assert repr(RISK) == "\n".join(lines)


def test_json_names_columns_and_figures_and_no_level():
    fields = json.loads(RISK.to_json())
    assert "smith" not in RISK.to_json()
    assert fields["records_below"] == {"2": 1500, "3": 1600, "5": 0, "10": 40}
    assert fields["group_sizes"][2] == {"from": 5, "to": None, "groups": 20, "records": 200}
    assert fields["threshold"] == {"wanted_percent": 0.5, "individual_risk_percent": 0.123456}
    assert fields["dankar"] == "snb"
    assert fields["exposure"]["by_key"]["job"] == {"before": 1234.56, "after": 0.0}
    assert fields["measurements"][0]["details"] == {"max_size": 3, "dis_percent": 1.5}
    bare = replace(RISK, threshold=None, chosen="", exposure=None).to_dict()
    assert (bare["threshold"], bare["dankar"], bare["exposure"]) == (None, None, None)


def test_the_page_of_a_notebook_holds_every_row():
    page = RISK._repr_html_()
    for _, section in RISK.sections:
        for name, figure, _ in section:
            assert name.replace("'", "&#x27;") in page or name.replace("'", "&#39;") in page
            assert figure in page


def test_measurements_by_name():
    assert RISK["suda2"].value == 4.0
    with pytest.raises(KeyError):
        RISK["nothing"]
