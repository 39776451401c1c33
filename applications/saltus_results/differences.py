# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Differences of two results, as rows (name, L2 norm, maximum norm, maximum of the first)."""
import json

import numpy as np

from .error import PlotError
from .reading import nearest_time, reading
from .tables import read_table
from .vtu import open_at, read_vtu


def norms(name, a, b, weights):
    """The L2 norm is over the sum of the weights: a root mean square."""
    difference = np.abs(a - b).reshape(len(a), -1)
    l2 = np.sqrt(np.sum(weights[:, None] * difference**2) / np.sum(weights))
    return name, l2, difference.max(), np.abs(a).max()


def compare_tables(path_a, path_b, time=None):
    """Row by row; of all times, or of the one that is nearest."""
    a, b = (read_table(path) for path in (path_a, path_b))
    for path, table in ((path_a, a), (path_b, b)):
        if time is not None and "time" in table:
            rows = table["time"] == nearest_time(table["time"], time, path)
            for name in list(table):
                table[name] = table[name][rows]
    lengths = [len(next(iter(table.values()))) for table in (a, b)]
    if lengths[0] != lengths[1]:
        raise PlotError("'%s' has %d rows, '%s' %d" % (path_a, lengths[0], path_b, lengths[1]))
    weights = np.ones(lengths[0])
    return (sorted(set(a) ^ set(b)), [norms(name, a[name], b[name], weights) for name in a if name in b])


def numbers_of(value, path=""):
    """Numbers of a JSON value by their paths, without memory and balances, which are rounding."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {path: np.array([float(value)])}
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()
    return {where: number for name, part in parts if "memory" not in str(name) and not str(name).startswith("balance of")
            for where, number in numbers_of(part, "%s/%s" % (path, name) if path else str(name)).items()}


def compare_records(path_a, path_b, time=None):
    """What records of runs say of results: of their cycles and errors."""
    records = []
    for path in (path_a, path_b):
        with reading(path, "JSON record of a run"), open(path, encoding="utf-8") as stream:
            record = json.load(stream)
            records.append(numbers_of({name: record[name] for name in ("cycles", "errors") if name in record}))
        if "cycles" not in record:
            raise PlotError("'%s' is no record of a run" % path)
    a, b = records
    return (sorted(set(a) ^ set(b)), [norms(name, a[name], b[name], np.ones(1)) for name in a if name in b])


def sorted_by_place(points, simplices):
    """An order of the points that does not depend on that of the elements, and where they are. Points
    of several elements at one place are told apart by the middles of their elements."""
    size = max(np.ptp(points, axis=0).max(), 1e-30)
    middles, count = np.zeros(points.shape), np.zeros(len(points))
    for corner in simplices.T:
        np.add.at(middles, corner, points[simplices].mean(axis=1))
        np.add.at(count, corner, 1)
    middles /= np.maximum(count, 1)[:, None]
    # A part of a step is added so that round numbers are not between two steps.
    keys = np.floor(np.concatenate([points, middles], axis=1) / (1e-6 * size) + 0.37)
    order = np.lexsort(keys.T[::-1])
    return order, points[order], size


def measures(points, simplices):
    """Of each point: its share of the volumes, areas, of its simplices."""
    edges = points[simplices[:, 1:]] - points[simplices[:, :1]]
    gram = np.einsum("nik,njk->nij", edges, edges)
    volumes = np.sqrt(np.maximum(np.linalg.det(gram), 0))
    result = np.zeros(len(points))
    for corner in simplices.T:
        np.add.at(result, corner, volumes)
    return result


def compare_fields(path_a, path_b, time=None):
    """At the points of VTU files, or of those in series, of one mesh in any order and of one time."""
    data, times = [], []
    for path in (path_a, path_b):
        root, path, time_in_series = open_at(path, time)
        points, simplices, fields, time_in_file, _ = read_vtu(root, path)
        times.append(time_in_file if time_in_series is None else time_in_series)
        points = points.astype(float)
        order, places, size = sorted_by_place(points, simplices)
        data.append((places, size, {name: values[order].astype(float)
                                    for name, values in fields.items()},
                     measures(points, simplices)[order]))
    (places_a, size, a, weights), (places_b, _, b, _) = data
    if None not in times and abs(times[0] - times[1]) > 1e-6 * max(map(abs, times)):
        raise PlotError("'%s' is of time %.10g, '%s' of time %.10g" % (path_a, times[0], path_b, times[1]))
    if places_a.shape != places_b.shape or abs(places_a - places_b).max() > 1e-5 * size:
        raise PlotError("'%s' and '%s' are on different meshes, or of different points an element"
                        % (path_a, path_b))
    both = [name for name in a if name in b and a[name].shape == b[name].shape]
    return (sorted((set(a) | set(b)) - set(both)),
            [norms(name, a[name], b[name], weights) for name in both], times[0])
