# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Files of VTK's XML formats: points, cells cut into simplices, fields and the time."""
import base64
import collections
import itertools
import math
import os
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np

from .error import PlotError
from .reading import LARGEST, checked_name, checked_number, nearest_time, reading

# VTK's number of a cell type -> (vertices a cell, simplices that it is cut into)
CELL_TYPES = {
    3: (2, [(0, 1)]),
    5: (3, [(0, 1, 2)]),
    9: (4, [(0, 1, 2), (0, 2, 3)]),
    10: (4, [(0, 1, 2, 3)]),
    12: (8, [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]),
}
LAGRANGE_CELLS = {68: 1, 69: 2, 71: 3}  # VTK's number of a curved cell of any order -> dimension
NUMBER_TYPES = {"Float32": "f4", "Float64": "f8", "Int8": "i1", "UInt8": "u1", "Int16": "i2", "UInt16": "u2",
                "Int32": "i4", "UInt32": "u4", "Int64": "i8", "UInt64": "u8"}
HIGHEST_ORDER = 20  # of Lagrange cells

# Points [point][3], simplices [simplex][vertex], fields {name: [point][component]}, time or None, cells.
# Cells are VTK's numbers of their types, a zero and the ends of their vertex lists, and these lists.
Result = collections.namedtuple("Result", "points simplices fields time cells")


def chosen(element, name, accepted, default=None):
    """The value that stands for an attribute."""
    text = element.get(name, default)
    if text not in accepted:
        raise ValueError("%s=%s in <%s>; accepted: %s"
                         % (name, ascii(text), element.tag, ", ".join(map(str, accepted))))
    return accepted[text]


def count(element, name, default=None):
    text = element.get(name, default)
    if not text or not text.isdecimal():
        raise ValueError("%s=%s in <%s> is no number" % (name, ascii(text), element.tag))
    return int(text)


def parse_xml(path):
    with reading(path, "VTU or PVD file"):
        return ElementTree.parse(path).getroot()


def series_of(root, path):
    """Times and VTU files of a PVD series."""
    entries = []
    with reading(path, "PVD series"):
        for entry in root.iter("DataSet"):
            file = checked_name(entry.get("file"))
            if os.path.isabs(file) or ".." in file.split("/"):
                raise ValueError("the file '%s' is not in its directory" % file)
            entries.append((checked_number(entry.get("timestep"), "as the time of '%s'" % file),
                            os.path.join(os.path.dirname(path), file)))
    if not entries:
        raise PlotError("the series '%s' is empty" % path)
    return entries


def has_lines(root, path):
    """Whether the cells of a VTU file are lines."""
    with reading(path, "VTU file"):
        for piece in root.iter("Piece"):
            n_cells = count(piece, "NumberOfCells")
            if n_cells:
                return integers(child(piece, "Cells", "types"), root, n_cells)[0] in (3, 68)
    return False


def open_at(path, time):
    """Root of a VTU file, or of that in a series which is nearest to a time, the last one if none is
    given; its path, and the series' time."""
    root, time_in_series = parse_xml(path), None
    if root.get("type") == "Collection":
        series = series_of(root, path)
        if time is not None:
            time = nearest_time([entry[0] for entry in series], time, path)
        time_in_series, path = next((entry for entry in series if entry[0] == time), series[-1])
        root = parse_xml(path)
    if root.get("type") != "UnstructuredGrid":
        raise PlotError("'%s' is no VTU or PVD file" % path)
    return root, path, time_in_series


def inflated(text, integer, n_bytes):
    """The bytes of base64 text in zlib blocks. Headers and blocks that differ from n_bytes are errors."""
    def length(n_integers):
        return (n_integers * integer.itemsize + 2) // 3 * 4

    def header(n):
        data = base64.b64decode(text[:length(n)], validate=True)
        return [int(i) for i in np.frombuffer(data, integer, min(n, len(text)))]
    n_blocks, size, last = header(3)
    if n_blocks * size + (last - size if n_blocks and last else 0) != n_bytes:
        raise ValueError("the blocks of an array do not have the %d bytes that are declared" % n_bytes)
    body, start, blocks = base64.b64decode(text[length(3 + n_blocks):], validate=True), 0, []
    for i, packed in enumerate(header(3 + n_blocks)[3:]):
        expected = last if last and i == n_blocks - 1 else size
        stream = zlib.decompressobj()
        blocks.append(stream.decompress(body[start:start + packed], expected + 1))
        if len(blocks[-1]) != expected or not stream.eof:
            raise ValueError("a compressed block does not have the %d bytes that are declared" % expected)
        start += packed
    return b"".join(blocks)


def decode(array, root, n_numbers):
    """Numbers of a DataArray in format `ascii` or `binary` (base64, perhaps in zlib blocks)."""
    order = chosen(root, "byte_order", {"LittleEndian": "<", "BigEndian": ">"}, "LittleEndian")
    dtype = np.dtype(order + chosen(array, "type", NUMBER_TYPES))
    text = array.text or ""
    if chosen(array, "format", {"ascii": True, "binary": False}):
        values = np.array(text.split(), dtype=dtype)
    else:
        integer = np.dtype(order + chosen(root, "header_type", {"UInt32": "u4", "UInt64": "u8"}, "UInt32"))
        text = "".join(text.split())
        if chosen(root, "compressor", {None: False, "vtkZLibDataCompressor": True}):
            data = inflated(text, integer, n_numbers * dtype.itemsize)
        else:
            data = base64.b64decode(text, validate=True)[integer.itemsize:]
        values = np.frombuffer(data, dtype=dtype)
    if len(values) != n_numbers:
        raise ValueError("the array '%s' has %d numbers instead of %d"
                         % (array.get("Name"), len(values), n_numbers))
    return values


def child(element, section, name=None):
    """The array with this name, or the first one, in a section of a piece."""
    for array in element.iterfind(section + "/DataArray"):
        if name in (None, array.get("Name")):
            return array
    raise ValueError("a piece has no array '%s' in <%s>" % (name or section, section))


def integers(array, root, n_numbers):
    values = decode(array, root, n_numbers)
    if values.dtype.kind == "f":
        raise ValueError("the array '%s' does not have integers" % array.get("Name"))
    return values.astype(np.int64)


def read_vtu(root, path):
    """The Result in a VTU file. Its sizes, vertices and coordinates are checked."""
    points, types, ends, vertices, fields = [], [], [np.zeros(1, int)], [], {}
    with reading(path, "VTU file"):
        n_points = 0
        for piece in root.iter("Piece"):
            n, n_cells = count(piece, "NumberOfPoints"), count(piece, "NumberOfCells")
            if n == 0 or n_cells == 0:
                continue
            points.append(decode(child(piece, "Points"), root, 3 * n).reshape(n, 3))
            types.append(integers(child(piece, "Cells", "types"), root, n_cells))
            ends_here = integers(child(piece, "Cells", "offsets"), root, n_cells)
            here = integers(child(piece, "Cells", "connectivity"), root, int(ends_here[-1]))
            if np.diff(ends_here, prepend=0).min() < 1 or here.min() < 0 or here.max() >= n:
                raise ValueError("a cell has no vertices, or vertices that are not in its piece")
            ends.append(ends[-1][-1] + ends_here)
            vertices.append(n_points + here)
            for array in piece.iterfind("PointData/DataArray"):
                components = max(count(array, "NumberOfComponents", "1"), 1)
                fields.setdefault(checked_name(array.get("Name")), []).append(
                    decode(array, root, n * components).reshape(n, components))
            n_points += n
        if not points:
            raise ValueError("it holds no cells")
        fields = {name: np.concatenate(parts) for name, parts in fields.items()}
        for name, values in fields.items():
            if len(values) != n_points:
                raise ValueError("the field '%s' does not have one value at each point" % name)
        points = np.concatenate(points)
        points = points.astype(np.result_type(points, np.float32), copy=False)
        if not np.all(abs(points) < LARGEST) or np.ptp(points, axis=0).max() < 1 / LARGEST:
            raise ValueError("coordinates are not finite, or all are equal")
        cells = tuple(map(np.concatenate, (types, ends, vertices)))
        times = [checked_number(decode(array, root, 1)[0], "as TIME")
                 for array in root.iterfind("UnstructuredGrid/FieldData/DataArray") if array.get("Name") == "TIME"]
        return Result(points, cut_into_simplices(*cells, path), fields, times[0] if times else None, cells)


def lagrange_nodes(corners, order):
    """Nodes of VTK's Lagrange line, triangle or tetrahedron between corners that are order steps apart."""
    if order == 0:
        return corners[:1]

    def between(a, b, step):
        return tuple(p + step * (q - p) // order for p, q in zip(a, b))

    def inside(corners):
        if order < len(corners):
            return []
        inner = [tuple(p + sum(other[i] - p for other in corners) // order
                       for i, p in enumerate(corner)) for corner in corners]
        return lagrange_nodes(inner, order - len(corners))
    edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)][:{2: 1, 3: 3, 4: 6}[len(corners)]]
    nodes = corners + [between(corners[a], corners[b], step)
                       for a, b in edges for step in range(1, order)]
    if len(corners) == 2:
        return nodes
    if len(corners) == 4:
        for face in [(0, 1, 3), (2, 3, 1), (0, 3, 2), (0, 2, 1)]:
            nodes += inside([corners[v] for v in face])
    return nodes + inside(corners)


def lagrange_pieces(dim, n_nodes):
    """The linear simplices between the nodes of a Lagrange cell."""
    order = next((k for k in range(1, HIGHEST_ORDER + 1) if math.comb(k + dim, dim) == n_nodes), None)
    if order is None:
        raise ValueError("no Lagrange cell of order 1 to %d has %d points" % (HIGHEST_ORDER, n_nodes))
    corners = [tuple(order * (i == j) for j in range(dim + 1)) for i in range(dim + 1)]
    # In these coordinates, order >= x_0 >= x_1 >= ..., the pieces are halves or sixths of cubes.
    number = {tuple(sum(node[d + 1:]) for d in range(dim)): i
              for i, node in enumerate(lagrange_nodes(corners, order))}
    pieces = []
    for lowest in number:
        for directions in itertools.permutations(range(dim)):
            path = [lowest]
            for d in directions:
                path.append(tuple(x + (i == d) for i, x in enumerate(path[-1])))
            if all(node in number for node in path):
                pieces.append(tuple(number[node] for node in path))
    return pieces


def cut_into_simplices(types, ends, vertices, path):
    """Of cells whose vertices are between ends, [simplex][vertex]."""
    result, sizes = [], np.diff(ends)
    for cell_type in np.unique(types):
        these = types == cell_type
        n_vertices = sizes[these][0]
        if cell_type in LAGRANGE_CELLS:  # of one order in a file
            pieces = lagrange_pieces(LAGRANGE_CELLS[cell_type], n_vertices)
        elif cell_type in CELL_TYPES:
            n_vertices, pieces = CELL_TYPES[cell_type]
        else:
            raise PlotError("'%s' holds cells of VTK's type %d; lines, triangles, "
                            "quadrilaterals, tetrahedra and hexahedra can be drawn" % (path, cell_type))
        if np.any(sizes[these] != n_vertices):
            raise ValueError("cells of VTK's type %d do not have %d points each" % (cell_type, n_vertices))
        corners = vertices[ends[:-1][these, None] + np.arange(n_vertices)]
        result += [corners[:, piece] for piece in pieces]
    if len({part.shape[1] for part in result}) > 1:
        raise PlotError("'%s' holds cells of different dimensions" % path)
    return np.concatenate(result)


def drawable(values):
    """NaN in the place of values that are too large to be drawn."""
    return np.where(abs(values) < LARGEST, values, np.nan)


def range_of(values, name):
    """Smallest and largest value."""
    if np.all(np.isnan(values)):
        raise PlotError("'%s' has no finite value to draw" % name)
    return np.nanmin(values), np.nanmax(values)


def component_of(fields, name):
    """Vector and number of the component that `velocity_y` names, as tables do; else the name and None."""
    vector, _, axis = name.rpartition("_")
    if name not in fields and vector in fields and axis in ("x", "y", "z") and fields[vector].shape[1:] == (3,):
        return vector, "xyz".index(axis)
    return name, None


def choose_field(fields, name, path):
    """Values of a field, of a component of a vector, or of its magnitude. Without a name the first scalar field."""
    if name is None:
        name = next((n for n in fields if fields[n].shape[1] == 1), next(iter(fields), ""))
    field, component = component_of(fields, name)
    if field not in fields:
        raise PlotError("'%s' has no field '%s'; it has: %s"
                        % (path, name, ", ".join(sorted(fields)) or "none"))
    values = drawable(fields[field].astype(float))
    label, values = (name, values[:, component or 0]) if component is not None or values.shape[1] == 1 else (
        "|%s|" % name, np.linalg.norm(values, axis=1))
    range_of(values, name)
    return label, values
