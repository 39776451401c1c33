# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Files of VTK's XML formats: points, cells cut into simplices, fields and the time."""
import base64
import itertools
import math
import os
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np

from .error import PlotError

# VTK's number of a cell type -> (vertices a cell, simplices that it is cut into)
CELL_TYPES = {
    5: (3, [(0, 1, 2)]),
    9: (4, [(0, 1, 2), (0, 2, 3)]),
    10: (4, [(0, 1, 2, 3)]),
    12: (8, [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]),
}
LAGRANGE_CELLS = {69: 2, 71: 3}  # VTK's number of a curved cell of any order -> dimension
NUMBER_TYPES = {"Float32": "f4", "Float64": "f8", "Int8": "i1", "UInt8": "u1", "Int32": "i4",
                "UInt32": "u4", "Int64": "i8", "UInt64": "u8"}


def parse_xml(path):
    try:
        return ElementTree.parse(path).getroot()
    except OSError as error:
        raise PlotError("'%s' cannot be read: %s" % (path, error.strerror))
    except ElementTree.ParseError as error:
        raise PlotError("'%s' is no VTU or PVD file, or is incomplete: %s" % (path, error))


def series_of(root, path):
    """Times and VTU files of a PVD series."""
    entries = [(float(entry.get("timestep")), os.path.join(os.path.dirname(path), entry.get("file")))
               for entry in root.iter("DataSet")]
    if not entries:
        raise PlotError("the series '%s' is empty" % path)
    return entries


def open_at(path, time):
    """Root of a VTU file, or of that in a series which is nearest to a time, the last one if none is
    given; its path, and the series' time."""
    root, time_in_series = parse_xml(path), None
    if root.get("type") == "Collection":
        series = series_of(root, path)
        time_in_series, path = (series[-1] if time is None else
                                min(series, key=lambda entry: abs(entry[0] - time)))
        root = parse_xml(path)
    if root.get("type") != "UnstructuredGrid":
        raise PlotError("'%s' is no VTU or PVD file" % path)
    return root, path, time_in_series


def decode(array, header_type, compressed):
    """Numbers of a DataArray in format `ascii` or `binary` (base64, perhaps in zlib blocks)."""
    dtype = np.dtype("<" + NUMBER_TYPES[array.get("type")])
    text = "".join((array.text or "").split())
    if array.get("format") == "ascii":
        return np.array((array.text or "").split(), dtype=dtype)
    if not compressed:
        return np.frombuffer(base64.b64decode(text)[header_type.itemsize:], dtype=dtype)

    def encoded_length(size):
        return (size + 2) // 3 * 4
    item = header_type.itemsize
    n_blocks = int(np.frombuffer(base64.b64decode(text[:encoded_length(3 * item)])[:item],
                                 header_type)[0])
    end_of_header = encoded_length((3 + n_blocks) * item)
    header = np.frombuffer(base64.b64decode(text[:end_of_header]), header_type)
    body, start, blocks = base64.b64decode(text[end_of_header:]), 0, []
    for size in header[3:3 + n_blocks]:
        blocks.append(zlib.decompress(body[start:start + int(size)]))
        start += int(size)
    return np.frombuffer(b"".join(blocks), dtype=dtype)


def read_vtu(root, path):
    """Points [point][3], simplices [simplex][vertex], fields {name: [point][component]}, time."""
    header_type = np.dtype("<" + NUMBER_TYPES[root.get("header_type", "UInt32")])
    compressed = root.get("compressor") is not None

    def arrays(parent, section):
        element = parent.find(section)
        return [] if element is None else [
            (a.get("Name"), int(a.get("NumberOfComponents") or 1), decode(a, header_type, compressed))
            for a in element.iter("DataArray")]

    points, simplices, fields, n_points = [], [], {}, 0
    for piece in root.iter("Piece"):
        if int(piece.get("NumberOfPoints")) == 0:
            continue
        points.append(arrays(piece, "Points")[0][2].reshape(-1, 3))
        cells = {name: values for name, _, values in arrays(piece, "Cells")}
        simplices.append(n_points + cut_into_simplices(cells, path))
        for name, n_components, values in arrays(piece, "PointData"):
            fields.setdefault(name, []).append(values.reshape(-1, n_components))
        n_points += len(points[-1])
    if not points:
        raise PlotError("'%s' holds no cells" % path)
    time = [values[0] for name, _, values in arrays(root.find("UnstructuredGrid"), "FieldData")
            if name == "TIME"]
    return (np.concatenate(points), np.concatenate(simplices),
            {name: np.concatenate(parts) for name, parts in fields.items()},
            time[0] if time else None)


def lagrange_nodes(corners, order):
    """Nodes of VTK's Lagrange triangle or tetrahedron between corners that are order steps apart."""
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
    edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)][:3 if len(corners) == 3 else 6]
    nodes = corners + [between(corners[a], corners[b], step)
                       for a, b in edges for step in range(1, order)]
    if len(corners) == 4:
        for face in [(0, 1, 3), (2, 3, 1), (0, 3, 2), (0, 2, 1)]:
            nodes += inside([corners[v] for v in face])
    return nodes + inside(corners)


def lagrange_pieces(dim, n_nodes):
    """The linear simplices between the nodes of a Lagrange cell."""
    order = next(k for k in range(1, n_nodes) if math.comb(k + dim, dim) >= n_nodes)
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


def cut_into_simplices(cells, path):
    types, connectivity = cells["types"], cells["connectivity"].astype(np.int64)
    ends = cells["offsets"].astype(np.int64)
    result = []
    for cell_type in np.unique(types):
        these = types == cell_type
        if cell_type in LAGRANGE_CELLS:  # of one order in a file
            n_vertices = np.diff(ends, prepend=0)[these][0]
            pieces = lagrange_pieces(LAGRANGE_CELLS[cell_type], n_vertices)
        elif cell_type in CELL_TYPES:
            n_vertices, pieces = CELL_TYPES[cell_type]
        else:
            raise PlotError("'%s' holds cells of VTK's type %d; triangles, quadrilaterals, "
                            "tetrahedra and hexahedra can be drawn" % (path, cell_type))
        vertices = connectivity[(ends[these] - n_vertices)[:, None] + np.arange(n_vertices)]
        result += [vertices[:, piece] for piece in pieces]
    if len({part.shape[1] for part in result}) > 1:
        raise PlotError("'%s' holds cells of different dimensions" % path)
    return np.concatenate(result)


def choose_field(fields, name, path):
    """Values of a field; the magnitude of a vector. The first scalar field if no name is given."""
    if name is None:
        name = next((n for n in fields if fields[n].shape[1] == 1), next(iter(fields), None))
    if name not in fields:
        raise PlotError("'%s' has no field '%s'; it has: %s"
                        % (path, name, ", ".join(sorted(fields)) or "none"))
    values = fields[name]
    if values.shape[1] == 1:
        return name, values[:, 0].astype(float)
    return "|%s|" % name, np.linalg.norm(values.astype(float), axis=1)


