from __future__ import annotations

from types import SimpleNamespace as Namespace

import numpy as np
import pytest
from tests.stand_ins import instead

from discreet.errors import DataError, ParameterError
from discreet.progress import listening
from discreet.reproduction import sections
from discreet.reproduction.public_files import PUBLIC, DataFolder, MissingFileError
from discreet.reproduction.sections import SECTIONS, compare_papers
from discreet.reproduction.subjects import (
    categorical_links,
    chance_links,
    cwow_median,
    location_privacy,
    median_monotonicity,
    median_operators,
    representatives_example,
    representatives_files,
    sorted_example,
    variable_links,
    weight_learning,
)


def verdicts(tables):
    return {
        kind: sum(one.count(kind) for one in tables) for kind in ("exact", "sampling", "differs", "ours", "not run")
    }


# Cells that should agree to the printed digits, and those that are known not to.
@pytest.mark.parametrize(
    ("paper", "exact", "defined", "differs"),
    [("p0", 48, 0, {"I(cool)"}), ("p1c", 0, 32, set()), ("p3", 5, 85, {"Q1^2"})],
)
def test_papers_of_worked_examples_are_exact_where_they_are_printed(paper, exact, defined, differs):
    found = compare_papers([paper])
    assert not found.failed
    assert (found.count("exact"), found.count("defined")) == (exact, defined)
    cells = [cell for one in found.sections[0].tables for cell in one.cells]
    assert {row for row, _, cell in cells if cell.verdict == "differs"} == differs
    assert all(cell.reason for _, _, cell in cells if cell.verdict == "differs")


@pytest.mark.parametrize(
    ("tables", "exact", "differs"),
    [
        (median_operators.tables, 28, 2),
        (cwow_median.tables, 155, 1),
        (chance_links.tables, 96, 2),
        (representatives_example.tables, 226, 0),
    ],
)
def test_examples_and_chances_are_exact(tables, exact, differs):
    found = tables()
    assert not any(one.failed for one in found)
    assert (verdicts(found)["exact"], verdicts(found)["differs"]) == (exact, differs)


def test_a_wrong_centre_is_noticed(monkeypatch):
    monkeypatch.setattr(sorted_example, "K", 7)
    assert any(one.failed for one in sorted_example.tables())


def test_a_wrong_quantifier_is_noticed(monkeypatch):
    wrong = location_privacy.TABLE_2 | {"Q1^4": (location_privacy.TABLE_2["Q1^0.4"][0], location_privacy.LARGE)}
    monkeypatch.setattr(location_privacy, "TABLE_2", wrong)
    assert any(one.failed for one in location_privacy.tables())


def test_monotonicity_rows_of_50_and_100_levels_are_told_to_be_impossible():
    table = median_monotonicity._table(5, 2_000)
    cells = {(row, column): cell for row, column, cell in table.cells}
    assert len(cells) == 169
    assert cells["50", "5"].verdict == "differs"
    assert cells["50", "5"].reason.startswith("impossible as described")
    assert sum(cell.verdict == "differs" for (row, _), cell in cells.items() if int(row) <= 30) <= 3
    assert table.count("exact") == 0


def test_the_impossible_is_impossible():
    """No draw can fall in which nothing moves: the bound holds for what we draw ourselves."""
    found = median_monotonicity.simulate_violations(1, 1, levels=(50,), sources=(5, 10), draws=4_000)
    assert (found[0] < 4_000 * (1 - 0.98 ** np.array([5, 10]))).all()


def test_table_13_says_how_badly_it_agrees_with_its_caption():
    assert "As captioned" in median_monotonicity._table(13, 2_000).note


def test_all_thirteen_tables_of_monotonicity_are_recomputed(monkeypatch):
    draws = []
    monkeypatch.setattr(median_monotonicity, "_table", lambda number, count: draws.append(count) or number)
    assert median_monotonicity.tables() == median_monotonicity.tables(full=True) == list(range(5, 18))
    assert draws == [10_000] * 13 + [100_000] * 13


def test_table_ii_is_exact(data_dir):
    found = weight_learning.tables(DataFolder(data_dir))
    assert verdicts(found) == {"exact": 6, "sampling": 0, "differs": 0, "ours": 0, "not run": 0}


def test_table_iv_of_p1d_has_our_match_beside_the_papers(data_dir, monkeypatch):
    monkeypatch.setattr(variable_links, "TABLE_IV", {"iris": (0, 4)})
    (table,) = variable_links.tables(DataFolder(data_dir))
    ours = [cell for _, column, cell in table.cells if column.startswith("our")]
    assert [cell.ours for cell in ours] == ["4.0 ± 0.0"]
    # Their program suggested one link of four; what ours finds is no draw of that.
    (theirs,) = [cell for _, column, cell in table.cells if column.startswith("OWA")]
    assert (theirs.verdict, theirs.printed, theirs.failed) == ("otherwise", "0.0", False)
    assert "suggested one" in theirs.reason


def test_tables_of_p2_have_errors_and_an_extra_column(data_dir):
    table = representatives_files._table(DataFolder(data_dir), "abalone", 4)
    assert verdicts([table])["ours"] == 1
    judged = [cell for _, column, cell in table.cells if not column.startswith("ours")]
    assert len(judged) == 24
    assert all("±" in cell.ours and cell.z is not None for cell in judged)
    # Twelve means of four runs beside twelve of ten: hardly any by distance can be far off.
    distances = [cell for row, _, cell in table.cells if row.endswith("DBRL") and cell.printed]
    assert sum(cell.verdict == "differs" for cell in distances) <= 1


def test_p2_says_why_a_probabilistic_cell_differs_and_calls_none_agreeing_that_does_not():
    matches = np.array([18.0, 19.0, 20.0, 19.0])
    cell = representatives_files._cell(3.9, matches, "PRL")
    assert cell.verdict == "differs"
    assert "without bounds" in cell.reason
    assert "no reading that was tried gives all 48 cells" in cell.reason
    # By distance nothing of it is known, and what agrees has no reason.
    assert "bounds" not in representatives_files._cell(3.9, matches, "DBRL").reason
    assert representatives_files._cell(19.5, matches, "PRL").reason == ""


def test_p2_links_by_prorated_probabilities_and_the_sigmoid_of_its_formula():
    linker = representatives_files.linker("owa:sigmoid", "ranging", "PRL")
    assert linker.linker.numbers == "prorated"
    # The weights of the formula sum to Q(1) − Q(0), so that equal values come out smaller.
    assert float(linker.operators[5]([1.0, 1.0])) == pytest.approx(np.tanh(2.5))
    assert representatives_files.linker("owa:sigmoid", "ranging", "DBRL").linker is None


def test_the_files_of_p2_without_a_table(data_dir, monkeypatch):
    sizes = {}
    for name in representatives_files.UNTABLED:
        first, second = representatives_files.halves(DataFolder(data_dir), name)
        sizes[name] = (first.shape, second.shape, int(np.isnan(first).sum() + np.isnan(second).sum()))
    assert sizes == {
        "water-treatment": ((527, 11), (527, 14), 369),
        "iris": ((150, 2), (150, 2), 0),
        "housing": ((506, 4), (506, 3), 0),
        "dermatology": ((366, 9), (366, 7), 0),
    }
    monkeypatch.setattr(representatives_files, "UNTABLED", ("iris",))
    table = representatives_files._untabled(DataFolder(data_dir), 2)
    assert verdicts([table])["ours"] == len([*table.cells]) == 25
    assert "iris" in table.note


def test_without_files_tables_say_what_they_need(tmp_path, monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    for folder in (DataFolder(), DataFolder(tmp_path)):
        tables = [
            *weight_learning.tables(folder),
            *variable_links.tables(folder),
            *representatives_files.tables(folder),
        ]
        assert not any(one.failed for one in tables)
        cells = [cell for one in tables for _, _, cell in one.cells]
        assert {cell.verdict for cell in cells} == {"not run"}
        assert all(cell.reason.startswith("needs file ") and " from " in cell.reason for cell in cells)


def test_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    assert DataFolder().find("iris") is None
    with pytest.raises(MissingFileError, match=r"needs file uci/iris\.csv from https://archive"):
        DataFolder().columns("iris")
    (tmp_path / "iris.csv").write_text("a,b\n1,2\n")
    assert DataFolder().find("iris") == tmp_path / "iris.csv"
    with pytest.raises(DataError, match=r"iris\.csv has 1 records; the paper's has 150"):
        DataFolder().columns("iris")
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "iris.csv").write_text("a,b\n1,2\n")
    assert DataFolder().find("iris") == tmp_path / "uci" / "iris.csv"
    assert all(one.source for one in PUBLIC.values())


def test_p4_says_on_every_line_that_the_data_stand_in():
    table = categorical_links._table_2()
    assert not table.failed
    assert (table.count("exact"), table.count("built")) == (0, 20)
    assert "stand-in" in table.data


def test_papers_are_in_order_and_unknown_ones_refused():
    assert list(SECTIONS) == ["p0", "p1a", "p1b", "p1c", "p1d", "p2", "p3", "p4"]
    assert [section.key for section in compare_papers(["p1c", "p0"]).sections] == ["p0", "p1c"]
    with pytest.raises(ParameterError, match="'p5' is no paper"):
        compare_papers(["p5"])


def test_every_section_is_made_of_its_own_tables_and_figures(monkeypatch):
    asked = []

    def told(module, name, *, one=False):
        def call(*values, **options):
            asked.append((module, name, values, options))
            return f"{module} {name}" if one else [f"{module} {name}"]

        return call

    for module in ("categorical_links", "categorical_study", "chance_links", "choquet", "cwow_median",
                   "interval_negation", "location_privacy", "median_monotonicity", "median_operators",
                   "operator_tradeoff", "representatives_example", "representatives_files", "sorted_example",
                   "variable_links", "weight_learning"):  # fmt: skip
        home = getattr(sections, module)
        for name in ("tables", "figures", "figure", "study", "group_figures", "tradeoff_figure", "run"):
            if hasattr(home, name):
                monkeypatch.setattr(home, name, told(module, name, one=name in {"figure", "study", "tradeoff_figure"}))
    run = Namespace(complete=True)
    monkeypatch.setattr(
        sections.categorical_study, "run", lambda *values, **options: asked.append((values, options)) or run
    )
    monkeypatch.setattr(sections, "DataFolder", lambda path: f"folder {path}")
    found = compare_papers(full=True, data="d", store="s", resume=True)
    assert {one.key: (one.tables, one.figures) for one in found.sections} == {
        "p0": (("interval_negation tables", "sorted_example tables", "operator_tradeoff tables"),
               ("operator_tradeoff group_figures", "interval_negation figure", "operator_tradeoff tradeoff_figure")),
        "p1a": (("categorical_study tables",), ("categorical_study figures",)),
        "p1b": (("median_operators tables", "cwow_median tables", "median_monotonicity tables"),
                ("median_monotonicity figure",)),
        "p1c": (("choquet tables",), ()),
        "p1d": (("weight_learning tables", "variable_links tables", "chance_links tables"), ()),
        "p2": (("representatives_example tables", "representatives_files tables"),
               ("representatives_example figures",)),
        "p3": (("location_privacy tables",), ("location_privacy figures",)),
        "p4": (("categorical_links tables",), ("categorical_links figure",)),
    }  # fmt: skip
    assert found.full is True
    assert [one.title[:20] for one in found.sections] == [
        "Aggregation techniqu", "Microaggregation for", "Median based aggrega", "Extending microaggre",
        "OWA operators in dat", "Record linkage for d", "On the use of aggreg", "Distance-based and p",
    ]  # fmt: skip
    assert all("(20" in one.reference for one in found.sections)
    assert asked == [
        ("operator_tradeoff", "study", ("folder d",), {}),
        ("interval_negation", "tables", (), {}),
        ("sorted_example", "tables", (), {}),
        ("operator_tradeoff", "tables", ("folder d", "operator_tradeoff study"), {}),
        ("operator_tradeoff", "group_figures", (), {}),
        ("interval_negation", "figure", (), {}),
        ("operator_tradeoff", "tradeoff_figure", ("operator_tradeoff study",), {}),
        ((True,), {"store": "s", "resume": True}),
        ("categorical_study", "tables", (True,), {"study": run}),
        ("categorical_study", "figures", (run,), {}),
        ("median_operators", "tables", (), {}),
        ("cwow_median", "tables", (), {}),
        ("median_monotonicity", "tables", (), {"full": True}),
        ("median_monotonicity", "figure", (), {}),
        ("choquet", "tables", (), {}),
        ("weight_learning", "tables", ("folder d",), {}),
        ("variable_links", "tables", ("folder d",), {"full": True}),
        ("chance_links", "tables", (), {}),
        ("representatives_example", "tables", (), {}),
        ("representatives_files", "tables", ("folder d",), {"full": True}),
        ("representatives_example", "figures", (), {}),
        ("location_privacy", "tables", (), {}),
        ("location_privacy", "figures", (), {}),
        ("categorical_links", "study", (), {}),
        ("categorical_links", "tables", ("categorical_links study",), {}),
        ("categorical_links", "figure", ("categorical_links study",), {}),
    ]


def test_half_a_ranking_is_not_shown(monkeypatch):
    monkeypatch.setattr(sections.categorical_study, "run", lambda *_, **__: Namespace(complete=False))
    with pytest.raises(KeyboardInterrupt):
        compare_papers(["p1a"])


def test_papers_come_in_their_order_and_are_told_as_they_do(monkeypatch):
    monkeypatch.setattr(
        sections, "SECTIONS", {name: lambda _, full, name=name: (name, full) for name in ("p0", "p1a", "p3", "p4")}
    )
    monkeypatch.setattr(sections, "PaperComparison", lambda *values: values)
    clock = iter([100.0, 102.25])
    monkeypatch.setattr(sections, "time", instead(sections.time, perf_counter=lambda: next(clock)))
    told = []
    with listening(lambda *what: told.append(what)):
        assert compare_papers(["p4", "p0"]) == ((("p0", False), ("p4", False)), False, 2.2)
    assert told == [("papers", 0, 2), ("papers", 1, 2), ("papers", 2, 2)]
    with pytest.raises(ParameterError) as error:
        compare_papers(["p0", "p9", "p8"])
    assert str(error.value) == "papers: 'p9' is no paper. Hint: Known: p0, p1a, p3, p4."
