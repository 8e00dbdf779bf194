"""Weak choices, said in words: what a careful colleague would mention before the file leaves the house."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from discreet.inference import propose
from discreet.microdata import Microdata
from discreet.results import Assessment, Masked, Provenance
from discreet.schema import Schema
from discreet.typing import Json

__all__ = ["Advice", "advise"]

_SMALLEST_GROUP = 3
_LOOKED_AT = 1000
_NAMES = 5
_FREQUENCY_RISKS = ("k-anonymity", "uniques", "individual-risk", "prosecutor", "journalist", "marketer", "suda2")


@dataclass(frozen=True)
class Advice:
    """One remark on a weak choice.

    Attributes
    ----------
    code : str
        A name that stays, for machines: ``small-k``, ``no-confidential``, ``identifiers-present``,
        ``frequency-after-perturbation``, ``uniques-left``, ``no-schema``, ``key-unmasked``, ``no-seed``.
    sentence : str
        What is weak: columns and counts, never a record's value.
    hint : str
        What can be done about it.
    """

    code: str
    sentence: str
    hint: str

    def to_dict(self) -> Json:
        """Return the remark as JSON values."""
        return {"code": self.code, "sentence": self.sentence, "hint": self.hint}


def advise(
    original: Microdata,
    masked: Masked | Microdata | None = None,
    assessment: Assessment | None = None,
    *,
    schema_given: bool = True,
    seed_given: bool = True,
) -> tuple[Advice, ...]:
    """Return what is weak about a schema, a release and its assessment; as much as is given is looked at.

    Parameters
    ----------
    original : Microdata
    masked : Masked or Microdata, optional
        The release; how it was masked is known of a Masked only.
    assessment : Assessment, optional
    schema_given, seed_given : bool
        Whether a person declared the attributes, and chose where random draws come from.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.mdav import MDAV
    >>> data = business(60)
    >>> [advice.code for advice in advise(data, MDAV(k=2).mask(data))]
    ['no-confidential', 'small-k']
    """
    found: list[Advice] = []
    if not schema_given:
        found.append(
            Advice(
                "no-schema",
                "No schema was given: roles and scales were guessed from the file.",
                "Write the proposal with `discreet inspect DATA -o schema.toml`, and look at every role.",
            )
        )
    found += _on_schema(original.schema)
    release = masked.microdata if isinstance(masked, Masked) else masked
    if release is not None:
        found += _on_identifiers(release)
    if isinstance(masked, Masked):
        found += _on_masking(original.schema, masked, seed_given=seed_given)
    if assessment is not None:
        found += _on_risk(assessment)
    return tuple(found)


def _on_schema(schema: Schema) -> Iterator[Advice]:
    if not schema.of_role("confidential"):
        yield Advice(
            "no-confidential",
            "No attribute is declared confidential, so nothing is measured of what an intruder would learn.",
            'Give role = "confidential" to what must not become known of a person.',
        )


def _on_identifiers(release: Microdata) -> Iterator[Advice]:
    present = list(release.schema.of_role("identifier"))
    others = release.schema.of_role("other", "key", "confidential")
    if others and len(release):
        sample = release.take(range(min(len(release), _LOOKED_AT))).select(others)
        present += propose(sample.to_native()).schema.of_role("identifier")
    if present:
        yield Advice(
            "identifiers-present",
            f"The release still has {_columns(present)} that {_look(present)} like identifiers: {_list(present)}.",
            'Give them role = "identifier", so that they are left out.',
        )


def _on_masking(schema: Schema, masked: Masked, *, seed_given: bool) -> Iterator[Advice]:
    steps = _steps(masked.provenance)
    for step in steps:
        k = step.parameters.get("k")
        if isinstance(k, int) and not isinstance(k, bool) and k < _SMALLEST_GROUP:
            yield Advice(
                "small-k",
                f"{step.method} was asked for groups of as few as {k} records: a member can subtract itself and see "
                "the rest.",
                f"Use k = {_SMALLEST_GROUP} or more.",
            )
    touched = {name for step in steps for name in step.attributes}
    left = [name for name in schema.keys if name not in touched and name in masked.microdata.schema]
    if left:
        yield Advice(
            "key-unmasked",
            f"{_keys(left)} released as {_they(left)} came: {_list(left)}.",
            "Mask them with a further step, or say by their role that no intruder can know them.",
        )
    if not seed_given and any(step.seed is not None and step.perturbative for step in steps) and _drew(steps):
        yield Advice(
            "no-seed",
            "No seed was given: the draws came from one that was made up, and the next run will differ.",
            "Give a seed; the one that was used is in the internal report.",
        )


def _on_risk(assessment: Assessment) -> Iterator[Advice]:
    measured = {m.name: m for m in assessment.measurements}
    counted = [measured[name] for name in _FREQUENCY_RISKS if name in measured]
    if any(m.details.get("perturbative") for m in counted):
        yield Advice(
            "frequency-after-perturbation",
            "Risks that count equal keys were measured after a method that makes values untrue: they say little about "
            "who can be found.",
            "Judge this release by the linkage risks.",
        )
    uniques = int(measured["uniques"].details.get("uniques", 0)) if "uniques" in measured else 0
    if uniques:
        yield Advice(
            "uniques-left",
            f"{uniques} of {assessment.n_records} released records are the only ones with their combination of keys.",
            "Recode or suppress, starting with the keys that the report lists as riskiest.",
        )


def _steps(provenance: Provenance) -> Sequence[Provenance]:
    """Return the single steps of a chain, or the only one."""
    return provenance.history or (provenance,)


def _drew(steps: Iterable[Provenance]) -> bool:
    """Say whether a result depends on draws; a method that forms groups of all records exactly does not."""
    return any(step.labels is None for step in steps)


def _list(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + rest


def _columns(names: Sequence[str]) -> str:
    return "1 column" if len(names) == 1 else f"{len(names)} columns"


def _look(names: Sequence[str]) -> str:
    return "looks" if len(names) == 1 else "look"


def _keys(names: Sequence[str]) -> str:
    return "1 key is" if len(names) == 1 else f"{len(names)} keys are"


def _they(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "they"
