"""Sixteen or eight numbers of single precision at once, for kernels that rule out before they measure.

The compiler makes such code of some loops by itself, but not of short ones whose result is a choice. Every function
stands here as it reads in plain Python, and beside it, for the compiler, as the operations on whole vectors that it
comes to. Sums may be fused, so the last bit depends on the machine: whoever calls allows for rounding and decides
nothing by these numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEAF",
    "STEP",
    "box_lanes",
    "call_up",
    "lowest_bit",
    "near_lanes",
    "shift_lanes",
    "swap_lanes",
    "teach_lanes",
]

LEAF = 16
"""Lanes of a leaf."""
STEP = 8
"""Lanes of a group come in so many."""
FEW = 5
"""Of a group's records in eight lanes, often no more than so many are there."""

_Lanes = NDArray[np.float32]
_Number = float | np.floating[Any]


def near_lanes(coordinates: _Lanes, row: int, target: _Lanes, least: _Number, most: _Number) -> int:
    """Return a bit for each record of leaf `row` whose squared distance to the target is within the limits."""
    # IN  coordinates (rows, d, 16) float32; target (d,) float32; least, most float32
    distances = ((coordinates[row] - target[:, None]) ** 2).sum(axis=0)
    return sum(1 << lane for lane in range(LEAF) if least <= distances[lane] <= most)


def box_lanes(low: _Lanes, high: _Lanes, row: int, target: _Lanes, most: float, distances: _Lanes) -> int:
    """Return a bit for each of sixteen boxes that is within a squared distance of the target, and all distances."""
    # IN  low, high (rows, d, 16) float32; target (d,) float32; most float32
    # OUT distances (16,) float32
    gaps = np.maximum(np.maximum(low[row] - target[:, None], target[:, None] - high[row]), np.float32(0.0))
    distances[:] = (gaps**2).sum(axis=0)
    return sum(1 << lane for lane in range(LEAF) if distances[lane] <= most)


def lowest_bit(bits: int) -> int:
    """Return the place of the lowest bit that is set; there must be one."""
    return (bits & -bits).bit_length() - 1


def call_up(array: NDArray[Any], row: int) -> None:
    """Let memory begin to bring a row of an array that is going to be read; changes nothing but the time."""


def shift_lanes(
    coordinates: _Lanes, group: int, size: int, shift: _Lanes, place: int, lanes: _Lanes, norms: _Lanes, largest: _Lanes
) -> None:
    """Put a group into a pool, seen from the pool's origin, with the squared distances of its records to it."""
    # IN  coordinates (G, d, S) float32, S a multiple of 8; shift (d,) float32
    # OUT lanes (P, d, S) and norms (P, S) float32, at `place`, −inf where there is no record; largest (8,) float32
    lanes[place] = coordinates[group] + shift[:, None]
    norms[place] = -np.inf
    norms[place, :size] = (lanes[place, :, :size] ** 2).sum(axis=0)
    largest[:] = np.maximum(largest, norms[place].reshape(-1, STEP).max(axis=0))


def swap_lanes(
    lanes: _Lanes, norms: _Lanes, means: _Lanes, a: int, size: int, b: int, weight: float, room: float
) -> bool:
    """Say whether any exchange of a record of group `a` for one of `b` changes the squared error by at most `room`.

    For an exchange of x for y it changes by 2(μ_a − μ_b)·(x − y) − (1/m_a + 1/m_b)|x − y|²; half of that is compared.
    """
    # IN  lanes (P, d, S), norms (P, S), means (P, d) float32; size int, records of a; weight, room float32, both halved
    slope = means[a] - means[b]
    own = slope @ lanes[a] - weight * norms[a]
    others = slope @ lanes[b] + weight * norms[b]
    products = lanes[a, :, :size].T @ lanes[b]
    return bool((own[:size, None] - others[None, :] + 2.0 * weight * products <= room).any())


class _Code:
    """Writes operations on vectors of so many numbers of single precision."""

    def __init__(self, context: Any, builder: Any, width: int) -> None:
        from llvmlite import ir

        self.context, self.builder, self.width = context, builder, width
        self.word, self.number = ir.IntType(64), ir.FloatType()
        self.vector = ir.VectorType(self.number, width)
        self._undefined = ir.Constant(self.vector, ir.Undefined)
        self._first = ir.Constant(ir.IntType(32), 0)
        self._repeated = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
        self._mask = ir.IntType(width)

    def array(self, kind: Any, value: Any) -> tuple[Any, list[Any]]:
        """Return where the numbers of an array lie, and its shape."""
        array = self.context.make_array(kind)(self.context, self.builder, value)
        return array.data, [self.builder.extract_value(array.shape, axis) for axis in range(kind.ndim)]

    def index(self, *terms: Any) -> Any:
        """Return ((first · second + third) · fourth + fifth) … of as many terms as there are."""
        total = terms[0]
        for place, term in enumerate(terms[1:]):
            total = self.builder.add(total, term) if place % 2 else self.builder.mul(total, term)
        return total

    def load(self, data: Any, index: Any) -> Any:
        place = self.builder.bitcast(self.builder.gep(data, [index]), self.vector.as_pointer())
        return self.builder.load(place, align=4)

    def store(self, value: Any, data: Any, index: Any) -> None:
        self.builder.store(value, self.builder.bitcast(self.builder.gep(data, [index]), self.vector.as_pointer()), 4)

    def repeat(self, value: Any) -> Any:
        """Return a number in every lane."""
        one = self.builder.insert_element(self._undefined, value, self._first)
        return self.builder.shuffle_vector(one, self._undefined, self._repeated)

    def repeat_at(self, data: Any, index: Any) -> Any:
        return self.repeat(self.builder.load(self.builder.gep(data, [index])))

    def constants(self, *values: float) -> Any:
        return self.vector(list(values) if len(values) > 1 else [values[0]] * self.width)

    def plus(self, total: Any, x: Any, y: Any) -> Any:
        """Return total + x · y, in one operation where the machine has that."""
        flags = ("contract", "nsz")
        return self.builder.fadd(total, self.builder.fmul(x, y, flags=flags), flags=flags)

    def larger(self, x: Any, y: Any) -> Any:
        return self.builder.select(self.builder.fcmp_ordered(">", x, y), x, y)

    def bits(self, choice: Any) -> Any:
        return self.builder.bitcast(choice, self._mask)

    def loop(self, count: Any, starts: list[Any], body: Callable[..., list[Any]], step: int = 1) -> list[Any]:
        """Return what a loop makes of values, turn by turn."""
        builder = self.builder
        before, inside, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.cbranch(builder.icmp_signed(">", count, self.word(0)), inside, after)
        builder.position_at_end(inside)
        index, states = builder.phi(self.word), [builder.phi(start.type) for start in starts]
        results = body(index, *states)
        following, last = builder.add(index, self.word(step)), builder.block
        builder.cbranch(builder.icmp_signed("<", following, count), inside, after)
        for phi, first, later in zip([index, *states], [self.word(0), *starts], [following, *results], strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, last)
        builder.position_at_end(after)
        outcomes = [builder.phi(start.type) for start in starts]
        for outcome, start, result in zip(outcomes, starts, results, strict=True):
            outcome.add_incoming(start, before)
            outcome.add_incoming(result, last)
        return outcomes

    def lane(self, vector: Any, place: int) -> Any:
        """Return one lane of a vector in every lane."""
        order = self._repeated.type([place] * self.width)
        return self.builder.shuffle_vector(vector, self._undefined, order)


def _near_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    code = _Code(context, builder, LEAF)
    coordinates, (_, d, width) = code.array(signature.args[0], arguments[0])
    target, _ = code.array(signature.args[2], arguments[2])
    row, least, most = arguments[1], arguments[3], arguments[4]

    def column(j: Any, total: Any) -> list[Any]:
        gap = builder.fsub(code.load(coordinates, code.index(row, d, j, width)), code.repeat_at(target, j))
        return [code.plus(total, gap, gap)]

    (distances,) = code.loop(d, [code.constants(0.0)], column)
    below = builder.fcmp_ordered("<=", distances, code.repeat(most))
    above = builder.fcmp_ordered(">=", distances, code.repeat(least))
    return builder.zext(code.bits(builder.and_(below, above)), code.word)


def _box_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    code = _Code(context, builder, LEAF)
    low, (_, d, width) = code.array(signature.args[0], arguments[0])
    high, _ = code.array(signature.args[1], arguments[1])
    target, _ = code.array(signature.args[3], arguments[3])
    out, _ = code.array(signature.args[5], arguments[5])
    row, most = arguments[2], arguments[4]

    def column(j: Any, total: Any) -> list[Any]:
        place, aim = code.index(row, d, j, width), code.repeat_at(target, j)
        below, above = builder.fsub(code.load(low, place), aim), builder.fsub(aim, code.load(high, place))
        gap = code.larger(code.larger(below, above), code.constants(0.0))
        return [code.plus(total, gap, gap)]

    (distances,) = code.loop(d, [code.constants(0.0)], column)
    code.store(distances, out, code.word(0))
    return builder.zext(code.bits(builder.fcmp_ordered("<=", distances, code.repeat(most))), code.word)


def _lowest_bit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    from llvmlite import ir

    return builder.cttz(arguments[0], ir.IntType(1)(1))


def _call_up(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from llvmlite import ir

    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    stride = builder.extract_value(array.strides, 0)
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    place = builder.gep(builder.bitcast(array.data, byte), [builder.mul(arguments[1], stride)])
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    # To be read, and likely again, as data.
    builder.call(prefetch, [place, word(0), word(3), word(1)])
    return context.get_dummy_value()


def _shift_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    code = _Code(context, builder, STEP)
    coordinates, (_, d, width) = code.array(signature.args[0], arguments[0])
    shift, _ = code.array(signature.args[3], arguments[3])
    lanes, _ = code.array(signature.args[5], arguments[5])
    norms, _ = code.array(signature.args[6], arguments[6])
    largest, _ = code.array(signature.args[7], arguments[7])
    group, size, place = arguments[1], builder.sitofp(arguments[2], code.number), arguments[4]

    def chunk(start: Any, most: Any) -> list[Any]:
        def column(j: Any, total: Any) -> list[Any]:
            seen = code.load(coordinates, code.index(group, d, j, width, start))
            moved = builder.fadd(seen, code.repeat_at(shift, j))
            code.store(moved, lanes, code.index(place, d, j, width, start))
            return [code.plus(total, moved, moved)]

        (norm,) = code.loop(d, [code.constants(0.0)], column)
        lane = builder.fadd(code.constants(*range(STEP)), code.repeat(builder.sitofp(start, code.number)))
        inside = builder.fcmp_ordered("<", lane, code.repeat(size))
        norm = builder.select(inside, norm, code.constants(-np.inf))
        code.store(norm, norms, code.index(place, width, start))
        return [code.larger(norm, most)]

    (most,) = code.loop(width, [code.load(largest, code.word(0))], chunk, STEP)
    code.store(most, largest, code.word(0))
    return context.get_dummy_value()


def _swap_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    code = _Code(context, builder, STEP)
    lanes, (_, d, width) = code.array(signature.args[0], arguments[0])
    norms, _ = code.array(signature.args[1], arguments[1])
    means, _ = code.array(signature.args[2], arguments[2])
    a, size, b, weight, room = arguments[3:]
    weights, limit = code.repeat(weight), code.repeat(room)
    twice, nothing = builder.fadd(weights, weights), code.constants(0.0)
    nobody = builder.fcmp_ordered("<", nothing, nothing)

    def exchanges(rows: int, own: Any, other: Any) -> Any:
        """Return whether any of eight records helps in the place of one of the first records of eight."""

        def column(j: Any, level: Any, other_level: Any, *products: Any) -> list[Any]:
            at = builder.gep(lanes, [code.index(a, d, j, width, own)])
            x, y = code.load(at, code.word(0)), code.load(lanes, code.index(b, d, j, width, other))
            slope = code.repeat(
                builder.fsub(
                    builder.load(builder.gep(means, [code.index(a, d, j)])),
                    builder.load(builder.gep(means, [code.index(b, d, j)])),
                )
            )
            levels = [code.plus(level, slope, x), code.plus(other_level, slope, y)]
            each = [code.plus(product, code.repeat_at(at, code.word(row)), y) for row, product in enumerate(products)]
            return levels + each

        here = builder.fmul(weights, code.load(norms, code.index(a, width, own)))
        there = builder.fmul(weights, code.load(norms, code.index(b, width, other)))
        level, other_level, *products = code.loop(d, [builder.fsub(nothing, here), there, *[nothing] * rows], column)
        helps = nobody
        for row, product in enumerate(products):
            change = code.plus(builder.fsub(code.lane(level, row), other_level), twice, product)
            # Not "at most", but "not more than": what cannot be compared is looked at in full.
            helps = builder.or_(helps, builder.fcmp_unordered("<=", change, limit))
        return helps

    def own_chunk(own: Any, helps: Any) -> list[Any]:
        few = builder.icmp_signed("<=", builder.sub(size, own), code.word(FEW))

        def other_chunk(other: Any, helps: Any) -> list[Any]:
            with builder.if_else(few) as (then, otherwise):
                with then:
                    short, after_short = exchanges(FEW, own, other), builder.block
                with otherwise:
                    full, after_full = exchanges(STEP, own, other), builder.block
            either = builder.phi(nobody.type)
            either.add_incoming(short, after_short)
            either.add_incoming(full, after_full)
            return [builder.or_(helps, either)]

        return code.loop(width, [helps], other_chunk, STEP)

    (helps,) = code.loop(width, [nobody], own_chunk, STEP)
    return builder.icmp_unsigned("!=", code.bits(helps), code.bits(nobody))


@cache
def teach_lanes() -> None:
    """Tell the compiler the vector operations of these functions; once, before the first kernel is compiled."""
    types: Any = import_module("numba.core.types")
    typing: Any = import_module("numba.core.typing.templates")
    extending: Any = import_module("numba.extending")

    word, number, array = types.int64, types.float32, None
    # Of every function: its result and its arguments, of which arrays come as they are.
    kinds: list[tuple[Any, Any, Any, tuple[Any, ...]]] = [
        (near_lanes, _near_lanes, word, (array, word, array, number, number)),
        (box_lanes, _box_lanes, word, (array, array, word, array, number, array)),
        (lowest_bit, _lowest_bit, word, (word,)),
        (call_up, _call_up, types.void, (array, word)),
        (shift_lanes, _shift_lanes, types.void, (array, word, word, array, word, array, array, array)),
        (swap_lanes, _swap_lanes, types.boolean, (array, array, array, word, word, word, number, number)),
    ]

    def teach(plain: Any, code: Any, result: Any, declared: tuple[Any, ...]) -> None:
        @typing.infer_global(plain)
        class _Typed(typing.AbstractTemplate):  # type: ignore[misc]
            def generic(self, given: Any, _named: Any) -> Any:
                return typing.signature(result, *(kind or own for kind, own in zip(declared, given, strict=True)))

        extending.lower_builtin(plain, types.VarArg(types.Any))(code)

    for one in kinds:
        teach(*one)
