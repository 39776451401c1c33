# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Planes through tetrahedra, and lines through triangles and tetrahedra."""
import re

import numpy as np

from .error import PlotError


class Section:
    """Triangles where a function of the vertices, linear in each tetrahedron, is zero. Where that is
    in faces those of the elements below count, above where none is below."""

    def __init__(self, points, tetrahedra, function, rounding):
        function = np.where(abs(function) <= rounding, 0, function)
        low, high, triangles, n_points = [], [], [], 0
        for corners_low, corners_high in self.pieces(points, tetrahedra, function, rounding):
            corners = n_points + np.arange(corners_low.size).reshape(corners_low.shape)
            low.append(corners_low.ravel())
            high.append(corners_high.ravel())
            n_points += corners_low.size
            triangles += [corners[:, [0, i, i + 1]] for i in range(1, corners.shape[1] - 1)]
        low, high = np.concatenate(low), np.concatenate(high)
        # A point that is a vertex is so on each of the edges that end there.
        low = np.where(function[high] == 0, high, low)
        (self.low, self.high), number = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        triangles = number.ravel()[np.concatenate(triangles)]
        a, b, c = triangles.T
        self.triangles = triangles[(a != b) & (b != c) & (c != a)]
        span = function[self.low] - function[self.high]
        self.weight = np.divide(function[self.low], span, out=np.zeros(len(span)), where=span != 0)

    @staticmethod
    def pieces(points, tetrahedra, function, rounding):
        """Vertices below and above at the ends of the edges that are cut, around each section."""
        order = np.argsort(function[tetrahedra], axis=1)
        sorted_tets = np.take_along_axis(tetrahedra, order, axis=1)
        n_below = np.sum(function[sorted_tets] < 0, axis=1)
        # Edges (a, b) that are cut, by the number of vertices below zero.
        for count, edges in {1: [(0, 1), (0, 2), (0, 3)], 2: [(0, 2), (0, 3), (1, 3), (1, 2)],
                             3: [(0, 3), (1, 3), (2, 3)]}.items():
            a, b = np.transpose(edges)
            yield sorted_tets[n_below == count][:, a], sorted_tets[n_below == count][:, b]
        on_faces = np.sum(function[sorted_tets] == 0, axis=1) == 3

        def centres(vertices):
            size = max(np.ptp(points, axis=0).max(), 1e-30)
            return [tuple(row) for row in np.round(points[vertices].mean(axis=1) / (1e-6 * size))]
        below = set(centres(sorted_tets[on_faces & (n_below == 1)][:, 1:]))
        above = sorted_tets[on_faces & (n_below == 0)][:, :3]
        alone = above[np.array([centre not in below for centre in centres(above)], dtype=bool)]
        yield alone, alone

    def is_empty(self):
        return len(self.triangles) == 0

    def values(self, of_vertices):
        """At its points, from [vertex] or [vertex][component]."""
        low, high = of_vertices[self.low], of_vertices[self.high]
        weight = self.weight if of_vertices.ndim == 1 else self.weight[:, None]
        return low + weight * (high - low)


def slice_tetrahedra(points, tetrahedra, axis, position):
    rounding = 8 * np.finfo(points.dtype).eps * max(abs(points[:, axis]).max(), abs(position))
    section = Section(points, tetrahedra, points[:, axis].astype(float) - position, rounding)
    if section.is_empty():
        raise PlotError("the plane %s = %g misses the mesh, which reaches from %g to %g there"
                        % ("xyz"[axis], position, points[:, axis].min(), points[:, axis].max()))
    return section


def parse_slice(text, points):
    if text is None:
        return 2, 0.5 * (points[:, 2].min() + points[:, 2].max())
    axis, equal, position = text.partition("=")
    try:
        return "xyz".index(axis.strip() or "?"), float(position)
    except ValueError:
        raise PlotError("--slice '%s': expected for instance 'z=0.5'" % text)


def parse_line(text):
    """Begin and end, [2][3], of a line written as in parameter files."""
    number = r"\s*([-+.\deE]+)\s*"
    point = r"\s*\(%s,%s(?:,%s)?\)\s*" % (number, number, number)
    match = re.fullmatch(point + "to" + point, text)
    try:
        line = np.array([float(x or 0) for x in match.groups()]).reshape(2, 3)
        if np.linalg.norm(line[1] - line[0]) > 0:
            return line
    except (AttributeError, ValueError):
        pass
    raise PlotError("--line '%s': expected for instance '(0, 0.5) to (1, 0.5)'" % text)


def along_line(points, simplices, values, line):
    """Pairs of places and values, in the order of the line: the ends of its part in each simplex, in
    which the values are linear. They jump where those of neighbours do. Places are distances from the
    line's beginning."""
    dim = simplices.shape[1] - 1
    begin, direction = line[0], line[1] - line[0]
    size = max(np.ptp(points, axis=0).max(), 1e-30)
    # Only those that the line may meet.
    corners = points[simplices].astype(float)
    low, high = line.min(axis=0) - 1e-7 * size, line.max(axis=0) + 1e-7 * size
    near = np.all((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low), axis=1)
    simplices, corners = simplices[near], corners[near][:, :, :dim]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    whole = abs(np.linalg.det(edges)) > 1e-14 * np.prod(np.linalg.norm(edges, axis=1), axis=1)
    simplices, corners, edges = simplices[whole], corners[whole], edges[whole]
    # Barycentric coordinates at + s * slope, all of which are positive inside.
    at = np.linalg.solve(edges, (begin[:dim] - corners[:, 0])[:, :, None])[:, :, 0]
    slope = np.linalg.solve(edges, np.broadcast_to(direction[:dim], at.shape)[:, :, None])[:, :, 0]
    at = np.concatenate([1 - at.sum(axis=1, keepdims=True), at], axis=1)
    slope = np.concatenate([-slope.sum(axis=1, keepdims=True), slope], axis=1)
    flat = abs(slope) < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -at / slope
    first = np.max(np.where(~flat & (slope > 0), crossing, 0), axis=1).clip(0, 1)
    last = np.min(np.where(~flat & (slope < 0), crossing, 1), axis=1).clip(0, 1)
    inside = (last - first > 1e-9) & np.all(~flat | (at > -1e-6), axis=1)

    def at_places(s):
        return np.sum((at + s[:, None] * slope) * values[simplices], axis=1)
    rows = np.stack([first, last, at_places(first), at_places(last)], axis=1)[inside]
    # A line between elements is in all of them: one speaks.
    kept, end = [], -1.0
    for row in rows[np.argsort(rows[:, 0], kind="stable")]:
        if 0.5 * (row[0] + row[1]) > end:
            kept.append(row)
            end = row[1]
    if not kept:
        raise PlotError("the --line misses the mesh")
    kept = np.array(kept)
    return kept[:, :2].ravel() * np.linalg.norm(direction), kept[:, 2:].ravel()
