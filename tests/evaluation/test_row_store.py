"""A file of finished rows: what may be added to, what is left as it is, and what half a line becomes."""

from __future__ import annotations

import json

import pytest

from discreet.errors import FileError
from discreet.evaluation.row_store import RowStore, check_store, study_seed


def store(path, fingerprint="abc", *, resume=False, **more):
    return RowStore(path, fingerprint, 7, resume=resume, **more)


def test_rows_are_lines_and_come_back(tmp_path):
    path = tmp_path / "study.jsonl"
    with store(path) as rows:
        rows.add([{"experiment": 0, "score": 1.5}])
        rows.add([{"experiment": 2, "method": "é"}])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"study": "abc", "seed": "7"}, {"experiment": 0, "score": 1.5}, {"experiment": 2, "method": "é"},
    ]  # fmt: skip
    assert "é" in lines[-1]
    with store(path, resume=True) as again:
        assert again.rows == {0: {"experiment": 0, "score": 1.5}, 2: {"experiment": 2, "method": "é"}}


def test_half_a_line_is_cut_off_and_the_next_row_begins_a_line(tmp_path):
    path = tmp_path / "study.jsonl"
    with store(path) as rows:
        rows.add([{"experiment": 0}])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"experiment": 1, "sco')
    with store(path, resume=True) as again:
        assert list(again.rows) == [0]
        assert path.read_bytes() == whole
        again.add([{"experiment": 1}])
    assert path.read_bytes() == whole + b'{"experiment": 1}\n'


def test_only_the_same_study_goes_on_and_only_when_asked_to(tmp_path):
    path = tmp_path / "study.jsonl"
    store(path).__exit__(None, None, None)
    with pytest.raises(FileError, match="holds an earlier study"):
        store(path)
    with pytest.raises(FileError, match="belongs to another study"):
        store(path, "xyz", resume=True)


@pytest.mark.parametrize(
    "content",
    [b"", b"age,sex\n1,f\n", b'{"study": "abc"}', b'{"study": 1}\n', b'{"seed": "7"}\n', b'["study"]\n',
     b'{"study": "abc", "seed": "7", "more": 1}\n', b"[" * 5000],
)  # fmt: skip
def test_another_file_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match="does not hold a study, so it is left as it is"):
        store(path, resume=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", ["[1]", "5", '{"score": 1}', "{"])
def test_a_store_that_somebody_changed_is_refused(tmp_path, line):
    path = tmp_path / "study.jsonl"
    path.write_text(f'{{"study": "abc"}}\n{line}\n')
    with pytest.raises(FileError, match="was changed after it was written"):
        store(path, resume=True)


def test_inputs_are_never_written_to(tmp_path):
    path = tmp_path / "study.jsonl"
    with pytest.raises(FileError, match="is also an input"):
        check_store(path, resume=True, inputs=[path])
    assert check_store(path, resume=False) == path
    assert not path.exists()


def test_the_seed_is_the_one_given_or_that_of_the_study_that_goes_on(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"study": "abc", "seed": "340282366920938463463374607431768211455"}\n')
    assert study_seed(5, path, resume=True) == 5
    assert study_seed(0, path, resume=True) == 0
    assert study_seed(None, path, resume=True) == 2**128 - 1
    drawn = {study_seed(None, path, resume=False), study_seed(None, None, resume=True),
             study_seed(None, tmp_path / "absent", resume=True)}  # fmt: skip
    assert len(drawn) == 3
    for content in ('{"study": "abc"}\n', "5\n", "[\n", '{"seed": "x"}\n'):
        path.write_text(content)
        assert isinstance(study_seed(None, path, resume=True), int)
