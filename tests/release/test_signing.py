"""Signatures by the programs that hold the keys, where they are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from discreet.cli import main
from discreet.errors import FileError, ParameterError
from discreet.release import signing
from discreet.release.approval import APPROVALS, approve, check_approvals
from discreet.release.manifest import write_manifest
from discreet.release.signing import check_signature, listed_signers, sign

ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")


def made(folder, name):
    key = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    return key


@pytest.fixture
def key(tmp_path):
    return made(tmp_path, "key")


@ssh
def test_an_ssh_key_signs_and_its_signature_is_of_this_text_alone(key):
    signature = sign("text", ssh_key=key)
    assert check_signature("text", signature).state == "fits"
    assert check_signature("test", signature).state == "wrong"
    other = signature | {"text": signature["text"].replace("A", "B", 3)}
    assert check_signature("text", other).state == "wrong"


@ssh
def test_a_list_of_signers_says_whose_key_it_is(key, tmp_path):
    signers = tmp_path / "signers"
    public = key.with_suffix(".pub").read_text(encoding="utf-8")
    signers.write_text(f"smith@example.org {public}", encoding="utf-8")
    signature = sign("text", ssh_key=key)
    told = check_signature("text", signature, signers=signers)
    assert told.state == "trusted"
    assert "smith@example.org" in told.sentence
    other = sign("text", ssh_key=made(tmp_path, "other"))
    assert check_signature("text", other, signers=signers).state == "wrong"


@ssh
def test_a_signed_approval_cannot_be_sealed_anew(key, tmp_path):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "masked.csv").write_text("a\n1\n", encoding="utf-8")
    write_manifest(folder / "manifest.json", {"masked": folder / "masked.csv"})
    approval = approve(folder, by="A. Smith", reason="Met.", ssh_key=key)
    assert (approval.holds, approval.signed) == (True, "fits")
    # Who can write the folder says something else, and computes every sum again.
    path = folder / APPROVALS
    fields = json.loads(path.read_text(encoding="utf-8"))
    (entry,) = fields["approvals"]
    entry["approval"]["reason"] = "Because."
    from discreet.release import approval as module

    entry["seal"] = module._sha256(module._text({n: entry[n] for n in ("approval", "signature")}).encode())
    path.write_text(module._whole([entry]), encoding="utf-8")
    (told,) = check_approvals(folder)
    assert told.faults == ("The SSH signature is not of this approval.",)


@ssh
def test_who_asks_for_signers_is_not_content_with_an_approval_that_nobody_signed(key, tmp_path, capsys):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "masked.csv").write_text("a\n1\n", encoding="utf-8")
    write_manifest(folder / "manifest.json", {"masked": folder / "masked.csv"})
    signers = tmp_path / "signers"
    signers.write_text(f"smith@example.org {key.with_suffix('.pub').read_text(encoding='utf-8')}", encoding="utf-8")

    def code():
        return main._code(["verify", str(folder), "--signers", str(signers), "--quiet"])

    assert code() == 1
    assert "Nobody has approved" in capsys.readouterr().err
    approve(folder, by="A. Smith", reason="Met.")
    (unsigned,) = check_approvals(folder, signers=signers)
    assert unsigned.faults == ("It is not signed by anybody who is known to be allowed to.",)
    assert (check_approvals(folder)[0].holds, code()) == (True, 1)
    approve(folder, by="A. Smith", reason="Met.", ssh_key=key)
    assert [one.signed for one in check_approvals(folder, signers=signers)] == ["", "trusted"]
    assert code() == 0, "what is signed is over what was said before"
    # Who can write the folder puts another file there, and approves it without the key.
    (folder / APPROVALS).unlink()
    (folder / "masked.csv").write_text("a\n2\n", encoding="utf-8")
    (folder / "manifest.json").unlink()
    write_manifest(folder / "manifest.json", {"masked": folder / "masked.csv"})
    approve(folder, by="A. Smith", reason="Met.")
    assert code() == 1


@ssh
def test_a_name_with_blanks_and_a_name_that_is_not_the_signers(key, tmp_path):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "masked.csv").write_text("a\n1\n", encoding="utf-8")
    write_manifest(folder / "manifest.json", {"masked": folder / "masked.csv"})
    public, other = (k.with_suffix(".pub").read_text(encoding="utf-8") for k in (key, made(tmp_path, "other")))
    signers = tmp_path / "signers"
    signers.write_text(f'# who may sign\n"Ann Smith" {public}jones@example.org,j2 {other}', encoding="utf-8")
    assert listed_signers(signers) == ["Ann Smith", "jones@example.org", "j2"]
    approve(folder, by="Ann Smith, head of methods", reason="Met.", ssh_key=key)
    (first,) = check_approvals(folder, signers=signers)
    assert first.holds
    assert first.signature.startswith("Signed by Ann Smith with the SSH key")
    approve(folder, by="B. Jones", reason="Met.", ssh_key=key)
    faults = check_approvals(folder, signers=signers)[1].faults
    assert faults == ("It is given in the name of jones@example.org, and was signed by Ann Smith.",)
    assert check_approvals(folder)[1].holds, "without a list nobody is known"


@pytest.fixture
def keyring(tmp_path, monkeypatch):
    home = tmp_path / "g"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", os.fspath(home))
    made_key = subprocess.run(
        ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "smith@example.org", "ed25519", "sign", "never"],
        capture_output=True, check=False,
    )  # fmt: skip
    if made_key.returncode:
        pytest.skip("gpg makes no key here")
    yield home
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False, capture_output=True)


def fingerprint():
    listed = subprocess.run(["gpg", "--list-keys", "--with-colons"], capture_output=True, text=True, check=True)
    return next(line.split(":")[9] for line in listed.stdout.splitlines() if line.startswith("fpr"))


@gpg
def test_a_gpg_key_signs(keyring, tmp_path, monkeypatch):
    signature = sign("text", gpg_key="smith@example.org")
    assert check_signature("text", signature).state == "trusted"
    assert check_signature("test", signature).state == "wrong"
    monkeypatch.setenv("GNUPGHOME", os.fspath(tmp_path))
    assert check_signature("text", signature).state == "unchecked"


@gpg
def test_a_gpg_key_that_is_not_in_the_list_may_not_sign(keyring, tmp_path):
    signature = sign("text", gpg_key="smith@example.org")
    signers = tmp_path / "signers"
    signers.write_text("gpg ssh-ed25519 AAAA\n", encoding="utf-8")  # a signer of OpenSSH whose name is gpg
    assert check_signature("text", signature, signers=signers).state == "wrong"
    signers.write_text(f"# GPG\ngpg {fingerprint().lower()} Ann Smith\n", encoding="utf-8")
    told = check_signature("text", signature, signers=signers)
    assert (told.state, told.signer) == ("trusted", "Ann Smith")
    assert listed_signers(signers) == ["Ann Smith"]


@gpg
def test_a_revoked_gpg_key_signs_nothing(keyring, tmp_path):
    signature = sign("text", gpg_key="smith@example.org")
    signers = tmp_path / "signers"
    signers.write_text(f"gpg {fingerprint()} Ann Smith\n", encoding="utf-8")
    certificate = keyring / "openpgp-revocs.d" / f"{fingerprint()}.rev"
    text = certificate.read_text(encoding="utf-8").replace(":-----BEGIN", "-----BEGIN")
    subprocess.run(["gpg", "--batch", "--import"], input=text, text=True, capture_output=True, check=True)
    for listed in (None, signers):
        told = check_signature("text", signature, signers=listed)
        assert told.state == "wrong"
        assert "revoked" in told.sentence


@gpg
def test_an_expired_gpg_key_is_not_known_to_be_allowed(keyring, tmp_path, monkeypatch):
    signature = sign("text", gpg_key="smith@example.org")
    signers = tmp_path / "signers"
    signers.write_text(f"gpg {fingerprint()} Ann Smith\n", encoding="utf-8")
    status = f"[GNUPG:] EXPKEYSIG X smith\n[GNUPG:] VALIDSIG {fingerprint()} 2026-01-01\n"
    outcome = subprocess.CompletedProcess([], 0, status, "")
    monkeypatch.setattr(signing, "_call", lambda *_: outcome)
    told = check_signature("text", signature, signers=signers)
    assert told.state == "fits"
    assert "expired" in told.sentence


def test_without_the_program_nothing_is_signed_and_nothing_called_right(tmp_path, monkeypatch):
    monkeypatch.setattr(signing.shutil, "which", lambda _: None)
    (tmp_path / "key").write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="not installed"):
        sign("text", ssh_key=tmp_path / "key")
    assert check_signature("text", {"kind": "ssh", "text": ""}).state == "unchecked"
    assert check_signature("text", {"kind": "gpg", "text": ""}).state == "unchecked"


@ssh
def test_a_key_that_is_none_is_bad_input(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        sign("text", ssh_key=tmp_path / "nowhere")
    (tmp_path / "no").write_text("no key", encoding="utf-8")
    (tmp_path / "no").chmod(0o600)
    with pytest.raises(FileError, match="did not sign"):
        sign("text", ssh_key=tmp_path / "no")
    with pytest.raises(ParameterError, match="One key"):
        sign("text")
    assert check_signature("text", {"kind": "own", "text": ""}).state == "wrong"


DIGITS = "0123456789ABCDEF0123456789ABCDEF01234567"
GROUPED = "0123 4567 89AB CDEF 0123  4567 89AB CDEF 0123 4567"


@pytest.mark.parametrize(
    "line",
    [
        f"gpg {DIGITS} Ed Smith",
        f"GPG 0x{DIGITS.lower()}\tEd Smith",
        f"\ufeffgpg {GROUPED} Ed Smith",
        f"gpg {GROUPED.replace('  ', ' ')}   Ed Smith  ",
    ],
)
def test_a_name_that_begins_like_a_number_is_no_part_of_the_fingerprint(tmp_path, line):
    signers = tmp_path / "signers"
    signers.write_text(f"{line}\n\n# end\n", encoding="utf-8")
    assert signing._gpg_lines(signers) == {DIGITS: "Ed Smith"}
    assert listed_signers(signers) == ["Ed Smith"]


def test_a_fingerprint_may_have_64_digits(tmp_path):
    signers, long = tmp_path / "signers", (DIGITS * 2)[:64]
    groups = " ".join(long[i : i + 4] for i in range(0, 64, 4))
    for written in (long, groups):
        signers.write_text(f"gpg {written} Abe Dee\n", encoding="utf-8")
        assert signing._gpg_lines(signers) == {long: "Abe Dee"}


@pytest.mark.parametrize(
    "line",
    [
        f"gpg {DIGITS[:-1]} Ed Smith",
        f"gpg {DIGITS}",
        f"gpg {DIGITS}AB Smith",
        f"gpg {DIGITS[:7]} {DIGITS[7:]} Ann",
        "smith@example.org",
        "Ann Smith",
    ],
)
def test_a_line_that_cannot_be_read_is_said(tmp_path, line):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "masked.csv").write_text("a\n1\n", encoding="utf-8")
    write_manifest(folder / "manifest.json", {"masked": folder / "masked.csv"})
    signers = tmp_path / "signers"
    signers.write_text(f"# who may sign\n{line}\n", encoding="utf-8")
    with pytest.raises(FileError, match="Line 2 of the list of signers"):
        check_approvals(folder, signers=signers)
    assert main._code(["verify", str(folder), "--signers", str(signers), "--quiet"]) == 2


KEY, OWN = "A" * 40, "B" * 40
VALID = f"[GNUPG:] VALIDSIG {KEY} 2026-01-01 1 0 4 0 22 10 00 {OWN}\n"
STRANGER = ("wrong", f"The GPG key {KEY} is of nobody who may sign.", "")
NOT_OF_IT = ("wrong", "The GPG signature is not of this approval.", "")


@pytest.mark.parametrize(
    ("status", "code", "listed", "told"),
    [
        (VALID, 0, None, ("fits", f"Signed by the GPG key {KEY}.", "")),
        (VALID + "[GNUPG:] TRUST_ULTIMATE 0\n", 0, None, ("trusted", f"Signed by the GPG key {KEY}.", "")),
        (VALID + "[GNUPG:] TRUST_FULLY 0\n", 0, None, ("trusted", f"Signed by the GPG key {KEY}.", "")),
        (VALID + "[GNUPG:] TRUST_MARGINAL 0\n", 0, None, ("fits", f"Signed by the GPG key {KEY}.", "")),
        # The list says whose key it is: its own name goes before that of the key which it belongs to.
        (VALID, 0, [KEY, "Ann"], ("trusted", f"Signed by Ann with the GPG key {KEY}.", "Ann")),
        (VALID, 0, [OWN, "Eve"], ("trusted", f"Signed by Eve with the GPG key {KEY}.", "Eve")),
        (VALID, 0, [OWN, "Eve", KEY, "Ann"], ("trusted", f"Signed by Ann with the GPG key {KEY}.", "Ann")),
        (VALID, 0, ["C" * 40, "Ann"], STRANGER),
        (VALID + "[GNUPG:] TRUST_ULTIMATE 0\n", 0, [], STRANGER),
        # Another word of the line is a fingerprint of nobody's.
        (VALID.replace(" 22 ", f" {'C' * 40} "), 0, ["C" * 40, "Ann"], STRANGER),
        (VALID, 1, None, NOT_OF_IT),
        ("[GNUPG:] GOODSIG X Ann\n", 0, None, NOT_OF_IT),
        ("", 0, None, NOT_OF_IT),
        (VALID + "[GNUPG:] EXPSIG X Ann\n", 0, None, NOT_OF_IT),
        (VALID + "[GNUPG:] REVKEYSIG X Ann\n", 0, [KEY, "Ann"],
         ("wrong", f"The GPG key {KEY} was revoked by its owner.", "")),
        (VALID + "[GNUPG:] KEYREVOKED\n", 0, None, ("wrong", f"The GPG key {KEY} was revoked by its owner.", "")),
        (VALID + "[GNUPG:] KEYEXPIRED 1\n", 0, [KEY, "Ann"],
         ("fits", f"Signed by the GPG key {KEY}, which has expired.", "")),
        ("[GNUPG:] NO_PUBKEY X\n", 2, None,
         ("unchecked", "The GPG signature was not checked: the signer's public key is not at hand.", "")),
    ],
)  # fmt: skip
def test_what_gpg_says_of_a_signature(tmp_path, monkeypatch, status, code, listed, told):
    signers = None
    if listed is not None:
        signers = tmp_path / "signers"
        pairs = zip(listed[::2], listed[1::2], strict=True)
        signers.write_text("".join(f"gpg {key} {name}\n" for key, name in pairs), encoding="utf-8")
    calls = []

    def call(kind, arguments, text):
        calls.append((kind, arguments[:-2], arguments[-1], text))
        return subprocess.CompletedProcess([], code, status, "")

    monkeypatch.setattr(signing, "_call", call)
    found = check_signature("text", {"kind": "gpg", "text": "armoured"}, signers=signers)
    assert (found.state, found.sentence, found.signer) == told
    assert calls == [
        ("gpg", ["--batch", "--no-auto-key-retrieve", "--status-fd", "1", "--verify"], "-", "text")
    ]  # fmt: skip


@pytest.mark.parametrize("signature", [{}, {"kind": "ssh"}, {"kind": "gpg", "text": 3}, {"kind": "x", "text": ""}])
def test_a_signature_of_no_known_kind_is_wrong(signature):
    found = check_signature("text", signature)
    assert (found.state, found.sentence) == ("wrong", "The signature is of no kind that is known.")


def test_every_name_of_a_list_of_signers(tmp_path):
    signers = tmp_path / "signers"
    signers.write_text(
        f'# gpg {DIGITS} Nobody\n\na@x.org ssh-ed25519 AAAA\n"Ann Smith, Eve ,," namespaces="file" ssh-rsa BBBB= home\n'
        f"gpg {DIGITS} Abe Dee\nb@x.org,,c@x.org ecdsa-sha2-nistp256 CCCC\n  sk sk-ssh-ed25519@openssh.com DDDD\n",
        encoding="utf-8",
    )
    assert listed_signers(signers) == ["Abe Dee", "a@x.org", "Ann Smith", "Eve", "b@x.org", "c@x.org", "sk"]
    with pytest.raises(FileError, match="cannot be read as text"):
        listed_signers(tmp_path)
    signers.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read as text"):
        listed_signers(signers)


@ssh
def test_a_key_of_nobody_and_a_signature_for_another_purpose(key, tmp_path):
    signature = sign("text", ssh_key=key)
    assert set(signature) == {"kind", "text"}
    fits = check_signature("text", signature)
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", key], capture_output=True, text=True, check=True
    ).stdout.split()[1]
    assert fits == signing.Signature(
        "fits", f"Signed by the SSH key {printed}; whose key it is, a list of signers says."
    )
    signers = tmp_path / "signers"
    public = key.with_suffix(".pub").read_text(encoding="utf-8")
    signers.write_text(f"gpg {DIGITS} Abe Dee\nann,eve@x.org {public}", encoding="utf-8")
    found = check_signature("text", signature, signers=signers)
    assert found.state == "trusted"
    assert found.sentence == f"Signed by {found.signer} with the SSH key {printed}."
    assert found.signer in {"ann", "eve@x.org", "ann,eve@x.org"}
    signers.write_text(f"gpg {DIGITS} Abe Dee\n", encoding="utf-8")
    assert check_signature("text", signature, signers=signers) == signing.Signature(
        "wrong", f"The SSH key {printed} is of nobody who may sign."
    )
    made_for = ["ssh-keygen", "-Y", "sign", "-q", "-n", "file", "-f", key]
    other = subprocess.run(made_for, input="text", capture_output=True, text=True, check=True).stdout
    assert check_signature("text", {"kind": "ssh", "text": other}).state == "wrong"
