from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.anchoring import _anchored_rates, _plainly, anchored_rates


def at_least(tensor):
    result = tensor.copy()
    for axis in range(tensor.ndim):
        along = np.moveaxis(result, axis, 0)
        along[0] += along[1]
    return result


def twin(within, own, observed, before, after, steps, shrinkage, m):
    """The same iteration on tensors with one axis an attribute, written as in the docstring of the estimator."""
    q = m.size
    shape = (2,) * q
    seen = (observed > 0).reshape(shape)
    for _ in range(steps):
        accident = np.clip((after - m * before) / np.maximum(1.0 - before, 1e-12), 0.0, 1.0)
        pushed, true_pairs = within.reshape(shape).copy(), own.reshape(shape).copy()
        for j in range(q):
            apart, agreeing = np.moveaxis(pushed, j, 0)[0].copy(), np.moveaxis(pushed, j, 0)[1].copy()
            come = accident[j] * apart + m[j] * agreeing
            np.moveaxis(pushed, j, 0)[0], np.moveaxis(pushed, j, 0)[1] = apart + agreeing - come, come
            np.moveaxis(true_pairs, j, 0)[1] *= m[j]
        expected = at_least(pushed) + true_pairs
        anchor = (true_pairs / np.maximum(expected, 1e-300)) ** 2
        new = np.empty(q)
        for j in range(q):
            w = np.moveaxis(anchor, j, 0)[0]
            o, e, s = (np.moveaxis(t, j, 0) for t in (observed.reshape(shape), expected, seen))
            base, agreed, e0, e1 = ((w * part).sum() for part in (o[0], o[1], e[0], e[1]))
            rate = m.mean()
            if base > 0 and e1 > 0:
                true = (w * np.moveaxis(true_pairs, j, 0)[0]).sum() / e0
                evidence = base / max((w * s[0]).sum(), 1e-300) * true**2
                rate = (m[j] * (agreed / base) / (e1 / e0) * evidence + shrinkage * rate) / (evidence + shrinkage)
            new[j] = np.sqrt(np.clip(rate, 0.01, 0.99) * m[j])
        moved, m = np.abs(new - m).max(), new
        if moved < 1e-5:
            break
    return m


@pytest.mark.parametrize("q", [1, 2, 3, 5])
def test_it_is_its_twin(q):
    rng = np.random.default_rng(q)
    for _ in range(5):
        within = rng.integers(0, 500, 1 << q).astype(float)
        own = at_least(rng.integers(0, 60, 1 << q).astype(float).reshape((2,) * q)).ravel()
        observed = at_least(rng.integers(0, 500, 1 << q).astype(float).reshape((2,) * q)).ravel()
        before, after = rng.random(q), rng.random(q)
        m = np.full(q, 0.9)
        anchored_rates(within, own, observed, before, after, 40, 100.0, m)
        assert np.allclose(m, twin(within, own, observed, before, after, 40, 100.0, np.full(q, 0.9)), atol=1e-10)


@pytest.mark.parametrize("q", [1, 3, 6])
def test_compiled_and_plain_code_give_the_same_to_the_last_bit(q):
    rng = np.random.default_rng(q)
    for _ in range(5):
        within = rng.integers(0, 500, 1 << q).astype(float)
        own, observed = (
            at_least(rng.integers(0, most, 1 << q).astype(float).reshape((2,) * q)).ravel() for most in (60, 500)
        )
        before, after = rng.random(q), rng.random(q)
        rates = np.full(q, 0.9), np.full(q, 0.9)
        steps = [
            run(within, own, observed, before, after, 400, 100.0, m)
            for run, m in zip((_anchored_rates, _plainly), rates, strict=True)
        ]
        assert steps[0] == steps[1]
        assert (rates[0] == rates[1]).all()


def test_plain_code_takes_few_attributes_only(monkeypatch):
    """Its work doubles with every attribute: twenty would keep somebody waiting for minutes."""
    from discreet.kernels.linking import anchoring

    work = []
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, amount: bool(work.append(amount)))
    for q in (3, 6, 16, 20):
        sets = np.ones(1 << q)
        anchoring.anchored_rates(sets, sets, sets, np.full(q, 0.3), np.full(q, 0.3), 1, 1.0, np.full(q, 0.9))
    three, six, sixteen, twenty = (amount / anchoring._TWIN._most for amount in work)
    assert three <= six <= 1 / 50, "dozens of calls with a few attributes"
    assert sixteen > 1
    assert twenty > 16 * sixteen
