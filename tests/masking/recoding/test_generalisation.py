from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.battery import FUELS, SIZES, microdata

import discreet as dc
from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, ParameterError
from discreet.io.reading import files_named
from discreet.masking.recoding.generalisation import Generalisation
from discreet.masking.recoding.hierarchy import Hierarchy

SIZE_TREE = Hierarchy([[s, "small" if s in {"xs", "s"} else "large", "any"] for s in SIZES])
FUEL_TREE = Hierarchy([[f, "fossil" if f in {"gas", "oil"} else "new", "*"] for f in FUELS])
BOTH = {"size": SIZE_TREE, "fuel": FUEL_TREE}
AGE = Schema(
    [
        Attribute("age", Numeric(), "key"),
        Attribute("sex", Nominal(("f", "m")), "key"),
        Attribute("ill", Nominal(("no", "yes")), "confidential"),
    ]
)


def ages(values=(20, 21, 30, 31, 45, 46), sexes="ffmmfm", ill=("no", "yes", "no", "yes", "no", "no")):
    return Microdata(pl.DataFrame({"age": list(values), "sex": list(sexes), "ill": list(ill)}), AGE)


AGE_TREE = Hierarchy([[str(a), f"{a // 10}0s", "any"] for a in range(20, 50)])


def classes(masked, names):
    return Counter(masked.microdata.to_polars().select(names).rows())


def written(masked, path):
    dc.write(masked, path)
    return Counter(tuple(line.split(",")) for line in path.read_text(encoding="utf-8").splitlines()[1:])


@pytest.mark.parametrize("suppressed", ["dropped", "generalised"])
@pytest.mark.parametrize("k", [2, 5])
def test_k_holds_in_the_written_bytes(tmp_path, suppressed, k):
    table = microdata(200).select(["size", "fuel"])
    masked = Generalisation(k=k, hierarchies=BOTH, suppression=0.1, suppressed=suppressed).mask(table)
    counts = written(masked, tmp_path / "released.csv")
    assert min(counts.values()) >= k
    details = masked.provenance.details
    assert sum(counts.values()) == 200 - (details["suppressed"] if suppressed == "dropped" else 0)
    assert details["suppressed"] <= 20
    assert details["proof"] == "optimal"
    assert details["visited"] + details["bounded"] + details["hopeless"] == details["nodes"] == 9


def test_numbers_are_generalised_by_the_rows_that_say_them():
    masked = Generalisation(k=2, hierarchies={"age": AGE_TREE}).mask(ages())
    assert masked.to_native()["age"].to_list() == ["20s", "20s", "30s", "30s", "40s", "40s"]
    assert masked.provenance.details["steps"] == {"age": 1}
    assert masked.provenance.details["value"] == pytest.approx(9 / 29)
    assert any("24 of 30 leaves" in note for note in masked.provenance.notes)


def test_a_step_of_nought_leaves_a_column_as_it_is():
    masked = Generalisation(k=2, hierarchies={"age": AGE_TREE, "sex": Hierarchy([["f", "*"], ["m", "*"]])}).mask(
        ages((20, 20, 30, 30, 30, 30), "ffmmff")
    )
    assert masked.to_native()["age"].to_list() == [20, 20, 30, 30, 30, 30]
    assert masked.provenance.details["value"] == 0


def test_suppressed_records_that_stay_are_a_class_of_k():
    table = ages((20, 20, 20, 30, 30, 30), "fffmmf", ["no"] * 6)
    masked = Generalisation(
        k=2, hierarchies={"age": AGE_TREE}, attributes=["age", "sex"], suppression=1.0, suppressed="generalised"
    ).mask(table)
    assert min(classes(masked, ["age", "sex"]).values()) >= 2
    assert len(masked) == 6


def test_local_recoding_costs_no_more():
    table = microdata(300)
    globally = Generalisation(k=4, hierarchies=BOTH, attributes=["size", "fuel", "owner"], suppression=0.2).mask(table)
    locally = Generalisation(
        k=4, hierarchies=BOTH, attributes=["size", "fuel", "owner"], suppression=0.2, local=True
    ).mask(table)
    assert locally.provenance.details["value"] <= globally.provenance.details["value"]
    assert locally.provenance.details["suppressed"] <= globally.provenance.details["suppressed"]
    assert locally.provenance.details["proof"] == "best found"
    assert min(classes(locally, ["size", "fuel", "owner"]).values()) >= 4
    with pytest.raises(ParameterError, match="local must be False"):
        Generalisation([dc.models.LDiversity(2, "illness")], BOTH, local=True).mask(table)


def test_a_sensitive_attribute_is_no_key():
    masked = Generalisation(
        [dc.models.K(2), dc.models.LDiversity(2, "ill")],
        {"age": AGE_TREE, "ill": Hierarchy([["no", "*"], ["yes", "*"]])},
        suppression=0.4,
    ).mask(ages())
    assert "ill" not in masked.provenance.details["steps"]
    by_class: dict[tuple, set] = {}
    for age, ill in masked.to_native().select("age", "ill").rows():
        by_class.setdefault(age, set()).add(ill)
    assert min(map(len, by_class.values())) >= 2
    assert [(g.k, g.l) for g in masked.provenance.guarantees] == [(2, None), (2, 2)]


def test_a_population_is_counted():
    crowd = ages((20, 21, 22, 30, 31, 45), "ffmmfm")
    masked = Generalisation([dc.models.KMap(3, crowd)], {"age": AGE_TREE}, suppression=0.5).mask(ages())
    assert set(masked.to_native()["age"]) == {"any"}
    masked = Generalisation([dc.models.KMap(2, crowd)], {"age": AGE_TREE}, suppression=0.5).mask(ages())
    assert set(masked.to_native()["age"]) == {"20s", "30s"}
    with pytest.raises(ParameterError, match='must be "dropped" with a model of a population'):
        Generalisation([dc.models.KMap(2, crowd)], {"age": AGE_TREE}, suppressed="generalised").mask(ages())


def test_bad_hierarchies_are_named_and_no_value_is_shown(tmp_path):
    short = Hierarchy([["20", "20s"], ["21", "20s"], ["30", "30s"]])
    with pytest.raises(ParameterError, match=r"attribute 'age': 3 of 6 levels in the data \(3 records\) have no row"):
        Generalisation(k=2, hierarchies={"age": short}).mask(ages())
    cyclic = Hierarchy([[str(a), f"x{a}", str(a), "any"] for a in range(20, 50)])
    with pytest.raises(ParameterError, match="30 of 30 rows of the hierarchy come back to a name"):
        Generalisation(k=2, hierarchies={"age": cyclic}).mask(ages())
    with pytest.raises(FileError, match="does not exist"):
        Generalisation(k=2, hierarchies=str(tmp_path / "nowhere")).mask(ages())
    (tmp_path / "other.csv").write_text("a;b\n", encoding="utf-8")
    with pytest.raises(FileError, match="none of the 1 CSV files"):
        Generalisation(k=2, hierarchies=str(tmp_path)).mask(ages())


def test_what_no_node_meets_is_told_with_what_came_nearest():
    with pytest.raises(
        ParameterError, match=r"at most 0 of 6 records suppressed; nearest came the steps age 1, .*4 rec"
    ) as raised:
        Generalisation(
            [dc.models.LDiversity(2, "ill")],
            {"age": Hierarchy([[str(a), f"{a // 10}0s"] for a in range(20, 50)])},
        ).mask(ages(ill=("no", "yes", "no", "no", "no", "no")))
    assert "20s" not in str(raised.value)
    with pytest.raises(ParameterError, match="k must be an integer of at least 2 where no models are given"):
        Generalisation(hierarchies={"age": AGE_TREE}).mask(ages())
    with pytest.raises(ParameterError, match="sensitive to a model"):
        Generalisation([dc.models.LDiversity(2, "ill")], {"age": AGE_TREE}, attributes=["age", "ill"]).mask(ages())


def test_missing_cells_are_a_value_at_every_step():
    table = ages((20, 21, None, None, 30, 31))
    masked = Generalisation(k=2, hierarchies={"age": AGE_TREE}).mask(table)
    assert masked.to_native()["age"].to_list() == ["20s", "20s", None, None, "30s", "30s"]


def test_text_becomes_models():
    masker = catalogue.build(
        "masker",
        "generalisation",
        {"models": "k=5, l-diversity=2 salary kind_of=entropy", "suppression": "0.05", "hierarchies": "folder"},
        typed=True,
    )
    assert masker.models == [dc.models.K(5), dc.models.LDiversity(2.0, "salary", kind_of="entropy")]
    assert masker.hierarchies == "folder"
    from_file = catalogue.build(
        "masker", "generalisation", {"models": ["k=5"], "hierarchies": {"a": "a.csv"}}, folder="/d"
    )
    assert from_file.hierarchies == {"a": "/d/a.csv"}


def test_importance_moves_the_choice():
    rng = np.random.default_rng(3)
    table = Microdata(
        pl.DataFrame(
            {"size": [SIZES[i] for i in rng.integers(0, 5, 30)], "fuel": [FUELS[i] for i in rng.integers(0, 4, 30)]}
        ),
        microdata().schema.select(["size", "fuel"]),
    )
    steps = [
        Generalisation(k=4, hierarchies=BOTH, importance={name: 100.0}).mask(table).provenance.details["steps"]
        for name in ("size", "fuel")
    ]
    assert steps[0]["size"] < steps[1]["size"]
    assert steps[1]["fuel"] < steps[0]["fuel"]


def test_a_hierarchy_in_a_folder_is_never_written_over(tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    (folder / "my_age.csv").write_text("\n".join(f"{a};{a // 10}0s;any" for a in range(20, 50)), encoding="utf-8")
    assert files_named({"hierarchies": str(folder)}) == [folder / "my_age.csv"]
    masked = Generalisation(k=2, hierarchies=str(folder)).mask(ages())
    assert masked.provenance.details["steps"] == {"age": 1}
