"""Models against learning a confidential value from the class a record is in."""

from __future__ import annotations

from typing import ClassVar, Literal

from discreet.kernels.generalising.class_rules import (
    ALPHA,
    BETA,
    BETA_ENHANCED,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    DELTA,
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    SIZE,
)
from discreet.models.privacy_model import Demand, PrivacyModel, SensitiveModel, register_model
from discreet.parameters import Choice, Flag, Integer, Number, Text
from discreet.parameters.declaration import parameter

__all__ = ["AlphaK", "BetaLikeness", "DeltaDisclosure", "LDiversity", "TCloseClasses"]

_NAME = Text("the name of an attribute")


@register_model("l-diversity")
class LDiversity(SensitiveModel):
    """Every class has at least l well-represented confidential values.

    Parameters
    ----------
    l : float
    sensitive : str
        The confidential attribute; a missing cell is a value.
    kind_of : {"distinct", "entropy", "recursive"}
        Different values; 2^entropy of them; or the most frequent value is rarer than `c` times all values from the l-th
        most frequent one on.
    c : float
        For recursive diversity.
    keys : list of str, optional
        On the classes of these alone.

    References
    ----------
    Machanavajjhala et al. (2007), ℓ-diversity: privacy beyond k-anonymity.
    """

    title: ClassVar[str] = "confidential values in a class (l-diversity)"
    reference: ClassVar[str] = "Machanavajjhala et al. 2007"
    l: float = parameter(Number(1), kw_only=False)  # noqa: E741 - the letter of the literature
    sensitive: str = parameter(_NAME, kw_only=False)
    kind_of: Literal["distinct", "entropy", "recursive"] = parameter(
        Choice(("distinct", "entropy", "recursive")), default="distinct"
    )
    c: float = parameter(Number(0, open_low=True), default=1.0)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(2, "s"), cls(2, "s", kind_of="entropy"), cls(2, "s", kind_of="recursive", c=2.0)]

    @property
    def steadfast(self) -> bool:  # type: ignore[override]
        """Only different values cannot become fewer when a class grows by any others."""
        return self.kind_of == "distinct"

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        columns = self.columns(names)
        if self.kind_of == "recursive":
            return [Demand(RECURSIVE, columns, high=self.c, first=self.l, sensitive=self.sensitive)]
        kind = DISTINCT if self.kind_of == "distinct" else ENTROPY
        return [Demand(kind, columns, low=self.l, sensitive=self.sensitive)]


@register_model("t-closeness")
class TCloseClasses(SensitiveModel):
    """The confidential values of every class are distributed nearly as in the whole table (t-closeness).

    Parameters
    ----------
    t : float
        The largest earth mover's distance, between 0 and 1.
    sensitive : str
    distance : {"equal", "ordered", "hierarchical"}
        What moving costs: 1 between any two values; the places between them on an ordered scale, over those between
        the first and the last; or the step of their lowest common name in a hierarchy of the attribute, which the
        masker is given.
    keys : list of str, optional
        On the classes of these alone.

    Notes
    -----
    The whole table is the original one, suppressed records included, as in ARX. Places are those of values that occur
    in it: a level that is declared but that nobody has would make every distance shorter, and the promise weaker.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity.
    """

    title: ClassVar[str] = "distance of a class from the whole (t-closeness)"
    reference: ClassVar[str] = "Li, Li and Venkatasubramanian 2007"
    t: float = parameter(Number(0, 1), kw_only=False)
    sensitive: str = parameter(_NAME, kw_only=False)
    distance: Literal["equal", "ordered", "hierarchical"] = parameter(
        Choice(("equal", "ordered", "hierarchical")), default="equal"
    )

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(0.3, "s"), cls(0.3, "s", distance="ordered"), cls(0.3, "s", distance="hierarchical")]

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        kind = {"equal": CLOSE_EQUAL, "ordered": CLOSE_ORDERED, "hierarchical": CLOSE_TREE}[self.distance]
        return [Demand(kind, self.columns(names), high=self.t, sensitive=self.sensitive)]


@register_model("beta-likeness")
class BetaLikeness(SensitiveModel):
    """No confidential value is much more frequent in a class than in the whole table.

    Parameters
    ----------
    beta : float
        The largest relative gain (q − p) / p of a value's share.
    sensitive : str
    enhanced : bool
        At most min(β, −ln p), so that frequent values gain less.
    keys : list of str, optional
        On the classes of these alone.

    References
    ----------
    Cao and Karras (2012), Publishing microdata with a robust privacy guarantee.
    """

    title: ClassVar[str] = "gain of a confidential value in a class (β-likeness)"
    reference: ClassVar[str] = "Cao and Karras 2012"
    beta: float = parameter(Number(0, open_low=True), kw_only=False)
    sensitive: str = parameter(_NAME, kw_only=False)
    enhanced: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(1.0, "s"), cls(1.0, "s", enhanced=True)]

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        columns = self.columns(names)
        if self.enhanced:
            return [Demand(BETA_ENHANCED, columns, high=1.0, first=self.beta, sensitive=self.sensitive)]
        return [Demand(BETA, columns, high=self.beta, sensitive=self.sensitive)]


@register_model("delta-disclosure")
class DeltaDisclosure(SensitiveModel):
    """The share of every confidential value in a class is within a factor e^δ of that in the whole table.

    Parameters
    ----------
    delta : float
        The absolute value of ln(q / p) stays below it for every value that occurs in the table; one that a class lacks
        breaks it.
    sensitive : str
    keys : list of str, optional
        On the classes of these alone.

    References
    ----------
    Brickell and Shmatikov (2008), The cost of privacy.
    """

    title: ClassVar[str] = "change of a confidential value's share (δ-disclosure)"
    reference: ClassVar[str] = "Brickell and Shmatikov 2008"
    delta: float = parameter(Number(0, open_low=True), kw_only=False)
    sensitive: str = parameter(_NAME, kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(1.5, "s")]

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(DELTA, self.columns(names), high=self.delta, sensitive=self.sensitive)]


@register_model("alpha-k")
class AlphaK(SensitiveModel):
    """Every class holds at least k records, and no confidential value more than a share α of them.

    Parameters
    ----------
    alpha : float
    k : int
    sensitive : str
    keys : list of str, optional
        On the classes of these alone.

    References
    ----------
    Wong, Li, Fu and Wang (2006), (α, k)-anonymity.
    """

    title: ClassVar[str] = "largest share of a confidential value, and class size ((α, k)-anonymity)"
    reference: ClassVar[str] = "Wong, Li, Fu and Wang 2006"
    alpha: float = parameter(Number(0, 1, open_low=True), kw_only=False)
    k: int = parameter(Integer(1), kw_only=False)
    sensitive: str = parameter(_NAME, kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(0.7, 2, "s")]

    @property
    def smallest(self) -> int:
        return self.k if self.keys is None else 1

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        columns = self.columns(names)
        size = Demand(SIZE, columns, low=self.k)
        return [size, Demand(ALPHA, columns, high=self.alpha, sensitive=self.sensitive)]
