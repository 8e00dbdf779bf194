"""Random numbers from a key: the cipher against its specification, the fingerprint across tables and engines."""

from __future__ import annotations

import ast
import hashlib
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.chacha import chacha_block

import discreet as dc
from discreet import catalogue
from discreet.contracts import run_masker
from discreet.contracts.engine import InProcess
from discreet.contracts.ground import Stored
from discreet.data.keyed_draws import Draws, drawn_seed, draws_of, fingerprint, generator_of, seed_from, spawned
from discreet.data.microdata import Microdata
from discreet.engines.streaming import StreamingEngine
from discreet.io.stored_parquet import ParquetSource
from discreet.kernels import chacha
from discreet.statistics.census import Census

ROOT = Path(__file__).parent.parent.parent


def block(key: bytes, nonce: int, counter: int) -> bytes:
    out = np.empty((chacha.WORDS, chacha.LANES), dtype=np.uint64)
    words = np.frombuffer(key, dtype="<u8").astype(np.uint64)
    counters, lane = np.arange(chacha.LANES, dtype=np.uint64) * np.uint64(977), counter % chacha.LANES
    counters[lane] = counter
    chacha.blocks(words, np.uint64(nonce), counters, out.ravel())
    return out[:, lane].astype("<u8").tobytes()


class TestCipher:
    def test_the_keystream_of_the_key_of_zeros(self):
        # Nir and Langley (2018), RFC 8439, appendix A.1, test vector 1.
        assert (
            block(bytes(32), 0, 0).hex().startswith("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7")
        )

    def test_the_worked_block_of_the_specification(self):
        # RFC 8439, section 2.3.2; its nonce of 96 bits lies across our counter and nonce of 64 bits each.
        counter = int.from_bytes(bytes.fromhex("0100000000000009"), "little")
        nonce = int.from_bytes(bytes.fromhex("0000004a00000000"), "little")
        text = block(bytes(range(32)), nonce, counter).hex()
        assert text.startswith("10f1e7e4d13b5915500fdd1fa32071c4")
        assert text.endswith("b5129cd1de164eb9cbd083e8a2503c4e")

    @given(st.binary(min_size=32, max_size=32), st.integers(0, 2**64 - 1), st.integers(0, 2**63 - 1))
    def test_agrees_with_the_slow_twin(self, key, nonce, counter):
        assert block(key, nonce, counter) == chacha_block(key, nonce, counter)

    @pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
    def test_positions_get_the_words_of_their_blocks(self, n):
        key, positions = bytes(range(32)), np.random.default_rng(n).integers(0, 2**62, n)
        out = np.full((3, n), np.nan)
        chacha.uniforms_at(np.frombuffer(key, dtype="<u8").astype(np.uint64), np.uint64(9), positions, 5, out)
        words = [np.frombuffer(chacha_block(key, 9, place), dtype="<u8")[5:] for place in positions.tolist()]
        assert np.array_equal(out.T.ravel(), [(int(word) >> 11) * 2.0**-53 for block in words for word in block])

    def test_a_stream_hands_out_the_blocks_in_their_order(self):
        draws = Draws(bytes(range(32)))
        key = draws.child("stream").key
        expected = b"".join(chacha_block(key, 0, counter) for counter in range(200))
        words = np.frombuffer(expected, dtype="<u8")
        rng = draws.generator()
        assert rng.integers(2**64, size=words.size, dtype=np.uint64).tolist() == words.tolist()
        again = draws.generator()
        assert again.random(3).tolist() == ((words[:3] >> np.uint64(11)) * 2.0**-53).tolist()


class TestStreams:
    def test_look_like_chance(self):
        rng = Draws(bytes(32)).generator("a")
        normal = rng.standard_normal(200_000)
        assert abs(normal.mean()) < 0.02
        assert abs(normal.std() - 1) < 0.02
        counts = np.bincount(rng.integers(10, size=100_000), minlength=10)
        assert ((counts - 10_000) ** 2 / 10_000).sum() < 40  # chi-square with 9 degrees: beyond this once in 100,000
        assert sorted(rng.permutation(50)) == list(range(50))

    def test_parts_of_the_work_have_streams_of_their_own(self):
        draws = Draws(bytes(32))
        first, second = draws.generator("a", 1).random(1000), draws.generator("a", 2).random(1000)
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.15
        assert draws.child("a", "b").key != draws.child("ab").key
        assert draws.child("1").key != draws.child(1).key

    def test_numbers_belong_to_positions_and_not_to_the_company_they_come_in(self):
        draws, rows = Draws(bytes(32)), np.arange(1000)
        for stream in (0, 3, 8, 17):
            whole = draws.uniform(rows, stream)
            assert np.array_equal(whole[[7, 999, 0]], draws.uniform(np.array([7, 999, 0]), stream))
            assert whole.min() >= 0
            assert whole.max() < 1
        assert abs(np.corrcoef(draws.uniform(rows, 0), draws.uniform(rows, 8))[0, 1]) < 0.15

    def test_travel_to_other_processes_and_show_nothing(self):
        draws = Draws.of(7, None, "noise")
        assert pickle.loads(pickle.dumps(draws)) == draws  # noqa: S301 - our own bytes
        assert draws.key.hex()[:6] not in repr(draws)
        assert str(list(draws.key)[:3]) not in repr(draws)

    def test_spawned_generators_are_strangers(self):
        rng = Draws(bytes(32)).generator()
        assert spawned(rng).random() != spawned(rng).random()


class TestSeeds:
    def test_none_given_means_128_bits_that_nobody_knows(self):
        seeds = {drawn_seed() for _ in range(50)}
        assert len(seeds) == 50
        assert max(seeds) > 2**120
        seed, draws = draws_of(None, fingerprint({"x": np.array([1.0])}), "noise")
        assert draws == draws_of(seed, fingerprint({"x": np.array([1.0])}), "noise")[1]

    def test_the_seed_alone_gives_no_draw(self):
        one, other = (draws_of(7, fingerprint({"x": np.array([v, 2.0])}), "noise")[1] for v in (1.0, 1.5))
        assert one.generator().random() != other.generator().random()
        assert one != draws_of(7, fingerprint({"x": np.array([1.0, 2.0])}), "other method")[1]

    def test_generators_and_seed_sequences_are_keyed_as_well(self):
        for make in (lambda: np.random.default_rng(3), lambda: np.random.SeedSequence(3)):
            seed, one = draws_of(make(), fingerprint({"x": np.array([1.0])}), "noise")
            assert seed is None
            assert one == draws_of(make(), fingerprint({"x": np.array([1.0])}), "noise")[1]
            assert one != draws_of(make(), fingerprint({"x": np.array([2.0])}), "noise")[1]

    def test_seeds_of_steps_have_all_bits(self):
        assert len({seed_from(1, "place", i) for i in range(100)}) == 100
        assert max(seed_from(1, "place", i) for i in range(100)) > 2**120

    def test_a_seed_gives_the_same_key_in_every_version(self):
        # What was masked once must come out again: keys are BLAKE2b over the parts, each behind its kind and length.
        def hashed(text: bytes) -> bytes:
            return hashlib.blake2b(text, digest_size=32, person=b"discreet draws").digest()

        seed = hashed(b"bytes:4:seedstr:1:7str:4:stepint:1:1")[:16]
        assert seed_from(7, "step", 1) == int.from_bytes(seed, "little") == 215562362034218821642656899405732395189
        marks = np.array([1, 2], dtype=np.uint64)
        assert Draws.of(7, None, "noise").key == hashed(b"int:1:7bytes:0:str:5:noise")
        little = bytes([1, *[0] * 7, 2, *[0] * 7])
        assert Draws.of(b"7", marks, "noise").key == hashed(b"bytes:1:7bytes:16:" + little + b"str:5:noise")
        draws = Draws(bytes(range(32)))
        assert draws.child("a", 1).key == hashed(b"bytes:32:" + draws.key + b"str:1:aint:1:1")
        whole = hashed(b"bytes:32:" + draws.key + b"str:7:integerstr:1:a")
        assert draws.integer("a") == int.from_bytes(whole[:8], "little") // 4
        assert draws_of(np.int64(7), marks, "noise") == (7, Draws.of(7, marks, "noise"))
        state = np.random.SeedSequence(3).generate_state(8, np.uint32).tobytes()
        assert draws_of(np.random.SeedSequence(3), marks, "noise") == (None, Draws.of(state, marks, "noise"))
        rng = np.random.default_rng(3)
        assert draws_of(np.random.default_rng(3), marks, "noise") == (None, Draws.of(rng.bytes(32), marks, "noise"))

    def test_a_late_stream_is_one_generator(self):
        draws = Draws(bytes(32))
        late = draws.stream("a", 1)
        assert generator_of(late) is generator_of(late)
        assert generator_of(late).random(3).tolist() == draws.generator("a", 1).random(3).tolist()
        rng = np.random.default_rng(1)
        assert generator_of(rng) is rng
        key = Draws(bytes(32)).generator().bytes(32)
        assert spawned(Draws(bytes(32)).generator()).random() == Draws(key).generator().random()

    @pytest.mark.parametrize("streams", [1, 7, 8, 9, 20])
    def test_streams_drawn_together_are_those_drawn_one_by_one(self, streams):
        draws, rows = Draws(bytes(32)), np.array([5, 0, 70, 2**40])
        together = draws.uniforms(rows, streams)
        assert together.shape == (4, streams)
        assert together.tolist() == np.column_stack([draws.uniform(rows, j) for j in range(streams)]).tolist()
        blocks = [chacha_block(draws.key, (streams - 1) // 8, row) for row in rows.tolist()]
        words = [int(np.frombuffer(block, dtype="<u8")[(streams - 1) % 8]) for block in blocks]
        assert together[:, -1].tolist() == [(word >> 11) * 2.0**-53 for word in words]


class TestFingerprint:
    @given(st.lists(st.floats(width=64), min_size=2, max_size=30), st.data())
    def test_parts_add_up_and_order_counts(self, values, data):
        column = np.array(values)
        cut = data.draw(st.integers(0, len(values)))
        rows = np.arange(len(values))
        parts = fingerprint({"x": column[:cut]}, rows[:cut]) + fingerprint({"x": column[cut:]}, rows[cut:])
        assert np.array_equal(parts, fingerprint({"x": column}))
        turned = np.roll(column, 1)
        same = np.array_equal(turned + 0.0, column + 0.0, equal_nan=True)
        assert np.array_equal(fingerprint({"x": turned}), fingerprint({"x": column})) == same

    def test_a_value_in_another_column_is_another_value(self):
        a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        assert not np.array_equal(fingerprint({"a": a, "b": b}), fingerprint({"a": b, "b": a}))

    def test_zeros_and_missing_values_have_one_form(self):
        odd = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)
        assert np.array_equal(fingerprint({"x": odd}), fingerprint({"x": np.array([np.nan])}))
        assert np.array_equal(fingerprint({"x": np.array([-0.0])}), fingerprint({"x": np.array([0.0])}))

    def test_is_the_same_in_every_version(self):
        numbers = {"x": np.array([1.5, -0.0, np.nan]), "c": np.array([1, 2, 3])}
        assert fingerprint(numbers).tolist() == [111682662823860619, 7760692738296298458]
        assert fingerprint(numbers, np.array([0, 1, 2])).tolist() == fingerprint(numbers).tolist()
        texts = {"o": np.array([b"ab", b"", b"ab"], dtype=object)}
        assert fingerprint(texts).tolist() == [11376787056131890524, 4023291857047045631]
        assert fingerprint({}).tolist() == [0, 0]

    def test_frames_and_files_agree(self, tmp_path):
        table = dc.datasets.housing(500)
        frame = table.to_polars()
        kinds = [frame, frame.to_pandas(), frame.to_arrow()]
        names = table.schema.keys
        marks = [
            fingerprint({name: one.encoded(name) for name in names})
            for one in (Microdata(kind, table.schema) for kind in kinds)
        ]
        path = tmp_path / "housing.parquet"
        pq.write_table(frame.to_arrow(), path)
        source = ParquetSource(path, table.schema)
        for batch in (64, 501):
            ground = Stored(source, StreamingEngine(batch=batch))
            marks.append(ground.ask([Census((), None, (), names)])[0].marks)
        assert all(np.array_equal(one, marks[0]) for one in marks)

    def test_sequences_in_memory_and_in_files_agree(self):
        trips = dc.datasets.itineraries(60)
        name = trips.schema.of_scale("sequence")[0]
        encoded = trips.encoded(name)
        texts = np.empty(len(encoded), dtype=object)
        texts[:] = encoded.keys()
        assert np.array_equal(fingerprint({name: encoded}), fingerprint({name: texts}))


def _draws_in(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        f"{path.name}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in {"default_rng", "RandomState", "SeedSequence", "PCG64", "Philox", "MT19937"}
        and isinstance(node.ctx, ast.Load)
        and not _annotates(tree, node)
    ]


def _annotates(tree: ast.AST, node: ast.AST) -> bool:
    """Say whether a name stands in an annotation or an isinstance check, where nothing is drawn."""
    return any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "isinstance"
        and any(inner is node for inner in ast.walk(call))
        for call in ast.walk(tree)
    )  # fmt: skip


def test_no_masker_draws_from_a_generator_that_can_be_predicted():
    files = [*(ROOT / "src/discreet/masking").rglob("*.py"), *(ROOT / "src/discreet/contracts").rglob("*.py")]
    assert [place for path in files for place in _draws_in(path)] == []


DRAWING = [
    pytest.param(m, id=f"{m.name}-{i}")
    for c in catalogue.maskers().values()
    for i, m in enumerate(c.examples())
    if "random_state" in m.get_params()
]


@pytest.mark.parametrize("masker", DRAWING)
def test_every_masker_is_handed_draws_that_follow_from_the_values(masker, monkeypatch):
    """The streams that two tables of the same shape get from one seed have nothing in common."""
    from tests.battery import SCHEMA, sample

    streams = []

    def spied(*asked):
        seed, draws = draws_of(*asked)
        streams.append(np.concatenate([draws.generator().random(64), draws.uniform(np.arange(64))]))
        return seed, draws

    monkeypatch.setattr(run_masker, "draws_of", spied)
    table = sample()
    other = table.slice(1).to_pydict()
    moved = pa.table({name: [*values, values[0]] for name, values in other.items()}, schema=table.schema)
    for one in (table, table, moved):
        masker.clone().set_params(random_state=7).mask(Microdata(one, SCHEMA), engine=InProcess())
    first, again, elsewhere = streams
    assert np.array_equal(first, again)
    assert not np.isin(first, elsewhere).any()


def test_operators_with_a_seed_of_their_own_draw_by_the_masker():
    from discreet.operators.fuzzy.defuzzify import convex_rage

    def released(levels, seed):
        frame = pl.DataFrame({"x": levels})
        schema = dc.Schema([dc.Attribute("x", dc.Ordinal(list("abcdefgh")), "key")])
        masker = dc.MixedMDAV(k=60, operators={"x": convex_rage(random_state=5)}, random_state=seed)
        return masker.mask(frame, schema).to_native()["x"].to_list()

    rng = np.random.default_rng(0)
    levels = [str(level) for level in rng.choice(list("abcdefgh"), 300)]
    assert released(levels, 1) == released(levels, 1)
    assert released(levels, 1) != released(levels, 2)


def test_out_of_core_draws_follow_from_the_values(tmp_path):
    rng = np.random.default_rng(2)
    n = 3000
    outputs = []
    for place in range(2):
        codes = rng.integers(4, size=n)
        pq.write_table(pa.table({"c": pa.array([f"l{code}" for code in codes])}), tmp_path / f"{place}.parquet")
        schema = dc.Schema([dc.Attribute("c", dc.Nominal([f"l{i}" for i in range(4)]), "key")])
        target = tmp_path / f"{place}-out.parquet"
        dc.protect(dc.scan(tmp_path / f"{place}.parquet", schema), dc.PRAM(0.5, random_state=7), output=target)
        after = pq.read_table(target)["c"].to_pylist()
        outputs.append(np.array([a != f"l{b}" for a, b in zip(after, codes, strict=True)]))
    assert 0.05 < outputs[0].mean() < 0.95
    assert abs(np.corrcoef(*outputs)[0, 1]) < 0.1


@pytest.mark.parametrize("cls", [dc.AdditiveNoise, dc.CorrelatedNoise])
def test_two_levels_of_noise_with_one_seed_are_two_draws(cls):
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"x": rng.normal(size=800), "y": rng.normal(size=800)})
    noise = [cls(level, random_state=7).fit_transform(table)["x"] - table["x"] for level in (0.1, 0.2)]
    assert abs(np.corrcoef(*noise)[0, 1]) < 0.15  # else twice the first release less the second is the original


def test_a_number_is_one_number_however_it_is_written():
    assert (
        dc.RankSwapping(10)._purpose(("x",))
        == dc.RankSwapping(10.0)._purpose(("x",))
        != dc.RankSwapping(10.5)._purpose(("x",))
    )


def test_few_fresh_numbers_are_said_to_need_a_secret_seed():
    clinics = pl.DataFrame({"clinic": [f"c{i % 6}" for i in range(60)], "x": [float(i) for i in range(60)]})
    schema = dc.Schema([dc.Attribute("clinic", dc.Nominal([f"c{i}" for i in range(6)]), "identifier"),
                        dc.Attribute("x", dc.Numeric(), "key")])  # fmt: skip
    notes = dc.Identifiers(["clinic"]).mask(clinics, schema).provenance.notes
    assert any("keep the seed secret" in note for note in notes)


def test_strata_made_anew_have_other_draws():
    """With the same draws, a stratum joined to another gave its values as a difference of two releases."""
    rng = np.random.default_rng(1)
    n = 2000
    stratum = rng.choice(["A", "B", "C"], n)
    wage = np.round(rng.lognormal(8, 0.3, n) * (1 + 2 * (stratum == "B") + 8 * (stratum == "C")), 0)

    def released(strata):
        levels = dc.Nominal(sorted(set(strata)))
        schema = dc.Schema([dc.Attribute("wage", dc.Numeric(), "key"), dc.Attribute("stratum", levels, "other")])
        table = pl.DataFrame({"wage": wage, "stratum": strata})
        return dc.AdditiveNoise(0.5, strata=["stratum"], random_state=5).mask(table, schema).to_native()["wage"]

    joined = np.where(stratum == "C", "B", stratum)
    inside = stratum == "C"
    first, second = released(stratum).to_numpy()[inside], released(joined).to_numpy()[inside]
    spreads = first.std(), released(joined).to_numpy()[joined == "B"].std()
    solved = (spreads[0] * second - spreads[1] * first) / (spreads[0] - spreads[1])
    errors = np.abs(solved - wage[inside]).mean(), np.abs(first - wage[inside]).mean()
    assert errors[0] > errors[1]


def test_columns_in_another_order_have_other_draws():
    """With streams by place alone, the release of one column undid that of the other."""
    rng = np.random.default_rng(1)
    table = pl.DataFrame({name: np.round(rng.lognormal(3, 1, 1000), 3) for name in ("a", "b")})
    first = dc.MultiplicativeNoise(random_state=5).fit_transform(table)
    second = dc.MultiplicativeNoise(random_state=5).fit_transform(table.select("b", "a"))
    ratios = (first["a"] / second["b"]) / (table["a"] / table["b"])
    assert np.abs(ratios.to_numpy() - 1).mean() > 0.05
