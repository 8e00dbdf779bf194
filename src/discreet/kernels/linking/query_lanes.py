"""Sixteen records, or sixteen boxes of records, beside a query at a time.

What stands here as plain functions is compiled as instructions on vectors of sixteen numbers in single precision, which
is what processors have; loops over so few are not turned into them reliably, and take longer to compile.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from discreet.typing import BoolArray, SingleArray

__all__ = ["LANES", "aligned", "near_boxes", "near_rows", "nearest_lane", "teach_query_lanes"]

LANES = 16
_TOGETHER = 12  # attributes after which it is asked whether any row is still near: more often costs more than it saves


def near_rows(
    rows: SingleArray,  # IN float32, blocks of an even number of attributes, of sixteen rows each
    start: int,  # IN where a block starts
    query: SingleArray,  # IN (attributes,) float32
    limit: np.float32,  # IN
) -> int:
    """Return the lanes of a block, as bits, whose sum of squared differences is at most the limit."""
    block = rows[start : start + LANES * query.size].reshape(query.size, LANES)
    return _bits(((block - query[:, None]) ** 2).sum(axis=0) <= limit)


def near_boxes(
    boxes: SingleArray,  # IN float32, of every attribute the lowest values of sixteen boxes, then the highest
    start: int,  # IN where sixteen boxes start
    query: SingleArray,  # IN (attributes,) float32, an even number
    limit: np.float32,  # IN
    bounds: SingleArray,  # OUT float32, sums of squared differences to the nearest point of a box
    at: int,  # IN where to put them
) -> int:
    """Return the lanes, as bits, whose box is within the limit."""
    block = boxes[start : start + 2 * LANES * query.size].reshape(query.size, 2, LANES)
    gaps = np.maximum(np.maximum(block[:, 0] - query[:, None], query[:, None] - block[:, 1]), np.float32(0.0))
    bounds[at : at + LANES] = (gaps * gaps).sum(axis=0)
    return _bits(bounds[at : at + LANES] <= limit)


def nearest_lane(
    bounds: SingleArray,  # IN float32, as above
    at: int,  # IN
    lanes: int,  # IN as bits, at least one
) -> int:
    """Return the lane among these with the least bound, the first of those that are equal but for four bits."""
    keys = bounds[at : at + LANES].view(np.int32) & ~(LANES - 1)
    return int(np.argmin(np.where(lanes >> np.arange(LANES) & 1, keys, np.iinfo(np.int32).max)))


def aligned(size: int) -> SingleArray:
    """Return an array in which every sixteenth number starts what the processor fetches at a time."""
    room = np.empty(size + LANES, dtype=np.float32)
    skipped = -room.ctypes.data // room.itemsize % LANES
    return room[skipped : skipped + size]


def _bits(lanes: BoolArray) -> int:
    return int((lanes.astype(np.int64) << np.arange(LANES)).sum())


@cache
def teach_query_lanes() -> None:
    """Tell the compiler what these functions are in compiled code; once, before the first kernel."""
    from llvmlite import ir
    from numba.core import types

    extending: Any = import_module("numba.extending")
    templates: Any = import_module("numba.core.typing.templates")

    single, word, half_word = ir.FloatType(), ir.IntType(64), ir.IntType(32)
    vector, whole_vector = ir.VectorType(single, LANES), ir.VectorType(half_word, LANES)
    zeros = ir.Constant(vector, [0.0] * LANES)
    # A product may be fused with the sum it goes into: what is rounded less is within the limits, too.
    flags = ("contract", "nsz")

    def write(function: Any, code: Any, *kinds: Any) -> None:
        """Declare a function of these types, whose result is a number, and what it is in compiled code."""
        template = templates.make_concrete_template(function.__name__, function, [types.int64(*kinds)])
        templates.infer_global(function)(template)
        extending.lower_builtin(function, *kinds)(code)

    def place(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
        return builder.gep(context.make_array(kind)(context, builder, array).data, [offset])

    def loaded(builder: Any, pointer: Any) -> Any:
        return builder.load(builder.bitcast(pointer, vector.as_pointer()), align=4)

    def in_all_lanes(builder: Any, number: Any) -> Any:
        nothing = ir.Constant(vector, ir.Undefined)
        one = builder.insert_element(nothing, number, half_word(0))
        return builder.shuffle_vector(one, nothing, ir.Constant(whole_vector, [0] * LANES))

    def larger(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    def within(builder: Any, sums: Any, limit: Any) -> Any:
        near = builder.fcmp_ordered("<=", sums, in_all_lanes(builder, limit))
        return builder.zext(builder.bitcast(near, ir.IntType(LANES)), word)

    def add_squares(builder: Any, gap_at: Any, start: list[Any], step: int, end: Any, limit: Any) -> tuple[Any, Any]:
        """Write a loop that adds squares of so many gaps at a time to two sums, so that neither waits for the other.

        Returns the attribute and the sums behind it, and the block from which it is left where no lane is near.
        """
        before, test = builder.block, builder.append_basic_block("test")
        loop, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.branch(test)
        builder.position_at_end(test)
        state = [builder.phi(word), builder.phi(vector), builder.phi(vector)]
        for phi, value in zip(state, start, strict=True):
            phi.add_incoming(value, before)
        p, *sums = state
        following = builder.add(p, word(step))
        builder.cbranch(builder.icmp_signed("<=", following, end), loop, after)
        builder.position_at_end(loop)
        for i in range(step):
            gap = gap_at(builder.add(p, word(i)))
            sums[i % 2] = builder.fadd(sums[i % 2], builder.fmul(gap, gap, flags=flags), flags=flags)
        for phi, value in zip(state, (following, *sums), strict=True):
            phi.add_incoming(value, loop)
        far = None
        if limit is None:
            builder.branch(test)
        else:
            near = within(builder, builder.fadd(*sums, flags=flags), limit)
            far = builder.append_basic_block("far")
            builder.cbranch(builder.icmp_signed("!=", near, word(0)), test, far)
        builder.position_at_end(after)
        return state, far

    def sum_of_squares(builder: Any, attributes: Any, gap_at: Any, limit: Any) -> tuple[Any, Any]:
        """Write the sums of all squares; they are left as they are once no lane is near, if there is a limit."""
        state, far = add_squares(builder, gap_at, [word(0), zeros, zeros], _TOGETHER, attributes, limit)
        state, _ = add_squares(builder, gap_at, state, 2, attributes, None)
        return builder.fadd(*state[1:], flags=flags), far

    def size_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        return context.make_array(kind)(context, builder, array).nitems

    def _near_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, start, query, limit = arguments
        kinds = signature.args
        block = place(context, builder, kinds[0], rows, start)
        sought = place(context, builder, kinds[2], query, word(0))

        def gap_at(p: Any) -> Any:
            value = in_all_lanes(builder, builder.load(builder.gep(sought, [p])))
            return builder.fsub(loaded(builder, builder.gep(block, [builder.mul(p, word(LANES))])), value, flags=flags)

        total, far = sum_of_squares(builder, size_of(context, builder, kinds[2], query), gap_at, limit)
        near, summed = within(builder, total, limit), builder.block
        end = builder.append_basic_block("end")
        builder.branch(end)
        builder.position_at_end(far)
        builder.branch(end)
        builder.position_at_end(end)
        lanes = builder.phi(word)
        lanes.add_incoming(near, summed)
        lanes.add_incoming(word(0), far)
        return lanes

    def _near_boxes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        boxes, start, query, limit, bounds, at = arguments
        kinds = signature.args
        block = place(context, builder, kinds[0], boxes, start)
        sought = place(context, builder, kinds[2], query, word(0))

        def gap_at(p: Any) -> Any:
            value = in_all_lanes(builder, builder.load(builder.gep(sought, [p])))
            lowest = builder.gep(block, [builder.mul(p, word(2 * LANES))])
            below = builder.fsub(loaded(builder, lowest), value, flags=flags)
            above = builder.fsub(value, loaded(builder, builder.gep(lowest, [word(LANES)])), flags=flags)
            return larger(builder, larger(builder, below, above), zeros)

        total, _ = sum_of_squares(builder, size_of(context, builder, kinds[2], query), gap_at, None)
        out = place(context, builder, kinds[4], bounds, at)
        builder.store(total, builder.bitcast(out, vector.as_pointer()), align=4)
        return within(builder, total, limit)

    def _nearest_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bounds, at, lanes = arguments
        # No bound is negative, so they are in the order of their bits, the last of which make room for the lane.
        bits = builder.bitcast(loaded(builder, place(context, builder, signature.args[0], bounds, at)), whole_vector)
        keys = builder.and_(bits, ir.Constant(whole_vector, [2**31 - LANES] * LANES))
        keys = builder.or_(keys, ir.Constant(whole_vector, list(range(LANES))))
        among = builder.bitcast(builder.trunc(lanes, ir.IntType(LANES)), ir.VectorType(ir.IntType(1), LANES))
        keys = builder.select(among, keys, ir.Constant(whole_vector, [2**31 - 1] * LANES))
        kind = ir.FunctionType(half_word, [whole_vector])
        name = f"llvm.vector.reduce.umin.v{LANES}i32"
        least = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.zext(builder.and_(builder.call(least, [keys]), half_word(LANES - 1)), word)

    array, number = types.float32[::1], types.int64
    write(near_rows, _near_rows, array, number, array, types.float32)
    write(near_boxes, _near_boxes, array, number, array, types.float32, array, number)
    write(nearest_lane, _nearest_lane, array, number, number)
