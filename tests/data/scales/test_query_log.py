"""Query logs: read, written, masked, attacked and measured."""

from __future__ import annotations

import csv
import functools
import operator
from collections import Counter

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.cleaning import released_schema
from discreet.data.scales.query_log import BREAK, OTHER, queries_of, terms_of
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, DiscreetError, ParameterError, SchemaError

TERMS = ("rome", "rain", "tax", "belberg")
QUERIES = st.lists(st.lists(st.sampled_from(TERMS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4)


@given(st.lists(QUERIES, min_size=1, max_size=5))
def test_queries_come_back_from_text_and_from_lists(logs):
    scale = dc.QueryLog(TERMS)
    for cells in ([" | ".join(log).upper() for log in logs], pa.array(logs)):
        encoded = scale.encode(cells)
        assert scale.decode(encoded).to_pylist() == logs
    assert scale.to_text(pa.array(logs)).to_pylist() == [" | ".join(log) for log in logs]
    assert len(queries_of(encoded)[0]) == sum(map(len, logs))
    assert [len(set(" ".join(log).split())) for log in logs] == terms_of(encoded).lengths.tolist()


def test_nothing_asked_is_no_missing_log():
    encoded = dc.QueryLog(TERMS).encode(["", None, " | tax | "])
    assert (encoded.lengths.tolist(), encoded.missing.tolist()) == ([0, 0, 1], [False, True, False])
    assert dc.QueryLog(TERMS).decode(encoded).to_pylist() == [[], None, ["tax"]]


def test_terms_are_read_off_the_table_the_commonest_first():
    frame = pl.DataFrame({"asked": ["Rome; rain", "rome; rome tax", "tax; rome"] * 4})
    scale = dc.survey(frame, queries="asked", keys="asked").schema["asked"].scale
    assert (scale.terms, scale.delimiter) == (("rome", "tax", "rain"), "; ")
    schema = dc.Schema([dc.Attribute("asked", scale, "key")])
    assert dc.Schema.from_toml(schema.to_toml()) == schema
    assert schema.of_scale("events") == schema.of_scale("items") == ()


def test_letters_without_a_plain_small_form_are_folded_in_one_way():
    cells = ["Hauptstraße | rain", "HAUPTSTRASSE | İstanbul", "İSTANBUL | ﬁnance", "finance | rain"] * 3
    table = dc.survey(pl.DataFrame({"asked": cells}), queries="asked", keys="asked")
    scale = table.schema["asked"].scale
    assert scale.terms == ("finance", "hauptstrasse", "i̇stanbul", "rain")
    assert scale.decode(scale.encode(["Hauptstraße"])).to_pylist() == [["hauptstrasse"]]
    assert len(dc.KSHC(k=3, attributes=["asked"]).mask(table).microdata) == len(cells)


@pytest.mark.parametrize("fields", [(["two words"],), (["Rome"],), ([3],), (["a", "a"],), (["a"], " "), (3,)])
def test_a_declaration_is_checked(fields):
    with pytest.raises(DiscreetError, match="QueryLog: |Sequence: "):
        dc.QueryLog(*fields)


def test_errors_show_no_term():
    table = dc.Schema([dc.Attribute("asked", dc.QueryLog(["rome"]), "key")])
    with pytest.raises(DiscreetError, match="1 of 3 terms are not among the 1 declared") as refusal:
        dc.microdata(pl.DataFrame({"asked": ["rome", "rome lilburn"]}), table).encoded("asked")
    assert "lilburn" not in str(refusal.value)
    with pytest.raises(DataError, match="Queries must be text"):
        dc.QueryLog(["rome"]).encode(pa.array([[1, 2]]))


def test_free_text_is_never_taken_for_a_log():
    texts = [f"{a} | {b}" for a in ("flights rome", "tax", "rain", "news") for b in ("flu", "car", "job", "map")]
    free = [f"I think that {a} is number {i}, or so" for i, a in enumerate(texts)]
    for column in (texts, free):
        assert dc.microdata(pl.DataFrame({"x": column})).schema["x"].scale.name != "queries"


@pytest.fixture(scope="module")
def people():
    return dc.datasets.searches(150, 1)


@pytest.mark.parametrize("masker", [dc.KSHC(k=5), dc.SequenceMDAV(k=4)], ids=repr)
def test_no_word_of_few_people_is_in_the_written_bytes(people, masker, tmp_path):
    logs = [set(" ".join(log).split()) for log in people.column("SEARCHES").to_pylist()]
    asked = Counter(term for log in logs for term in log)
    masked = masker.mask(people)
    dc.write(masked, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = [row["SEARCHES"] for row in csv.DictReader(file)]
    assert min(Counter(cells).values()) >= masker.k
    words = {word for cell in cells for word in cell.replace("|", " ").split()} - {"*"}
    assert words
    assert min(asked[word] for word in words) >= masker.k
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not any(term.encode() in written for term, count in asked.items() if count < 2 and len(term) > 5)
    assert dc.SequenceLinkage().link(people, masked.microdata).evaluate().rate <= 1 / masker.k + 1e-9
    assert dc.KnownTerms().measure(people, masked).value == 0
    assert dc.KnownTerms().measure(people, people).value > 40
    assert dc.RareTerms(least=masker.k).measure(people, masked).value == 0
    assert dc.RareTerms().measure(people, people).value > 30


def test_the_released_declaration_lists_released_terms_in_the_order_of_letters(people):
    scale = released_schema(dc.KSHC(k=5).mask(people).microdata)["SEARCHES"].scale
    assert list(scale.terms) == sorted(scale.terms)
    assert len(scale.terms) < len(people.schema["SEARCHES"].scale.terms)


@pytest.mark.parametrize("option", [{"distance": "jaccard"}, {"prototype": "oesp"}, {"prototype": "frequent-items"}])
def test_what_is_made_for_others_is_refused(people, option):
    with pytest.raises(ParameterError, match="scale 'queries' holds"):
        dc.KSHC(k=5, **option).mask(people)


def test_losses_by_hand():
    schema = dc.Schema([dc.Attribute("asked", dc.QueryLog(TERMS), "key")])
    a, b = (
        dc.microdata(pl.DataFrame({"asked": logs}), schema)
        for logs in (["rome rain | tax", "rome rain", "tax"], ["rome rain", "rome rain", "rain"])
    )
    # People by term: rome 2, rain 2, tax 2 of 6 became rome 2, rain 3 of 5.
    assert dc.measure(a, b, ["term-frequencies"])[0].value == pytest.approx(100 / 3)
    frequent = dc.FrequentQueries(support=0.5).measure(a, b)
    assert frequent.value == pytest.approx(50)
    assert frequent.details["by_attribute"]["asked"] == {"before": 2, "kept": 1, "added": 0}


@pytest.mark.parametrize("streamed", [False, True])
def test_words_of_few_people_in_another_released_column_are_counted_and_not_shown(streamed, tmp_path):
    asked = [f"rome | rain tax{i % 2}" for i in range(12)]
    asked[5] = "rome | lilburn dentist"
    remarks = ["fine"] * 12
    remarks[5] = "moved to Lilburn, sees a DENTIST"
    frame = pl.DataFrame({"asked": asked, "remark": remarks, "sex": ["rain", "tax0"] * 6})
    schema = dc.survey(frame, queries="asked", keys="asked", nominal=["remark", "sex"]).schema
    masker = dc.KSHC(k=3, attributes=["asked"])
    if streamed:
        frame.write_parquet(tmp_path / "logs.parquet")
        source = dc.scan(tmp_path / "logs.parquet", schema=schema)
        notes = dc.protect(source, masker, output=tmp_path / "masked.parquet", block_size=8).provenance.notes
        assert set(notes) == set(masker.mask(dc.microdata(frame, schema)).provenance.notes)
    else:
        notes = masker.mask(dc.microdata(frame, schema)).provenance.notes
    (note,) = [note for note in notes if "words" in note]
    assert note.startswith("remark: 2 words that fewer than 3 people have in asked")
    assert "lilburn" not in note.casefold()


def test_a_word_that_k_people_write_elsewhere_is_not_told_of():
    asked = ["rome | rain"] * 9 + ["lilburn"]
    frame = pl.DataFrame({"asked": asked, "remark": ["Lilburn"] * 3 + ["fine"] * 7})
    schema = dc.survey(frame, queries="asked", keys="asked", nominal=["remark"]).schema
    few, many = (dc.KSHC(k=k, attributes=["asked"]).mask(dc.microdata(frame, schema)) for k in (4, 3))
    assert any(note.startswith("remark: 1 words") for note in few.provenance.notes)
    assert not any("words" in note for note in many.provenance.notes)


def log(*codes):
    lengths = [len(one) for one in codes]
    return EncodedSequences(
        np.array(functools.reduce(operator.iadd, codes, []), dtype=np.int32),
        np.cumsum([0, *lengths]),
        np.zeros(len(codes), dtype=bool),
    )


def test_the_queries_and_the_terms_of_logs():
    first, second, third = OTHER + 1, OTHER + 2, OTHER + 3
    logs = log([third, first, BREAK, first], [], [second, BREAK, OTHER], [first])
    owner, number = queries_of(logs)
    assert owner.tolist() == [0, 0, 2, 2, 3]
    assert number.tolist() == [0, 0, -1, 1, 2, -1, 3, 4]
    terms = terms_of(logs)
    assert terms.codes.tolist() == [first, third, second, first]
    assert terms.offsets.tolist() == [0, 2, 2, 3, 4]
    assert terms.codes.dtype == np.int32
    empty_owner, empty_number = queries_of(log([], []))
    assert (empty_owner.tolist(), empty_number.tolist()) == ([], [])


@pytest.mark.parametrize(
    ("cells", "fields", "mark", "terms"),
    [
        (["b a | c", "a"], {}, " | ", ("a", "b", "c")),  # that of most people first, then by letters
        (["b|a", "a"], {}, "|", ("a", "b")),
        (["b; a"], {}, "; ", ("a", "b")),
        (["b;a"], {}, ";", ("a", "b")),
        (["b\ta"], {}, " | ", ("a", "b")),  # a tab is a blank, which stands between terms
        (["b a"], {}, " | ", ("a", "b")),
        (["b;a"], {"delimiter": "|"}, "|", ("b;a",)),
        ([["b", "a b"], ["c"]], {}, " | ", ("a", "b", "c")),
        (["a a a", "b", "b"], {}, " | ", ("b", "a")),  # people count, and not how often they ask
    ],
)
def test_terms_and_marks_that_are_read_off(cells, fields, mark, terms):
    scale = dc.QueryLog.read_off(pa.array(cells), (), fields)
    assert (scale.delimiter, scale.terms) == (mark, terms)


def test_what_a_log_is_a_part_of():
    scale = dc.QueryLog(["a", "b"])
    assert dc.QueryLog(["b"]).is_part_of(scale)
    assert not dc.QueryLog(["z"]).is_part_of(scale)
    assert not dc.QueryLog(["b"]).is_part_of(dc.Sequence(["a", "b"]))
    with pytest.raises(SchemaError, match="QueryLog: 1 terms hold the delimiter"):
        dc.QueryLog(["a|b", "c"]).to_text(pa.array([["c"]]))
    with pytest.raises(DataError, match="1 of 2 queries are missing"):
        scale.encode([["a", None]])
    with pytest.raises(DataError, match="Queries must be text"):
        scale.encode([[1, 2]])
