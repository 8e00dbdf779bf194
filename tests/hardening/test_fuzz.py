"""Whatever comes in, the answer is a table or a clear error; never a traceback, never a value in a message."""

from __future__ import annotations

import contextlib
import io as streams
import string

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from discreet import io, workflow
from discreet.cli import main
from discreet.data.schema import Schema
from discreet.errors import DiscreetError

# A quarter more than usual, in the quick suite and in the whole one.
FUZZ = settings(
    max_examples=settings().max_examples * 5 // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PLANTED = "Xq7Planted"

cells = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["", " ", '"', '""', "NA", "nan", "-", "=1+1", "\n", "\r", "\x00", ";", ",", "1e999", "１", "\ufeff"]
    ),
    st.floats().map(str),
    st.integers().map(str),
)


@FUZZ
@example(content=b"\xc2")
@given(content=st.binary(max_size=400))
def test_any_bytes_as_a_csv_file(tmp_path, content):
    path = tmp_path / "any.csv"
    path.write_bytes(content)
    with contextlib.suppress(DiscreetError):
        table, _ = io.read_table(path)
        assert table.num_columns >= 1


@FUZZ
@example(rows=[["0"], ["1E20"]], delimiter=",", end="\n", encoding="utf-8")
@example(rows=[["0"], ["1E310"]], delimiter=",", end="\n", encoding="utf-8")
@given(
    rows=st.lists(st.lists(cells, min_size=1, max_size=5), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16", "cp1252"]),
)
def test_ragged_tables_of_hostile_cells(tmp_path, rows, delimiter, end, encoding):
    path = tmp_path / "hostile.csv"
    path.write_bytes(end.join(delimiter.join(row) for row in rows).encode(encoding, errors="replace"))
    try:
        data = workflow.read(path, encoding=encoding)
    except DiscreetError:
        return
    assert len(data) >= 0
    with contextlib.suppress(DiscreetError):
        workflow.write(data, tmp_path / "again.csv")
        again = workflow.read(tmp_path / "again.csv", data.schema, encoding=encoding)
        assert len(again) == len(data)


@FUZZ
@given(text=st.one_of(st.text(max_size=300), st.text(alphabet="[]=\"abc\n#'{}.,1 ", max_size=300)))
def test_any_text_as_a_schema(text):
    with contextlib.suppress(DiscreetError):
        Schema.from_toml(text)


pieces = st.fixed_dictionaries(
    {},
    optional={
        "name": st.one_of(st.text(max_size=5), st.integers(), st.none(), st.booleans()),
        "scale": st.one_of(st.sampled_from(["numeric", "ordinal", "nominal", "sequence", "?"]), st.lists(st.text())),
        "role": st.one_of(st.sampled_from(["key", "weight", "identifier", "nobody"]), st.integers()),
        "levels": st.one_of(st.lists(st.one_of(st.text(), st.integers(), st.booleans()), max_size=4), st.text()),
        "missing": st.one_of(st.lists(st.one_of(st.text(max_size=3), st.floats()), max_size=3), st.integers()),
        "unheard": st.integers(),
    },
)  # fmt: skip


@FUZZ
@example(attributes=[{"name": "a", "missing": 0, "scale": "numeric"}])
@given(attributes=st.lists(pieces, max_size=4))
def test_any_tables_as_a_schema(attributes):
    import tomli_w

    cleaned = [{k: v for k, v in attribute.items() if v is not None} for attribute in attributes]
    with contextlib.suppress(DiscreetError):
        schema = Schema.from_toml(tomli_w.dumps({"attribute": cleaned}))
        assert Schema.from_toml(schema.to_toml()) == schema


words = st.one_of(
    st.sampled_from(
        ["inspect", "protect", "assess", "attack", "link", "compare", "methods", "datasets", "data.csv", "schema.toml",
         "-o", "out.csv", "--schema", "--method", "mdav", "kmodes", "pram", "--k", "3", "0", "-1", "nan", "1e400",
         "--set", "p=5", "p=", "=", "theta=2", "blocks=[", "--seed", "--linker", "probabilistic", "--attributes", "a,b",
         ",", "--json", "--quiet", "-c", "mdav k=3,5", "mdav k=", "--sequence", "--delimiter", ";", "--encoding",
         "utf-99", "--", "-"]
    ),
    st.text(alphabet=string.printable, max_size=6),
)  # fmt: skip


@settings(FUZZ, max_examples=settings().max_examples * 5 // 6)
@given(arguments=st.lists(words, max_size=8))
def test_any_words_on_the_command_line(tmp_path, arguments):
    (tmp_path / "data.csv").write_text(f"a,b,name\n1,2,{PLANTED}\n2,3,{PLANTED}x\n4,4,{PLANTED}y\n5,1,{PLANTED}z\n")
    (tmp_path / "schema.toml").write_text('[[attribute]]\nname = "a"\nscale = "numeric"\nrole = "key"\n')
    before = (tmp_path / "data.csv").read_bytes()
    out, err = streams.StringIO(), streams.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(arguments)
    assert code in (0, 1, 2), (arguments, err.getvalue())
    assert PLANTED not in out.getvalue() + err.getvalue()
    assert (tmp_path / "data.csv").read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(
    "name",
    ["=cmd|' /C calc'!A0", "+1", "-x", "@SUM(1)", "a\nb", "<script>alert(1)</script>", "../../etc/passwd",
     "naïve 名前 🙂", "\x1b[31mred", "{{ 7 * 7 }}", "%s%n", "a" * 500],
)  # fmt: skip
def test_hostile_column_names_come_out_as_they_went_in_and_harmless(tmp_path, name, capsys):
    import polars as pl

    frame = pl.DataFrame({name: [float(i * i % 17) for i in range(40)], "other": [float(i) for i in range(40)]})
    frame.write_csv(tmp_path / "in.csv")
    with contextlib.chdir(tmp_path):
        # A number as a name could be a record: there one is asked.
        told = ["--header"] if name == "+1" else []
        inspected = main._code(["inspect", "in.csv", "-o", "schema.toml", *told])
        assert inspected == 0
        text = (tmp_path / "schema.toml").read_text(encoding="utf-8")
        schema = Schema.from_toml(text)
        assert schema.names == (name, "other")
        keys = schema.with_roles(**{name: "key", "other": "key"})
        (tmp_path / "schema.toml").write_text(keys.to_toml(), encoding="utf-8")
        assert (
            main._code(
                ["protect", "in.csv", "--schema", "schema.toml", "--k", "4", "-o", "out.csv", "--report", "out.html"]
            )
            == 0
        )
    shown = capsys.readouterr()
    assert "\x1b[31m" not in shown.out + shown.err
    guarded = f"'{name}" if name[0] in "=+-@" else name  # a spreadsheet must not run it
    assert pl.read_csv(tmp_path / "out.csv").columns == [guarded, "other"]
    assert workflow.read(tmp_path / "out.csv", tmp_path / "schema.toml").names == (name, "other")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert not (tmp_path.parent / "etc").exists()
