# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Charts of the rates that the program throughput prints."""
import matplotlib.pyplot as plt
import numpy as np

from .error import PlotError
from .figure import literal
from .reading import LARGEST, checked_name, checked_number, reading
from .throughput_table import THROUGHPUT_ROW, read_limits

LONGEST_LINE = 500  # that is matched in a short time


def read_throughput(path):
    """Limits, {shape: {(kernel, number): [(degree, GDoF/s, bytes, operations a DoF or None)]}}"""
    limits, tables = None, {}
    with reading(path, "output of throughput"), open(path, encoding="utf-8") as lines:
        for line in lines:
            if len(line) > LONGEST_LINE:
                continue
            limits = read_limits(line) or limits
            if limits and not all(0 < rate < LARGEST for rate in (limits.bandwidth, *limits.rates.values())):
                raise ValueError("the limits of the device are not positive numbers")
            row = THROUGHPUT_ROW.match(line)
            if row and limits:
                kernel, shape, degree, number, *numbers = row.groups()
                rate, size, operations = (n and checked_number(n, "in a row") for n in numbers)
                if size <= 0:
                    raise ValueError("the bytes of '%s' are not positive" % kernel)
                tables.setdefault(shape, {}).setdefault((checked_name(kernel), number), []).append(
                    (int(degree), rate, size, operations))
    if not tables:
        raise PlotError("'%s' holds no output of throughput" % path)
    return limits, tables


def axes_of_shapes(tables, height):
    """A figure, and for each shape its axes and its table."""
    figure, axes = plt.subplots(1, len(tables), figsize=(10, height), constrained_layout=True,
                                squeeze=False)
    shapes = sorted(tables.items(), reverse=True)
    for place, (shape, _) in zip(axes[0], shapes):
        place.set_title(shape)
        place.grid(alpha=0.3)
    return figure, [(place, kernels) for place, (_, kernels) in zip(axes[0], shapes)]


def draw_throughput(limits, tables):
    """Rates by degree, but for parts, beside the limit that the bytes set (dashed)."""
    figure, shapes = axes_of_shapes(tables, 4.5)
    for axes, kernels in shapes:
        for (kernel, number), rows in kernels.items():
            if kernel.startswith(" "):
                continue
            degrees, rates, sizes, _ = zip(*sorted(rows, key=lambda row: row[:3]))
            line, = axes.plot(degrees, rates, marker="o", label=literal("%s, %s" % (kernel, number)))
            axes.plot(degrees, limits.bandwidth / np.array(sizes), linestyle="--", linewidth=0.8,
                      color=line.get_color())
        axes.set_xlabel("degree")
        axes.set_ylabel("GDoF/s; dashed: limit by the fewest bytes")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")
    return figure


def draw_roofline(limits, tables):
    """Rates of operations by operations a byte, with degrees as numbers, under the roof that copy
    and multiply-adds set."""
    figure, shapes = axes_of_shapes(tables, 7)
    for axes, kernels in shapes:
        colors = {kernel: "C%d" % i for i, kernel in enumerate(dict.fromkeys(k for k, _ in kernels))}
        intensities = []
        for (kernel, number), rows in kernels.items():
            rows = sorted(row for row in rows if row[3])
            if not rows:
                continue
            degrees, rates, sizes, flops = map(np.array, zip(*rows))
            intensity, rate = flops / sizes, rates * flops / 1e3
            axes.loglog(intensity, rate, marker="o" if number == "double" else "s", markersize=3,
                        linewidth=0.8, color=colors[kernel],
                        label=literal("%s, %s" % (kernel.strip(), number)))
            for degree, x, y in zip(degrees, intensity, rate):
                axes.annotate(str(degree), (x, y), textcoords="offset points", xytext=(3, 2),
                              fontsize="xx-small")
            intensities += list(intensity)
        used = {number for _, number in kernels}
        for (name, rate), style in zip(limits.rates.items(), ("-", "--", ":")):
            if name.split(",")[0] in used and intensities:
                ridge = 1e3 * rate / limits.bandwidth
                x = np.array([min(intensities + [ridge]) / 2, ridge, 2 * max(intensities + [ridge])])
                axes.loglog(x, np.minimum(limits.bandwidth * x / 1e3, rate), color="black",
                            linestyle=style, linewidth=1, label="roof, %s" % name)
        axes.set_xlabel("operations a byte, of the fewest bytes")
        axes.set_ylabel("TFLOP/s")
        axes.legend(fontsize="x-small", ncol=2, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    return figure


