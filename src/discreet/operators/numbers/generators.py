"""Generators: the scale on which a quasi-arithmetic mean is an ordinary mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.errors import DiscreetError, ParameterError, UnknownNameError
from discreet.parameters import Number, check_parameters
from discreet.typing import FloatArray

__all__ = ["Generator", "as_generator", "exponential_generator", "log_generator", "power_generator"]


@dataclass(frozen=True)
class Generator:
    """A continuous, strictly monotone function and its inverse.

    Parameters
    ----------
    forward, inverse : callable
        Array to array, each undoing the other.
    low, high : float
        The interval on which `forward` is defined.
    label : str
        How the generator shows itself.
    proven : bool
        True for those of this module, which need no check.

    Examples
    --------
    >>> logit = Generator(lambda x: np.log(x / (1 - x)), lambda y: 1 / (1 + np.exp(-y)), 0.01, 0.99, "logit")
    >>> logit.check()
    """

    forward: Callable[[FloatArray], FloatArray] = field(repr=False)
    inverse: Callable[[FloatArray], FloatArray] = field(repr=False)
    low: float = -np.inf
    high: float = np.inf
    label: str = "generator"
    proven: bool = field(default=False, repr=False)

    def check(self) -> None:
        """Raise unless, on a grid, the function is strictly monotone and the inverse undoes it.

        The grid stays within 20 units of the ends of the interval, or of zero where it has none.
        """
        low = self.low if np.isfinite(self.low) else min(-20.0, self.high - 20.0)
        high = self.high if np.isfinite(self.high) else max(20.0, low + 20.0)
        x = np.linspace(low, high, 201)[1:-1]
        with np.errstate(all="ignore"):
            y = np.asarray(self.forward(x), dtype=np.float64)
            back = np.asarray(self.inverse(y), dtype=np.float64)
            steps = np.diff(y)
        if not np.isfinite(y).all() or not ((steps > 0).all() or (steps < 0).all()):
            raise ParameterError(f"Generator: {self.label} must be finite and strictly monotone; it is not.")
        if not np.allclose(back, x, rtol=1e-6, atol=1e-6):
            raise ParameterError(f"Generator: the inverse of {self.label} does not undo it.")


def log_generator() -> Generator:
    """Return the logarithm: the mean is the geometric one. Values must be positive.

    Examples
    --------
    >>> log_generator()
    Generator(low=5e-324, high=inf, label='log')
    """
    return Generator(np.log, np.exp, float(np.nextafter(0.0, 1.0)), np.inf, "log", proven=True)


def power_generator(exponent: float) -> Generator:
    """Return x^r on non-negative values (positive ones for r < 0): r = −1 harmonic, 2 quadratic mean."""
    check_parameters("power_generator", {"exponent": exponent}, {"exponent": Number()})
    if exponent == 0:
        return log_generator()
    low = 0.0 if exponent > 0 else float(np.nextafter(0.0, 1.0))
    return Generator(
        lambda x: np.power(x, exponent),
        lambda y: np.power(y, 1.0 / exponent),
        low,
        np.inf,
        f"power:{exponent:g}",
        proven=True,
    )


def exponential_generator(rate: float) -> Generator:
    """Return e^(r·x): r > 0 leans to the maximum, r < 0 to the minimum."""
    check_parameters("exponential_generator", {"rate": rate}, {"rate": Number()})
    if rate == 0:
        raise ParameterError("exponential_generator: rate must not be 0, which would make every value equal.")
    return Generator(
        lambda x: np.exp(rate * x), lambda y: np.log(y) / rate, -np.inf, np.inf, f"exponential:{rate:g}", proven=True
    )


_READERS: dict[str, Callable[[str], Generator]] = {
    "log": lambda text: log_generator(*text.split()),
    "power": lambda text: power_generator(float(text)),
    "exponential": lambda text: exponential_generator(float(text)),
}


def as_generator(source: Any) -> Generator:
    """Return a generator from itself (checked) or from text: ``"log"``, ``"power:2"``, ``"exponential:-1"``.

    Examples
    --------
    >>> as_generator("power:2").label
    'power:2'
    """
    if isinstance(source, Generator):
        if not source.proven:
            source.check()
        return source
    word, _, rest = str(source).strip().partition(":")
    if not isinstance(source, str) or word not in _READERS:
        raise UnknownNameError(
            f"There is no generator named {word!r}." if isinstance(source, str) else "A generator must be a Generator.",
            hint="Use log, power:r, exponential:r or a Generator.",
        )
    try:
        return _READERS[word](rest)
    except DiscreetError:
        raise
    except (TypeError, ValueError):
        raise ParameterError(
            f"Generator: {source!r} cannot be read.", hint="Write power:2 or exponential:-1."
        ) from None
