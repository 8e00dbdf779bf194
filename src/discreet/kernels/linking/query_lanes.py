"""Many records, or boxes of records, beside a query at a time.

What stands here as plain functions is compiled as instructions on vectors of sixteen numbers in single precision, or of
thirty-two of sixteen bits, which is what processors have; loops over so few are not turned into them reliably, and take
longer to compile.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.typing import BoolArray, SingleArray

__all__ = [
    "LANES",
    "ROWS",
    "CodeArray",
    "aligned",
    "code_query",
    "near_boxes",
    "near_leaves",
    "near_rows",
    "nearest_lane",
    "still_near",
    "teach_query_lanes",
]

CodeArray = NDArray[np.int16]


LANES = 16
ROWS = 2 * LANES
_MAGIC = 1.5 * 2.0**23  # added to a number in single precision, it leaves the nearest whole number in the last bits


def code_query(
    query: SingleArray,  # IN (a multiple of sixteen,) float32
    origins: SingleArray,  # IN float32
    start: int,  # IN where the origin starts, as many
    per_unit: np.float32,  # IN how many units there are to 1
    most: np.float32,  # IN the largest code, at most 2**15 - 1
    codes: CodeArray,  # OUT int16, as many: the coordinates in units from the origin, or the nearest that there is
) -> int:
    """Write a query in the units of some records and return 0."""
    units = (query - origins[start : start + query.size]) * per_unit
    codes[:] = np.rint(np.minimum(np.fmax(units, -most), most))
    return 0


def near_rows(
    rows: CodeArray,  # IN int16, of every two attributes those of 32 rows, side by side
    start: int,  # IN where 32 rows start
    query: CodeArray,  # IN int16
    pairs: int,  # IN how many times two attributes there are
    most: int,  # IN
    sums: SingleArray,  # OUT float32 by name, int32 by its bits: sums of squared differences
    at: int,  # IN where to put them
) -> int:
    """Return the rows, as bits, whose sum of squared differences is at most so much; none may exceed 2**31 - 1."""
    block = rows[start : start + 2 * ROWS * pairs].reshape(pairs, ROWS, 2).astype(np.int64)
    gaps = block - query[: 2 * pairs].reshape(pairs, 1, 2)
    sums.view(np.int32)[at : at + ROWS] = (gaps * gaps).sum(axis=(0, 2))
    return _bits(sums.view(np.int32)[at : at + ROWS] <= most)


def near_leaves(
    boxes: CodeArray,  # IN int16, of every two attributes the lowest codes of sixteen boxes, then the highest
    start: int,  # IN where sixteen boxes start
    query: CodeArray,  # IN as above
    pairs: int,
    most: int,
    sums: SingleArray,  # OUT as above, to the nearest point of a box
    at: int,
) -> int:
    """Return the lanes, as bits, whose box is no farther."""
    block = boxes[start : start + 4 * LANES * pairs].reshape(pairs, 2, LANES, 2).astype(np.int64)
    codes = query[: 2 * pairs].reshape(pairs, 1, 2)
    gaps = np.clip(codes, block[:, 0], block[:, 1]) - codes
    sums.view(np.int32)[at : at + LANES] = (gaps * gaps).sum(axis=(0, 2))
    return _bits(sums.view(np.int32)[at : at + LANES] <= most)


def still_near(
    sums: SingleArray,  # IN as above
    at: int,
    most: int,
) -> int:
    """Return which of sixteen sums, as bits, are at most so much."""
    return _bits(sums.view(np.int32)[at : at + LANES] <= most)


def near_boxes(
    boxes: SingleArray,  # IN float32, of every attribute the lowest values of sixteen boxes, then the highest
    start: int,  # IN where sixteen boxes start
    query: SingleArray,  # IN float32
    attributes: int,  # IN how many of them count, an even number
    limit: np.float32,  # IN
    bounds: SingleArray,  # OUT float32, sums of squared differences to the nearest point of a box
    at: int,  # IN where to put them
) -> int:
    """Return the lanes, as bits, whose box is within the limit."""
    block = boxes[start : start + 2 * LANES * attributes].reshape(attributes, 2, LANES)
    values = query[:attributes, None]
    gaps = np.minimum(np.maximum(block[:, 0], values), block[:, 1]) - values
    bounds[at : at + LANES] = (gaps * gaps).sum(axis=0)
    return _bits(bounds[at : at + LANES] <= limit)


def nearest_lane(
    bounds: SingleArray,  # IN float32 or, by its bits, int32, as above; none is negative
    at: int,  # IN
    lanes: int,  # IN as bits, at least one
) -> int:
    """Return the lane among these with the least bound, the first of those that are equal but for four bits."""
    keys = bounds[at : at + LANES].view(np.int32) & ~(LANES - 1)
    return int(np.argmin(np.where(lanes >> np.arange(LANES) & 1, keys, np.iinfo(np.int32).max)))


def aligned(values: NDArray[Any]) -> NDArray[Any]:
    """Return a flat copy of an array that starts where the processor fetches a vector at a time."""
    room = np.empty(values.nbytes + _LINE, dtype=np.uint8)
    skipped = -room.ctypes.data % _LINE
    flat = room[skipped : skipped + values.nbytes].view(values.dtype)
    flat.reshape(values.shape)[...] = values
    return flat


_LINE = 64


def _bits(lanes: BoolArray) -> int:
    return int((lanes.astype(np.int64) << np.arange(lanes.size)).sum())


@cache
def teach_query_lanes() -> None:
    """Tell the compiler what these functions are in compiled code; once, before the first kernel."""
    from llvmlite import ir
    from numba.core import types

    extending: Any = import_module("numba.extending")
    templates: Any = import_module("numba.core.typing.templates")

    single, word, half_word = ir.FloatType(), ir.IntType(64), ir.IntType(32)
    vector, whole_vector = ir.VectorType(single, LANES), ir.VectorType(half_word, LANES)
    code = ir.IntType(16)
    codes_vector = ir.VectorType(code, ROWS)
    zeros, no_codes = ir.Constant(vector, [0.0] * LANES), ir.Constant(whole_vector, [0] * LANES)
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
        nothing = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
        one = builder.insert_element(nothing, number, half_word(0))
        return builder.shuffle_vector(one, nothing, ir.Constant(whole_vector, [0] * LANES))

    def larger(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    def within(builder: Any, sums: Any, limit: Any) -> Any:
        near = builder.fcmp_ordered("<=", sums, in_all_lanes(builder, limit))
        return builder.zext(builder.bitcast(near, ir.IntType(LANES)), word)

    def repeat(builder: Any, end: Any, step: int, start: list[Any], body: Any) -> list[Any]:
        """Write a loop over so many at a time and return the number behind the last and what was carried along."""
        before, test = builder.block, builder.append_basic_block("test")
        loop, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.branch(test)
        builder.position_at_end(test)
        state = [builder.phi(value.type) for value in start]
        for phi, value in zip(state, start, strict=True):
            phi.add_incoming(value, before)
        following = builder.add(state[0], word(step))
        builder.cbranch(builder.icmp_signed("<=", following, end), loop, after)
        builder.position_at_end(loop)
        for phi, value in zip(state, (following, *body(*state)), strict=True):
            phi.add_incoming(value, builder.block)
        builder.branch(test)
        builder.position_at_end(after)
        return state

    def sum_of_squares(builder: Any, attributes: Any, gap_at: Any) -> Any:
        """Write the sums of all squares, in two, so that neither waits for the other."""

        def add(p: Any, *sums: Any) -> list[Any]:
            gaps = [gap_at(builder.add(p, word(i))) for i in range(2)]
            squares = [builder.fmul(gap, gap, flags=flags) for gap in gaps]
            return [builder.fadd(*each, flags=flags) for each in zip(sums, squares, strict=True)]

        _, *sums = repeat(builder, attributes, 2, [word(0), zeros, zeros], add)
        return builder.fadd(*sums, flags=flags)

    def size_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        return context.make_array(kind)(context, builder, array).nitems

    def added_squares(builder: Any, total: Any, gaps: Any) -> Any:
        """Write the sums of two squares that lie side by side, which is one instruction on most processors."""
        wide = builder.sext(gaps, ir.VectorType(half_word, ROWS))
        squares = builder.mul(wide, wide)
        evens, odds = (
            builder.shuffle_vector(squares, squares, ir.Constant(whole_vector, list(range(first, ROWS, 2))))
            for first in (0, 1)
        )
        return builder.add(total, builder.add(evens, odds))

    def sums_of_codes(context: Any, builder: Any, signature: Any, arguments: Any, totals: int, gaps_of: Any) -> Any:
        """Write a loop over pairs of attributes of codes, two vectors each, and which of the sums are small enough."""
        codes, start, query, pairs, most, sums, at = arguments
        kinds = signature.args
        block = place(context, builder, kinds[0], codes, start)
        sought = builder.bitcast(place(context, builder, kinds[2], query, word(0)), half_word.as_pointer())

        def add(p: Any, *before: Any) -> list[Any]:
            pair = builder.load(builder.gep(sought, [p]), align=2)
            value = builder.bitcast(in_all_lanes(builder, pair), codes_vector)
            pointer = builder.bitcast(builder.gep(block, [builder.mul(p, word(2 * ROWS))]), codes_vector.as_pointer())
            both = [builder.load(builder.gep(pointer, [word(i)]), align=2) for i in range(2)]
            pairs_of_gaps = gaps_of(builder, both, value)
            return [added_squares(builder, *each) for each in zip(before, pairs_of_gaps, strict=True)]

        _, *sums_of = repeat(builder, pairs, 1, [word(0), *[no_codes] * totals], add)
        out = builder.bitcast(place(context, builder, kinds[5], sums, at), whole_vector.as_pointer())
        lanes = word(0)
        for i, total in enumerate(sums_of):
            builder.store(total, builder.gep(out, [word(i)]), align=4)
            near = builder.shl(small_enough(builder, total, most), word(i * LANES))
            lanes = builder.or_(lanes, near)
        return lanes

    def small_enough(builder: Any, sums: Any, most: Any) -> Any:
        near = builder.icmp_signed("<=", sums, in_all_lanes(builder, builder.trunc(most, half_word)))
        return builder.zext(builder.bitcast(near, ir.IntType(LANES)), word)

    def _near_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def gaps_of(builder: Any, rows: Any, value: Any) -> list[Any]:
            return [builder.sub(row, value) for row in rows]

        return sums_of_codes(context, builder, signature, arguments, 2, gaps_of)

    def _near_leaves(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def gaps_of(builder: Any, ends: Any, value: Any) -> list[Any]:
            low, high = ends
            inside = builder.select(builder.icmp_signed(">", low, value), low, value)
            inside = builder.select(builder.icmp_signed("<", high, inside), high, inside)
            return [builder.sub(inside, value)]

        return sums_of_codes(context, builder, signature, arguments, 1, gaps_of)

    def _still_near(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, at, most = arguments
        return small_enough(builder, loaded_bits(context, builder, signature.args[0], sums, at), most)

    def loaded_bits(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
        return builder.bitcast(loaded(builder, place(context, builder, kind, array, at)), whole_vector)

    def _code_query(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        query, origins, start, per_unit, most, codes = arguments
        kinds = signature.args
        sought = place(context, builder, kinds[0], query, word(0))
        origin = place(context, builder, kinds[1], origins, start)
        out = place(context, builder, kinds[5], codes, word(0))
        factor, largest = in_all_lanes(builder, per_unit), in_all_lanes(builder, most)
        magic = ir.Constant(vector, [_MAGIC] * LANES)

        def write_codes(p: Any) -> list[Any]:
            gaps = builder.fsub(loaded(builder, builder.gep(sought, [p])), loaded(builder, builder.gep(origin, [p])))
            units = larger(builder, builder.fmul(gaps, factor), builder.fneg(largest))
            units = builder.select(builder.fcmp_ordered("<", units, largest), units, largest)
            bits = builder.bitcast(builder.fadd(units, magic), whole_vector)
            short = builder.trunc(bits, ir.VectorType(code, LANES))
            builder.store(short, builder.bitcast(builder.gep(out, [p]), short.type.as_pointer()), align=2)
            return []

        repeat(builder, size_of(context, builder, kinds[0], query), LANES, [word(0)], write_codes)
        return word(0)

    def _near_boxes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        boxes, start, query, attributes, limit, bounds, at = arguments
        kinds = signature.args
        block = place(context, builder, kinds[0], boxes, start)
        sought = place(context, builder, kinds[2], query, word(0))

        def gap_at(p: Any) -> Any:
            value = in_all_lanes(builder, builder.load(builder.gep(sought, [p])))
            lowest = builder.gep(block, [builder.mul(p, word(2 * LANES))])
            inside = larger(builder, loaded(builder, lowest), value)
            highest = loaded(builder, builder.gep(lowest, [word(LANES)]))
            inside = builder.select(builder.fcmp_ordered("<", highest, inside), highest, inside)
            return builder.fsub(inside, value, flags=flags)

        total = sum_of_squares(builder, attributes, gap_at)
        out = place(context, builder, kinds[5], bounds, at)
        builder.store(total, builder.bitcast(out, vector.as_pointer()), align=4)
        return within(builder, total, limit)

    def _nearest_lane(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bounds, at, lanes = arguments
        # No bound is negative, so they are in the order of their bits, the last of which make room for the lane.
        bits = loaded_bits(context, builder, signature.args[0], bounds, at)
        keys = builder.and_(bits, ir.Constant(whole_vector, [2**31 - LANES] * LANES))
        keys = builder.or_(keys, ir.Constant(whole_vector, list(range(LANES))))
        among = builder.bitcast(builder.trunc(lanes, ir.IntType(LANES)), ir.VectorType(ir.IntType(1), LANES))
        keys = builder.select(among, keys, ir.Constant(whole_vector, [2**31 - 1] * LANES))
        kind = ir.FunctionType(half_word, [whole_vector])
        name = f"llvm.vector.reduce.umin.v{LANES}i32"
        least = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.zext(builder.and_(builder.call(least, [keys]), half_word(LANES - 1)), word)

    array, codes, number, single_number = types.float32[::1], types.int16[::1], types.int64, types.float32
    write(code_query, _code_query, array, array, number, single_number, single_number, codes)
    write(near_rows, _near_rows, codes, number, codes, number, number, array, number)
    write(near_leaves, _near_leaves, codes, number, codes, number, number, array, number)
    write(still_near, _still_near, array, number, number)
    write(near_boxes, _near_boxes, array, number, array, number, single_number, array, number)
    write(nearest_lane, _nearest_lane, array, number, number)
