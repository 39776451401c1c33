# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Charts of tables, and of fields along lines."""
import matplotlib.pyplot as plt
import numpy as np

from .error import PlotError
from .figure import literal
from .reading import nearest_time
from .tables import read_table
from .vtu import drawable

MOST_CURVES = 200


def column(table, name, path):
    if name not in table:
        raise PlotError("'%s' has no column '%s'; it has: %s" % (path, name, ", ".join(table)))
    return table[name]


def parse_condition(text):
    name, equal, value = text.rpartition("=")
    try:
        if equal:
            return name.strip(), float(value)
    except ValueError:
        pass
    raise PlotError("--where '%s': expected for instance 'boundary=2'" % text)


def rows_where(table, rows):
    return {name: values[rows] for name, values in table.items()}


def at_one_time(table, time, path):
    """The rows of the time that is nearest, the last if none is given."""
    chosen = table["time"][-1] if time is None else nearest_time(table["time"], time, path)
    return rows_where(table, table["time"] == chosen), chosen


class Curve:
    def __init__(self, x, y, label, dots=False, time=None):
        self.x, self.y, self.label, self.dots, self.time = drawable(x), drawable(y), label, dots, time


def curves_of_table(path, label, options):
    """Columns over the first one that says where, or over the time, and names of the axes."""
    table = read_table(path)
    for text in options.where or []:
        name, value = parse_condition(text)
        values = column(table, name, path)
        table = rows_where(table, abs(values - value) <= 1e-9 * max(1, abs(value)))
        if not len(table[name]):
            raise PlotError("--where '%s': no row of '%s' is so; %s has values from %g to %g"
                            % (text, path, name, values.min(), values.max()))
    names = list(table)
    of_points = "point" in table  # whose rows of a time are no line
    many = "time" in table and len(set(table["time"])) < len(table["time"]) and not of_points
    places = [n for n in ("distance", "arc_length", "x", "time") if n in table]
    x = options.x or (next((n for n in places if many or n == "time"), names[0]))
    column(table, x, path)
    time = None
    if x != "time" and "time" in table and (many or of_points):
        table, time = at_one_time(table, options.time, path)
    no_values = {x, "time", "point", "boundary", "curve", "arc_length", "distance", "x", "y", "z",
                 "step", "step size"}
    wanted = options.y or [next((n for n in names if n not in no_values), names[-1])]
    result = []
    for y in wanted:
        column(table, y, path)
        points = np.unique(table["point"]) if of_points and x == "time" else []
        if len(points) > MOST_CURVES:
            raise PlotError("'%s' has %d points; --where point=NUMBER selects one" % (path, len(points)))
        parts = [(number, rows_where(table, table["point"] == number)) for number in points] or [(None, table)]
        for number, rows in parts:
            words = [label] + ([y] if len(wanted) > 1 else []) + (
                ["point %d" % number] if number is not None else [])
            steps = np.diff(rows[x])
            # What goes to and fro, around a body for example, is shown as dots.
            dots = options.markers or np.any(steps > 0) and np.any(steps < 0)
            result.append(Curve(rows[x], rows[y], ", ".join(word for word in words if word), dots,
                                time))
    return result, x, wanted[0] if len(wanted) == 1 else ""


def draw_curves(curves, x, y, options):
    if not any(np.any(np.isfinite(curve.x) & np.isfinite(curve.y)) for curve in curves):
        raise PlotError("no row of '%s' over '%s' has finite values" % (y, x))
    figure, axes = plt.subplots(figsize=(10, 6), constrained_layout=True)
    for curve in curves:
        axes.plot(curve.x, curve.y, "." if curve.dots else "-", markersize=3, linewidth=1.2,
                  label=literal(curve.label) or None)
    axes.set_xlabel(literal(x.replace("_", " ")))
    axes.set_ylabel(literal(y.replace("_", " ")))
    axes.grid(alpha=0.3)
    if options.log:
        for scale, axis in ((axes.set_xscale, "x"), (axes.set_yscale, "y")):
            if axis in options.log:
                scale("log")
    if options.window:
        axes.axis(options.window)
    elif options.range:
        axes.set_ylim(*options.range)
    if options.flip:
        axes.invert_yaxis()
    times = {curve.time for curve in curves}
    if len(times) == 1 and None not in times:
        axes.set_title("t = %.6g" % times.pop())
    if len(curves) > 1:
        axes.legend(fontsize="small")
    return figure
