"""Pseudonyms, and an intruder who has everything but the key."""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
import json
import pickle
import stat
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import discreet as dc
from discreet.cli.main import _code
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, FileError, ParameterError, SchemaError
from discreet.masking.withholding.pseudonym_key import PseudonymKey, is_key_file, new_key
from discreet.masking.withholding.pseudonyms import Pseudonyms, pseudonyms_together, revealed
from discreet.release.several_tables import Tables

SECRET = bytes(range(100, 132))
KEY = PseudonymKey(SECRET)
SCHEMA = Schema([Attribute("id", Nominal(("",)), "identifier"), Attribute("age", Numeric(), "key")])
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def people(ids, **more):
    return pl.DataFrame({"id": ids, "age": [20 + i for i in range(len(ids))], **more})


def released(ids, **options):
    return Pseudonyms(["id"], key=options.pop("key", KEY), **options).mask(people(ids), SCHEMA)


def by_hand(secret, domain, word, length):
    """RFC 2104 written out, and five bits a letter: nothing of the package."""

    def hmac_sha256(key, message):
        block = key.ljust(64, b"\0")
        inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + message).digest()
        return hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).digest()

    digest = hmac_sha256(hmac_sha256(secret, b"discreet pseudonyms 1\0hash\0" + domain.encode()), word.encode())
    bits = "".join(f"{byte:08b}" for byte in digest)
    return "".join(ALPHABET[int(bits[i : i + 5], 2)] for i in range(0, 5 * length, 5))


def test_a_pseudonym_is_what_the_formula_says():
    cells = released(["ann", "bob", None, "ann"]).to_native()["id"].to_list()
    expected = [by_hand(SECRET, "id", word, 20) for word in ("ann", "bob", "ann")]
    assert cells == [*expected[:2], None, expected[2]]


def test_deliveries_and_types_agree_and_keys_and_domains_do_not():
    first, second = released([7, 8, 9]), released(["9", "7"])
    assert first.to_native()["id"][0] == second.to_native()["id"][1]
    assert first.to_native()["id"][2] == second.to_native()["id"][0]
    assert released([7.0, 8.0]).to_native()["id"][0] == second.to_native()["id"][1]
    others = [released([7, 8], domain="hospital"), released([7, 8], key=PseudonymKey(bytes(32)))]
    seen = {cell for one in (first, *others) for cell in one.to_native()["id"].to_list()}
    assert len(seen) == 7


def test_tables_stay_joined_by_a_domain():
    homes = Microdata(pl.DataFrame({"home": [1, 2, 3]}), Schema([Attribute("home", Nominal(("",)), "identifier")]))
    persons = Microdata(people([3, 1, 1, 9]), SCHEMA)
    joined = pseudonyms_together({"h": homes, "p": persons}, {"h": "home", "p": "id"}, KEY, "home")
    home, person = joined["h"].column("home").to_pylist(), joined["p"].column("id").to_pylist()
    assert person[:3] == [home[2], home[0], home[0]]
    assert person[3] not in home
    alone = Pseudonyms(["home"], key=KEY).mask(homes)
    assert alone.to_native()["home"].to_list() == home
    assert alone.schema["home"].role == "other"


def test_reversible_ones_come_back_with_the_key_and_the_domain_alone():
    ids = ["ann", "Zoë", "x" * 40, "", "0071"]
    masked = released(ids, reversible=True)
    sealed = masked.to_native()["id"].to_list()
    assert revealed(masked.microdata, "id", KEY).column("id").to_pylist() == ids
    assert len({len(cell) for cell in sealed}) == 2, "lengths show in steps of sixteen bytes"
    for key, domain in ((PseudonymKey(bytes(32)), None), (KEY, "other")):
        with pytest.raises(DataError, match="5 of 5 different values of 'id' cannot be turned back"):
            revealed(masked.microdata, "id", key, domain)
    changed = sealed[0][:-2] + ("0" if sealed[0][-2] != "0" else "1") + sealed[0][-1]
    assert KEY.reveal("id", changed) is None
    with pytest.raises(DataError, match="2 of 2"):
        revealed(released(["ann", "bob"]).microdata, "id", KEY)


def test_an_intruder_with_everything_public_finds_nobody():
    """All ten thousand identifiers, code, notes and provenance: what a hash without a key gives away at once."""
    ids = [str(i) for i in range(0, 10_000, 97)]
    masked = released(ids, length=24)
    cells = set(masked.to_native()["id"].to_list())
    public = json.dumps(masked.provenance.to_dict(internal=True)).encode()
    guesses = [b"", bytes(32), b"id", b"discreet", public, hashlib.sha256(public).digest(), b"pseudonyms"]
    guesses += [cell.encode() for cell in sorted(cells)[:3]]
    for guess in guesses:
        table = {by_hand(hashlib.sha256(guess).digest(), "id", str(i), 24) for i in range(0, 10_000, 7)}
        table |= {by_hand(guess[:64], "id", str(i), 24) for i in range(0, 10_000, 7)}
        assert not table & cells
    for plain in (hashlib.sha256, hashlib.md5, hashlib.sha1):
        digests = {plain(str(i).encode()).digest() for i in range(10_000)}
        assert not {letters(digest)[:24] for digest in digests} & cells
    # The same search with the key finds everybody: it looks in the right place.
    assert {by_hand(SECRET, "id", word, 24) for word in ids} == cells


def letters(digest):
    bits = "".join(f"{byte:08b}" for byte in digest).ljust(-(-len(digest) * 8 // 5) * 5, "0")
    return "".join(ALPHABET[int(bits[i : i + 5], 2)] for i in range(0, len(bits), 5))


def test_the_order_of_pseudonyms_tells_nothing_about_that_of_identifiers():
    cells = released([str(i) for i in range(1000, 3000)]).to_native()["id"].to_list()
    rising = sum(a < b for a, b in pairwise(cells))
    assert 900 < rising < 1100
    assert list(released(["b", "a", "c"]).microdata.schema["id"].scale.levels) == sorted(
        released(["c", "b", "a"]).to_native()["id"].to_list()
    )


def test_pseudonyms_that_may_coincide_are_refused(monkeypatch):
    with pytest.raises(ParameterError, match="length must be larger for 3000 different values of 'id'; got 8"):
        released([str(i) for i in range(3000)], length=8)
    monkeypatch.setattr(PseudonymKey, "pseudonym", lambda *_: "same")
    with pytest.raises(DataError, match="2 of 3 values of 'id' share a pseudonym"):
        released(["a", "b", "c"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"exchange": None, "key": KEY}, "exchange must name"),
        ({"exchange": ["id"]}, "key must be the path of a key file"),
        ({"exchange": ["id"], "key": KEY, "domain": {"age": "x"}}, "domain names 'age'"),
    ],
)
def test_what_is_not_said_is_asked_for(options, said):
    with pytest.raises(ParameterError, match=said):
        Pseudonyms(**options).mask(people(["a", "b"]), SCHEMA)


def test_equality_that_shows_is_said():
    notes = " ".join(released(["a", "b"]).provenance.notes)
    assert "Who is equal to whom shows" in notes
    assert "every other delivery" in notes


# -------------------------------------------------------------------------------------------------------------- the key


def test_a_key_file_is_for_its_owner_alone(tmp_path):
    path = new_key(tmp_path / "a.key")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert is_key_file(path)
    assert PseudonymKey.load(path) != PseudonymKey.load(new_key(tmp_path / "b.key"))
    with pytest.raises(FileError, match="exists already"):
        new_key(path)
    for mode in (0o640, 0o604, 0o620, 0o602):
        path.chmod(mode)
        with pytest.raises(FileError, match="by others than its owner"):
            PseudonymKey.load(path)


def test_what_is_no_key_is_refused_without_showing_it(tmp_path):
    for content in (b"", b"secretword", b"discreet pseudonym key 1\nsecretword\n", b"\0\xff" * 50):
        (tmp_path / "no.key").write_bytes(content)
        (tmp_path / "no.key").chmod(0o600)
        with pytest.raises(FileError) as caught:
            PseudonymKey.load(tmp_path / "no.key")
        assert "secretword" not in str(caught.value)
    for path in (tmp_path / "absent.key", tmp_path):
        with pytest.raises(FileError):
            PseudonymKey.load(path)
    with pytest.raises(ParameterError, match="at least 32 bytes"):
        PseudonymKey(b"short")


def test_a_key_has_no_text():
    assert repr(KEY) == str(KEY) == "PseudonymKey(…)"
    assert copy.deepcopy(KEY) is KEY
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(KEY)
    assert "…" in repr(Pseudonyms(["id"], key=KEY))


def shapes(path):
    """The key as bytes, hexadecimal and base64, and as a checksum of its file."""
    secret = bytes.fromhex(Path(path).read_text().splitlines()[1])
    whole = Path(path).read_bytes()
    texts = [base64.b64encode(secret), base64.urlsafe_b64encode(secret), base64.b32encode(secret)]
    sums = [hashlib.sha256(whole).hexdigest().encode(), hashlib.sha256(secret).hexdigest().encode()]
    derived = hmac.digest(secret, b"discreet pseudonyms 1\0hash\0id", "sha256")
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), repr(list(secret)).encode(), derived,
            derived.hex().encode(), *(t.rstrip(b"=")[:-1] for t in texts), *sums]  # fmt: skip


PROTOCOL = """
[data]
file = "data.csv"
[[attribute]]
name = "id"
scale = "nominal"
levels = [""]
role = "identifier"
[[attribute]]
name = "age"
scale = "numeric"
role = "key"
[[step]]
method = "pseudonyms"
exchange = ["id"]
key = "register.key"
reversible = true
[[step]]
method = "mdav"
k = 3
attributes = ["age"]
[release]
masked = "masked.csv"
internal = "internal.html"
external = "external.html"
json = "report.json"
manifest = "manifest.json"
"""


def test_no_output_holds_the_key(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    assert _code(["key", "new", "register.key"]) == 0
    people([f"p{i}" for i in range(30)]).write_csv("data.csv")
    Path("protocol.toml").write_text(PROTOCOL)
    assert _code(["run", "protocol.toml", "-o", "out"]) in {0, 1}
    options = ["-m", "pseudonyms", "--set", "exchange=id", "--set", "key=register.key"]
    outputs = ["--report", "r.html", "--external", "e.html", "--manifest", "m.json", "-o", "masked.parquet"]
    assert _code(["protect", "data.csv", *options, *outputs]) == 0
    assert _code(["renumber", "data.csv", "--on", "id", "--key", "register.key", "-o", "re"]) == 0
    assert _code(["reveal", "out/masked.csv", "-c", "id", "--key", "register.key", "-o", "back.csv"]) == 0
    assert _code(["reveal", "re/data.csv", "-c", "id", "--key", "register.key", "-o", "no.csv"]) == 2
    Path("register.key").chmod(0o644)
    assert _code(["protect", "data.csv", *options, "-o", "never.csv"]) == 2
    assert not Path("never.csv").exists()
    assert not Path("no.csv").exists()
    back = pl.read_csv("back.csv")
    assert back["id"].to_list() == [f"p{i}" for i in range(30)]
    said = capfd.readouterr()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "register.key"]
    assert {"masked.csv", "internal.html", "external.html", "report.json", "manifest.json"} <= {f.name for f in files}
    content = [path.read_bytes() for path in files] + [said.out.encode(), said.err.encode()]
    for shape in shapes("register.key"):
        assert not any(shape in one for one in content)
    assert any(b"register.key" in one for one in content), "the search would find what is there"


def test_the_key_is_never_written_over(tmp_path):
    key = new_key(tmp_path / "a.key")
    before = key.read_bytes()
    people(["a", "b"]).write_csv(tmp_path / "data.csv")
    data = str(tmp_path / "data.csv")
    assert _code(["key", "new", str(key)]) == 2
    copied = key.rename(tmp_path / "k.csv")
    arguments = ["protect", data, "-m", "pseudonyms", "--set", "exchange=id", "--set", f"key={copied}"]
    assert _code([*arguments, "-o", str(copied)]) == 2
    assert _code(["reveal", data, "-c", "id", "--key", str(copied), "-o", str(copied)]) == 2
    assert copied.read_bytes() == before


def _table(name, column):
    return f"""
[[table]]
name = "{name}"
[table.data]
file = "{name}.csv"
[[table.attribute]]
name = "{column}"
scale = "nominal"
levels = [""]
role = "identifier"
[[table.attribute]]
name = "age"
scale = "numeric"
role = "key"
[[table.step]]
method = "pseudonyms"
exchange = ["{column}"]
key = "register.key"
domain = "person"
[[table.step]]
method = "mdav"
k = 3
attributes = ["age"]
"""


def test_several_tables_stay_joined_and_fresh_numbers_in_place_of_pseudonyms_are_refused(tmp_path):
    text = "seed = 1\n" + _table("one", "id") + _table("two", "pid")
    new_key(tmp_path / "register.key")
    ids = [f"p{i}" for i in range(12)]
    people(ids).write_csv(tmp_path / "one.csv")
    people(ids[::-1]).rename({"id": "pid"}).write_csv(tmp_path / "two.csv")
    (tmp_path / "tables.toml").write_text(text)
    run = dc.run(tmp_path / "tables.toml", before=False)
    run.write(tmp_path / "out")
    one, two = (pl.read_csv(next((tmp_path / "out").glob(f"{name}*.csv"))) for name in ("one", "two"))
    assert one["id"].to_list() == two["pid"].to_list()[::-1]
    assert not set(one["id"]) & set(ids)
    joined = text + '[[join]]\none = "id"\ntwo = "pid"\n'
    with pytest.raises(SchemaError, match="gives 'id' pseudonyms"):
        Tables.from_toml(joined)


def test_a_key_that_cannot_be_written_to_its_end_leaves_no_file(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(OSError, match="no space left"):
            new_key(tmp_path / "half.key")
    assert not (tmp_path / "half.key").exists()
    assert is_key_file(new_key(tmp_path / "whole.key"))


def test_keys_are_equal_by_their_secret_and_hash_alike():
    one, same, other = PseudonymKey(bytes(32)), PseudonymKey(bytes(32)), PseudonymKey(bytes(31) + b"\1")
    assert one == same
    assert one != other
    assert one != bytes(32)
    assert hash(one) == hash(same) == hash(other), "nothing of a secret is in a hash"
    assert copy.copy(one) is one
    assert copy.deepcopy([one])[0] is one


@pytest.mark.parametrize("word", ["", "a", "fifteen letters", "sixteen letters!", "seventeen letters", "ü\x80end"])
def test_words_of_every_length_come_back(word):
    key = PseudonymKey(bytes(range(32)))
    sealed = key.seal("people", word)
    assert key.reveal("people", sealed) == word
    assert key.reveal("people", sealed.upper()) == word
    assert key.reveal("others", sealed) is None
    assert key.reveal("people", sealed[:-1] + ("a" if sealed[-2] != "a" else "b") + sealed[-1]) is None
    assert PseudonymKey(bytes(32)).reveal("people", sealed) is None
    # Sixteen bytes of tag, and the word and one more byte filled up to sixteen.
    filled = (len(word.encode()) // 16 + 1) * 16
    assert len(sealed) == -(-(16 + filled) * 8 // 5)
    for strange in ("", "!", "öl", sealed + "!"):
        assert key.reveal("people", strange) is None


def test_a_domain_is_the_columns_the_masker_s_or_one_of_many():
    assert Pseudonyms(domain=None)._domain("id") == "id"
    assert Pseudonyms(domain="people")._domain("id") == "people"
    assert Pseudonyms(domain={"id": "people"})._domain("id") == "people"
    assert Pseudonyms(domain={"id": "people"})._domain("mother") == "mother"
