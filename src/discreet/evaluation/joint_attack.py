"""Several linkers against one release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet import catalogue
from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked, release_of
from discreet.errors import ParameterError, door, wrong_type
from discreet.evaluation.assessing import attack
from discreet.evaluation.stored_attack import gathered
from discreet.linkage.combined import CombinedAttack, combine

__all__ = ["attack_together", "joint_linkers"]

_PLAIN = ("distance", "probabilistic")


def joint_linkers(masked: Any) -> tuple[str, ...]:
    """Return the linkers that look for a release together: what its masking makes possible too, where that is known."""
    return (*_PLAIN, "masking-aware") if isinstance(masked, Masked) else _PLAIN


@door
def attack_together(
    original: Any,
    masked: Any,
    linkers: Sequence[str] | None = None,
    *,
    attributes: Sequence[str] | None = None,
    engine: Engine | None = None,
) -> CombinedAttack:
    """Link a release back to the original by several linkers, and count whom at least one of them finds.

    Parameters
    ----------
    original, masked : Microdata, Masked or frame
        The same records in the same order.
    linkers : sequence of str, optional
        By default ``distance`` and ``probabilistic``, and ``masking-aware`` where `masked` brings its provenance.
    attributes : sequence of str, optional
        What the intruder knows; by default the keys that both have.
    engine : Engine, optional

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 4: both ways of linking together find most.
    """
    if linkers is not None and (
        not isinstance(linkers, (list, tuple, str)) or not all(isinstance(name, str) for name in linkers)
    ):
        raise wrong_type("attack_together", "linkers must be a list of names", linkers, '["distance", "probabilistic"]')
    linkers = [linkers] if isinstance(linkers, str) else linkers
    original, masked = release_of(original), release_of(masked)
    names = joint_linkers(masked) if linkers is None else tuple(linkers)
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"attack_together: linkers must be different names; got {len(names)}, some of them twice.")
    unshared = [name for name in names if not catalogue.shares_attributes(name)]
    if unshared:
        raise ParameterError(f"attack_together: {unshared[0]} links files without common attributes.")
    original, masked = gathered("attack_together", original, masked)
    options = {} if attributes is None else {"attributes": list(attributes)}
    return combine([attack(original, masked, name, engine=engine, **options) for name in names])
