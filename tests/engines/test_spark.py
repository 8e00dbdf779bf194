"""The same bodies on Spark, and what only Spark can do wrong."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.engines import table_bodies, test_every_measure
from tests.engines.table_bodies import Fail, TableBodies, read, written
from tests.engines.test_every_masker import CASES, SIZES, from_files, in_memory
from tests.masking.test_releases_stay import tables

import discreet as dc
from discreet import catalogue
from discreet.contracts.engine import TablePair
from discreet.data.encoded_rows import ROW
from discreet.engines.memory import MemoryEngine
from discreet.engines.spark import SparkEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, FileError, MissingExtraError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.numbers.mdav import MDAV

pyspark = pytest.importorskip(
    "pyspark", reason="pyspark is not installed; `make test-spark` installs it and Java, and runs these tests"
)
if "PYTEST_XDIST_WORKER" in os.environ:
    pytest.skip("Spark is started once, by `make test-spark`, not by every process", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark itself warns about newer versions of its dependencies

try:
    from discreet.engines.spark_session import check_java

    check_java()
except MissingExtraError as error:
    pytest.skip(f"{error}", allow_module_level=True)

OPTIONS = {"spark.sql.shuffle.partitions": "3", "spark.default.parallelism": "2", "spark.driver.memory": "1g"}


@pytest.fixture(scope="module")
def spark():
    from pyspark import cloudpickle

    # Workers cannot import the tests: what is defined there travels whole.
    cloudpickle.register_pickle_by_value(table_bodies)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine = SparkEngine("local[2]", options=OPTIONS)
        engine.session  # noqa: B018 - starts it
        yield engine
        engine.stop()


RELEASES = [case for case in CASES if case.id in {  # a way through the runner each; all of them would take an hour
    "additive-noise-1-strata", "correlated-noise-1", "pram-0-strata", "rounding-1", "global-recoding-0", "top-coding-1",
    "identifiers-0", "rank-swapping-0-strata", "mdav-1", "mdav-0-strata", "mixed-mdav-1", "kmodes-0-strata",
    "local-suppression-0", "kshc-0", "balanced-kmodes-0",
}]  # fmt: skip


@pytest.mark.parametrize("block_size", SIZES)
@pytest.mark.parametrize("masker", RELEASES)
def test_the_release_is_that_of_memory(spark, masker, block_size, tmp_path):
    table = tables()["whole"]
    pq.write_table(table.to_arrow(), tmp_path / "in.parquet", row_group_size=37)
    source = ParquetSource(tmp_path / "in.parquet", table.schema)
    assert from_files(masker, source, tmp_path, spark, block_size) == in_memory(masker, table, block_size)


class TestSpark(TableBodies):
    @pytest.fixture
    def engine(self, spark):
        return spark


@dataclass(frozen=True)
class KillOnce:
    """A function on blocks whose worker is killed the first time a block is seen."""

    function: object
    marker: str

    def __call__(self, block):
        marker = Path(self.marker)
        if not marker.exists():
            marker.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return self.function(block)


class Deadly(SparkEngine):
    """Spark on which a worker dies in the middle of every split."""

    marker = ""
    splits = 0

    def split(self, rows, key, parts, function, columns):
        self.splits += 1
        return super().split(rows, key, parts, KillOnce(function, f"{self.marker}{self.splits}"), columns)


def test_a_worker_that_is_killed_changes_nothing(spark, tmp_path):
    source = written(tmp_path / "in")
    deadly = Deadly("local[2]", session=spark.session)
    deadly.marker = str(tmp_path / "killed-")
    MDAV(5, random_state=7).mask_into(source, ParquetTarget(tmp_path / "out"), deadly, block_size=200)
    killed = sorted(tmp_path.glob("killed-*"))
    assert len(killed) == 3  # once while grouping, once in each repair
    assert str(os.getpid()) not in {file.read_text() for file in killed}
    MDAV(5, random_state=7).mask_into(
        source, ParquetTarget(tmp_path / "one.parquet"), StreamingEngine(1), block_size=200
    )
    assert read(tmp_path / "out").equals(read(tmp_path / "one.parquet"))


def test_a_partition_that_fails_for_good_is_told_without_its_values(spark, tmp_path):
    rows = spark.open(written(tmp_path / "in"), ["wage"])
    with pytest.raises(DataError, match=r"failed on a worker with ValueError at table_bodies.py:\d+") as caught:
        spark.collect(spark.apply(rows, Fail(), {ROW: "int"}))
    assert "secret" not in str(caught.value)
    assert "--engine streaming" in caught.value.hint


def test_a_failed_release_leaves_nothing_behind(spark, tmp_path):
    def broken(table, rows, block):
        raise DataError("No release today.")

    source = written(tmp_path / "in")
    with pytest.raises(DataError, match="No release today"):
        spark.write(source, ParquetTarget(tmp_path / "out"), broken)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_spark_writes_folders(spark, tmp_path):
    with pytest.raises(FileError, match="Spark writes a folder"):
        MDAV(5).mask_into(written(tmp_path / "in"), ParquetTarget(tmp_path / "out.parquet"), spark, 200)


@pytest.mark.parametrize("case", ["permuted", "gaps"])
def test_every_measure_says_the_same_as_in_memory(spark, tmp_path, case):
    examples = [one for measure in catalogue.measures().values() for one in measure.examples()]
    for name in (case, f"{case}, in time"):  # other measures look at what runs in time
        measures = [one for one in examples if test_every_measure.case_of(one, case) == name]
        in_memory = test_every_measure.all_tables()[name]
        in_files = test_every_measure.in_files(tmp_path, name, in_memory)
        before, after = (TablePair(*pair) for pair in (in_memory, in_files))
        answers = []
        for engine, pair in ((MemoryEngine(), before), (spark, after)):
            inquiries = {place: one.measured(one.scope(pair, None, engine)) for place, one in enumerate(measures)}
            answers.append(engine.answer(pair, inquiries))
        assert measures
        for place in range(len(measures)):
            test_every_measure.assert_alike(answers[0][place], answers[1][place])


def test_read_mask_assess_write(spark, tmp_path):
    source = written(tmp_path / "in")
    masked, released = dc.protect(
        source, MDAV(5, random_state=1), output=tmp_path / "out", engine=spark, block_size=300
    )
    assert masked.changed["wage"] > 1000
    found = {}
    for engine in (spark, StreamingEngine(1)):
        assessment = dc.assess(source, dc.scan(tmp_path / "out", released), engine=engine)
        found[type(engine)] = {m.name: m.value for m in assessment.measurements}
    assert found[SparkEngine] == pytest.approx(found[StreamingEngine])


def test_the_command_line_runs_spark(spark, tmp_path):
    from typer.testing import CliRunner

    from discreet.cli.main import app

    source = written(tmp_path / "in")
    (tmp_path / "s.toml").write_text(source.schema.to_toml())
    line = ["protect", str(tmp_path / "in"), "-s", str(tmp_path / "s.toml"), "--method", "pram", "--seed", "3"]
    told = CliRunner().invoke(
        app, [*line, "--engine", "spark", "--master", "local[2]", "-o", str(tmp_path / "out"), "--json"]
    )
    assert told.exit_code == 0, told.output
    assert len(read(tmp_path / "out")) == table_bodies.N


def test_another_python_on_the_workers_is_told(spark):
    from discreet.engines.spark_session import as_ours

    for text in (
        "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9",
        'Cannot run program "python9"',
    ):
        error = as_ours(text)
        assert isinstance(error, MissingExtraError)
        assert f"export PYSPARK_PYTHON={sys.executable}" in error.hint
    error = as_ours("ModuleNotFoundError: No module named 'discreet'")
    assert "lacks the module 'discreet'" in error.message
    assert 'pip install "discreet[spark]"' in error.hint


def test_a_master_that_nobody_knows_is_refused():
    with pytest.raises(ParameterError, match="master must be local"):
        SparkEngine("somewhere")
