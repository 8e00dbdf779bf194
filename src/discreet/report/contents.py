"""What a report is made of: frozen results, gathered once, shown by every kind of report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.contracts.assessment import Assessment, Exposure, Verdict
from discreet.contracts.before_after import ColumnChange, Correlations, Distribution, Flow, GroupSuppression, Shares
from discreet.contracts.dossier import Dossier, FileListed
from discreet.contracts.file_risk import GroupSizes
from discreet.contracts.masked import Provenance
from discreet.contracts.measurement import Measurement
from discreet.contracts.remark import Remark
from discreet.data.schema import Schema
from discreet.typing import Json

__all__ = ["Contents"]


@dataclass(frozen=True)
class Contents:
    """Everything that the internal report shows; the external one shows a part of it.

    Attributes
    ----------
    provenance : Provenance
        What was done.
    summaries : dict of str to str
        By method, one sentence saying what it does.
    assessment : Assessment
    schema : Schema
        Of the original.
    before, after : dict of str to Assessment
        Risk by intruder scenario, of the original and of the release.
    distributions, shares, flows : tuples
    correlations : Correlations, optional
    exposure : Exposure, optional
    verdicts : tuple of Verdict
    remarks : tuple of Remark
    certificate : tuple of str
        What an engine certifies about the release, sentence by sentence.
    ranking, front : tuple of dict
        Of a study, where there was one.
    protocol : str, optional
        The text of the protocol.
    changes : tuple of ColumnChange
        How much of every column was changed.
    suppressions : tuple of GroupSuppression
        Where suppressed cells sit, by group.
    tell : tuple of str
        What data users are told of the parameters by choice: ``"noise"``, ``"pram"``.
    unmasked_study : dict, optional
        Risk, loss and score of the unmasked file, beside the candidates of a study.
    drawn : str
        Of a file larger than memory, which records pictures are made of.
    about : Dossier
        What the release is for and what was decided.
    files : tuple of FileListed
        What the report is about; a report for data users names those that are released.
    classes : dict of str to str
        By method, the class of ISO/IEC 20889 that it belongs to.
    in_words : dict of str to str
        By scenario, who the intruder is.
    sizes_before, sizes_after : tuple of GroupSizes
        How many records share the keys of how many others, in the original and in the release.
    """

    provenance: Provenance
    assessment: Assessment
    schema: Schema
    summaries: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Assessment] = field(default_factory=dict)
    after: Mapping[str, Assessment] = field(default_factory=dict)
    distributions: tuple[Distribution, ...] = ()
    shares: tuple[Shares, ...] = ()
    flows: tuple[Flow, ...] = ()
    correlations: Correlations | None = None
    exposure: Exposure | None = None
    verdicts: tuple[Verdict, ...] = ()
    remarks: tuple[Remark, ...] = ()
    certificate: tuple[str, ...] = ()
    ranking: tuple[Json, ...] = ()
    front: tuple[Json, ...] = ()
    protocol: str | None = None
    changes: tuple[ColumnChange, ...] = ()
    suppressions: tuple[GroupSuppression, ...] = ()
    tell: tuple[str, ...] = ()
    unmasked_study: Json | None = None
    drawn: str = ""
    about: Dossier = field(default_factory=Dossier)
    files: tuple[FileListed, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)
    in_words: Mapping[str, str] = field(default_factory=dict)
    sizes_before: tuple[GroupSizes, ...] = ()
    sizes_after: tuple[GroupSizes, ...] = ()

    @property
    def steps(self) -> tuple[Provenance, ...]:
        """What was done, step by step."""
        return self.provenance.history or (self.provenance,)

    @property
    def worst(self) -> tuple[str, Assessment]:
        """The intruder who finds most, and what he finds: what a release is judged by."""
        if not self.after:
            return "all keys", self.assessment
        name = max(self.after, key=lambda scenario: self.after[scenario].score.risk)
        return name, self.after[name]

    @property
    def scenarios(self) -> dict[str, list[tuple[Measurement | None, Measurement]]]:
        """By scenario, every risk of the release, with the same risk of the original where that was measured."""
        result: dict[str, list[tuple[Measurement | None, Measurement]]] = {}
        whole = {} if self.assessment in self.after.values() else {"all keys": self.assessment}
        for name, after in (whole | dict(self.after)).items():
            earlier = {m.name: m for m in self.before[name].of_kind("risk")} if name in self.before else {}
            result[name] = [(earlier.get(m.name), m) for m in after.of_kind("risk")]
        return result
