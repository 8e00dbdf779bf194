"""Shapes of the pictures on method pages: records that move, levels that flow, cells that change, links that are right.

Everything is drawn with :mod:`discreet.drawing`, from a few records of the bundled, generated samples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from discreet.drawing import (
    AFTER,
    BEFORE,
    CHANCE,
    GRID,
    INK,
    PALETTE,
    RISK,
    Canvas,
    Plot,
    blended,
    legend_of_files,
    nice_limit,
    shortened,
    spelled,
    text_width,
)

LIGHT = blended(0.72, AFTER, "#ffffff")
Points = Sequence[tuple[float, float]]


def plane(before: Points, after: Mapping[int, tuple[float, float]], titles: tuple[str, str]) -> Canvas:
    """Draw records as grey dots, where each went as a green diamond, and the way; those left out are crosses."""
    canvas = Canvas(460, 316)
    plot = Plot(canvas, 62, 30, 380, 234)
    old, new = list(before), dict(after)
    scales = []
    for side in (0, 1):
        values = [point[side] for point in (*old, *new.values())]
        edge = 0.04 * (max(values) - min(values) or 1.0)
        make = plot.across if side == 0 else plot.upwards
        scales.append(make(min(values) - edge, max(values) + edge))
    across, upwards = scales
    plot.bottom_axis(across, titles[0], grid=False)
    plot.left_axis(upwards, titles[1], grid=False)
    for place, (x, y) in enumerate(old):
        if place in new:
            there = new[place]
            canvas.line([(across(x), upwards(y)), (across(there[0]), upwards(there[1]))], LIGHT, 1.5)
    for place, (x, y) in enumerate(old):
        kept = place in new
        canvas.dot(across(x), upwards(y), BEFORE if kept else RISK, "circle" if kept else "cross", radius=3)
    for x, y in new.values():
        canvas.dot(across(x), upwards(y), AFTER, "diamond", radius=4)
    legend_of_files(canvas, 62, 18, shapes=True)
    if len(new) < len(old):
        canvas.dot(206, 14, RISK, "cross")
        canvas.text(218, 18, "left out")
    return canvas


def flow(before: Sequence[str], after: Sequence[str], orders: tuple[Sequence[str], Sequence[str]]) -> Canvas:
    """Draw the levels of records at the left, those after at the right, and how many went from which to which."""
    pairs = Counter(zip(before, after, strict=True))
    sides = [Counter(before), Counter(after)]
    names = [
        [level for level in order if side[level]] + sorted(set(side) - set(order))
        for order, side in zip(orders, sides, strict=True)
    ]
    height, gap = 264.0, 6.0
    canvas = Canvas(460, 316)
    room = max(gap * (len(level_names) - 1) for level_names in names)
    per_record = (height - room) / len(before)
    tops: list[dict[str, float]] = []
    for side, level_names in enumerate(names):
        y, places = 34.0, {}
        for level in level_names:
            places[level] = y
            y += sides[side][level] * per_record + gap
        tops.append(places)
    used = [dict.fromkeys(places, 0.0) for places in tops]
    for old in names[0]:
        for new in names[1]:
            count = pairs[old, new]
            if count:
                width = count * per_record
                start, stop = (tops[i][level] + used[i][level] + width / 2 for i, level in enumerate((old, new)))
                used[0][old] += width
                used[1][new] += width
                same = old == new
                colour = blended(0.8, BEFORE, "#ffffff") if same else blended(0.45, AFTER, "#ffffff")
                canvas.line([(132, start), (328, stop)], colour, max(width, 0.6), label=f"{old} → {new}: {count}")
    for side, x in ((0, 122.0), (1, 328.0)):
        for level in names[side]:
            size = sides[side][level] * per_record
            canvas.rect(x, tops[side][level], 10, size, BEFORE if side == 0 else AFTER)
            anchor = "end" if side == 0 else "start"
            canvas.text(
                x - 6 if side == 0 else x + 16, tops[side][level] + size / 2 + 4, shortened(level, 104), anchor, 11
            )
    canvas.text(132, 18, "before", "end")
    canvas.text(328, 18, "after")
    return canvas


def cells(names: Sequence[str], before: Sequence[Sequence[str]], after: Sequence[Sequence[str] | None]) -> Canvas:
    """Draw two small tables; cells that changed are marked, a record that is left out is an empty row."""
    texts = [names, *before, *(row for row in after if row is not None)]
    widths = [min(max(text_width(row[i], 11) for row in texts) + 12, 108) for i in range(len(names))]
    one = sum(widths)
    canvas = Canvas(2 * one + 40, 56 + 24 * len(before))
    for title, left, rows in (("before", 4.0, before), ("after", one + 34.0, after)):
        canvas.text(left, 14, title)
        for place, row in enumerate([names, *rows]):
            x, y = left, 22 + 24.0 * place
            for column, width in enumerate(widths):
                text = "" if row is None else row[column]
                changed = place and rows is after and (row is None or text != before[place - 1][column])
                fill = LIGHT if changed else ("#ffffff" if place else GRID)
                canvas.rect(x, y, width, 22, fill, edge=GRID)
                canvas.text(x + 6, y + 15, shortened(text, width - 10, 11), size=11, colour=INK)
                x += width
    return canvas


def strips(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], alphabet: Sequence[str]) -> Canvas:
    """Draw sequences as rows of coloured cells, before at the left and after at the right."""
    longest = max(len(row) for row in (*before, *after))
    size = min(16.0, 200 / longest)
    legend_rows = math.ceil(len(alphabet) / 4)
    canvas = Canvas(460, 40 + 17 * len(before) + 18 * legend_rows)
    for title, left, rows in (("before", 6.0, before), ("after", 240.0, after)):
        canvas.text(left, 16, title)
        for place, row in enumerate(rows):
            for step, event in enumerate(row):
                colour = PALETTE[list(alphabet).index(event) % len(PALETTE)]
                canvas.rect(left + step * size, 24 + 17 * place, size - 1, 14, colour, label=event)
    for place, event in enumerate(alphabet):
        x, y = 6 + 113 * (place % 4), 38 + 17 * len(before) + 18 * (place // 4)
        canvas.rect(x, y - 9, 10, 10, PALETTE[place % len(PALETTE)])
        canvas.text(x + 14, y, shortened(event, 94, 11), size=11)
    return canvas


def lines(before: Points, after: Points, titles: tuple[str, str]) -> Canvas:
    """Draw a record that runs in time as a grey line, and what is released for it as a green one."""
    canvas = Canvas(330, 316)
    plot = Plot(canvas, 62, 30, 250, 234)
    scales = []
    for side, make in enumerate((plot.across, plot.upwards)):
        values = [point[side] for point in (*before, *after)]
        edge = 0.04 * (max(values) - min(values) or 1.0)
        scales.append(make(min(values) - edge, max(values) + edge))
    across, upwards = scales
    plot.bottom_axis(across, titles[0], grid=False)
    plot.left_axis(upwards, titles[1], grid=False)
    for points, colour, shape in ((before, BEFORE, "circle"), (after, AFTER, "diamond")):
        placed = [(across(x), upwards(y)) for x, y in points]
        canvas.line(placed, colour, 1.6)
        for x, y in placed:
            canvas.dot(x, y, colour, shape, radius=2.6)
    legend_of_files(canvas, 62, 18, shapes=True)
    return canvas


def pairs(best: Sequence[int], names: tuple[str, str] = ("what the intruder knows", "the release")) -> Canvas:
    """Draw for every record of the right column which record of the left it is linked with: right links lie level."""
    n = len(best)
    canvas = Canvas(330, 54 + 11 * n)
    canvas.text(60, 16, names[0], "middle", 11)
    canvas.text(270, 16, names[1], "middle", 11)
    for record, found in enumerate(best):
        right = found == record
        if found >= 0:
            ends = [(60.0, 30.0 + 11 * found), (270.0, 30.0 + 11 * record)]
            canvas.line(ends, AFTER if right else RISK, 1.6 if right else 1.0)
    for place in range(n):
        canvas.dot(60, 30 + 11 * place, BEFORE, radius=3)
        canvas.dot(270, 30 + 11 * place, AFTER, "diamond", radius=3.5)
    correct = sum(found == record for record, found in enumerate(best))
    canvas.text(165, 46 + 11 * n, f"{correct} of {n} right (green)", "middle")
    return canvas


def sizes(groups: Sequence[int], smallest: int) -> Canvas:
    """Draw every group of records with equal keys as a bar of its size, the small ones in another colour."""
    canvas = Canvas(330, 316)
    plot = Plot(canvas, 62, 30, 250, 234)
    ordered = sorted(groups)
    upwards = plot.upwards(0, nice_limit(max(ordered), 5))
    plot.left_axis(upwards, "records that share their keys")
    step = plot.width / len(ordered)
    for place, size in enumerate(ordered):
        y = upwards(size)
        colour = RISK if size < smallest else BEFORE
        canvas.rect(plot.left + place * step, y, max(step - 0.6, 0.6), plot.top + plot.height - y, colour)
    canvas.text(62, 18, f"groups of fewer than {smallest} in red", size=11)
    canvas.text(plot.left + plot.width / 2, 290, "groups", "middle")
    return canvas


def curve(
    points: Sequence[tuple[float, float]], chance: Sequence[float | None], titles: tuple[str, str], width: float = 330
) -> Canvas:
    """Draw a figure along a mask that grows, by doublings, with what guessing reaches as a dashed line."""
    canvas = Canvas(width, 316)
    plot = Plot(canvas, 62, 30, width - 80, 234)
    values = [value for _, value in points] + [value for value in chance if value is not None]
    low, high = min(0.0, *values), max(values)
    upwards = plot.upwards(low, nice_limit(high, 5) if high > 0 else 1.0)
    first, last = (math.log2(points[place][0]) for place in (0, -1))
    across = plot.across(first, last if last > first else first + 1)
    plot.left_axis(upwards, titles[1])
    canvas.line([(plot.left, 264), (plot.left + plot.width, 264)], BEFORE)
    for strength, _ in points:
        canvas.text(across(math.log2(strength)), 281, spelled(strength), "middle", 11)
    canvas.text(plot.left + plot.width / 2, 300, titles[0], "middle")
    line = [(across(math.log2(strength)), upwards(value)) for strength, value in points]
    canvas.line(line, AFTER, 2)
    for x, y in line:
        canvas.dot(x, y, AFTER, radius=3.5)
    dashed = [(x, upwards(value)) for (x, _), value in zip(line, chance, strict=True) if value is not None]
    if len(dashed) > 1:
        canvas.line(dashed, CHANCE, 1.5, dash="4 3")
        canvas.text(plot.left + plot.width, 22, "dashed: guessing", "end", 11)
    return canvas
