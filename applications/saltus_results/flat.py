# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Pictures of plane results."""
import matplotlib
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.tri import Triangulation

from .error import PlotError
from .vtu import range_of

LARGEST_RATIO = 1e6  # of width and height: both have the same scale


def parse_isolines(text):
    """A number N of isolines, or the list of their levels, increasing: LOW:HIGH:STEP or A,B,..."""
    try:
        if text.isdecimal():
            return int(text)
        if ":" in text:
            low, high, step = map(float, text.split(":"))
            if not low < high or not step > 0:
                raise ValueError
            if (high - low) / step > 10000:
                raise ValueError
            levels = low + step * np.arange(int((high - low) / step * (1 + 1e-12)) + 1)
            # What rounding leaves of zero is not negative.
            return np.where(abs(levels) < 1e-9 * abs(step), 0, levels)
        levels = np.array([float(level) for level in text.split(",")])
        if not np.all(np.isfinite(levels)):
            raise ValueError
        return np.unique(levels)
    except (ValueError, OverflowError, MemoryError):
        raise PlotError("--isolines '%s': expected a number of isolines, levels as -1,0,1 or "
                        "LOW:HIGH:STEP, as -1:1:0.05" % text)


def isoline_levels(isolines, low, high, values, scale):
    """What parse_isolines() gave as levels, those that the values pass; a number of them lies evenly
    between low and high. None where the values, beside the scale, are constant. And their distance."""
    least, most = np.nanmin(values), np.nanmax(values)
    if most - least <= 5e-7 * scale:  # some roundings of single precision
        return np.array([]), 0
    levels = np.linspace(low, high, isolines + 2)[1:-1] if isinstance(isolines, int) else isolines
    distance = np.diff(levels).min() if len(levels) > 1 else high - low
    return levels[(least < levels) & (levels < most)], distance


def without_noise(values, levels, distance):
    """The values, but above a level where they are that level, but for noise that is small beside the
    distance of levels: where nothing happens no isolines are drawn."""
    noise = 1e-3 * distance
    for level in levels:
        values = np.where(abs(values - level) < noise, level + noise, values)
    return values


def joined(points, triangles, values):
    """The mesh with one value at each place, the mean of the cells' there: lines that do not end at
    the cells' faces, so that dashes show. None without a triangle of finite values."""
    size = max(np.ptp(points[:, :2], axis=0).max(), 1e-30)
    _, number = np.unique(np.round(points[:, :2] / (1e-7 * size)), axis=0, return_inverse=True)
    number = number.ravel()
    finite = np.isfinite(values)  # of values that are no numbers nothing is drawn
    count = np.bincount(number)
    x, y = (np.bincount(number, v) / count for v in (points[:, 0], points[:, 1]))
    means = np.bincount(number, np.where(finite, values, 0)) / np.maximum(np.bincount(number, finite), 1)
    a, b, c = number[triangles[finite[triangles].all(axis=1)]].T
    whole = (a != b) & (b != c) & (c != a)
    return (Triangulation(x, y, np.stack([a, b, c], axis=1)[whole]), means) if whole.any() else None


def in_window(points, triangles, window):
    """The triangles that are not all to one side of it."""
    corners = points[triangles][:, :, :2]
    low, high = np.array(window).reshape(2, 2).T
    inside = np.all((corners.max(axis=1) > low) & (corners.min(axis=1) < high), axis=1)
    if not inside.any():
        raise PlotError("nothing is in the --window")
    return triangles[inside]


def outlines(points, triangles):
    """Edges [edge][vertex] of only one triangle: of elements, curved ones too, as elements do not share
    points. Of all triangles where they do, in files of other programs."""
    size = max(np.ptp(points, axis=0).max(), 1e-30)
    _, number = np.unique(np.round(points / (1e-7 * size)), axis=0, return_inverse=True)
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    return edges if number.max() + 1 == len(points) else edges[count == 1]


class FlatPanel:
    """A plane result in a picture, with equal axes."""

    def __init__(self, points, triangles, values, options, axis_names="xy"):
        self.options, self.axis_names = options, axis_names
        self.scale = np.nanmax(abs(values))  # also beyond the window
        if options.window:
            triangles = in_window(points, triangles, options.window)
        used, numbers = np.unique(triangles, return_inverse=True)
        self.points, self.values = points[used], values[used]
        self.triangles = numbers.reshape(triangles.shape)
        corners = np.array(options.window).reshape(2, 2).T if options.window else self.points[:, :2]
        self.size = np.maximum(np.ptp(corners, axis=0), 1e-30)
        if self.size.max() > LARGEST_RATIO * self.size.min():
            raise PlotError("a part of %g by %g is too narrow for an image" % tuple(self.size))
        self.range = range_of(self.values, "the --window")

    def draw(self, axes, low, high):
        """What the colour bar shows."""
        options, x, y = self.options, self.points[:, 0], self.points[:, 1]
        colors = axes.tripcolor(Triangulation(x, y, self.triangles), self.values, shading="gouraud",
                                cmap=options.colormap, vmin=low, vmax=high, rasterized=True)
        levels, distance = isoline_levels(options.isolines, low, high, self.values, self.scale)
        values = without_noise(self.values, levels, distance)
        levels = levels[(np.nanmin(values) < levels) & (levels < np.nanmax(values))]
        mesh = joined(self.points, self.triangles, values) if len(levels) > 0 else None
        if mesh:
            with matplotlib.rc_context({"contour.negative_linestyle": "dashed",
                                        "lines.dashed_pattern": (8, 5)}):
                axes.tricontour(*mesh, levels=levels, colors="black", linewidths=0.4)
        if options.mesh:
            edges = self.points[:, :2][outlines(self.points[:, :2], self.triangles)]
            axes.add_collection(LineCollection(edges, colors="black", linewidths=0.3, alpha=0.7))
        axes.set_aspect("equal")
        axes.set_xlabel(self.axis_names[0])
        axes.set_ylabel(self.axis_names[1])
        axes.margins(0)
        if options.window:
            axes.axis(options.window)
        return colors
