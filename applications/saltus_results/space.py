# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Pictures of results in space, by VTK, without a display."""
import functools
import os

import numpy as np

import pyvista
import vtkmodules.vtkFiltersGeneral

from .error import PlotError
from .sections import parse_slice
from .vtu import component_of, drawable, range_of

CURVED = 68, 74  # VTK's numbers of Lagrange cells begin and end here
LIGHTING = {"smooth_shading": True, "specular": 0.25, "specular_power": 20, "ambient": 0.15}


def scalars(mesh, name, path):
    """Name and label of a field or of a component, which of a vector is its magnitude."""
    fields = mesh.point_data
    if name is None:
        name = next((n for n in fields.keys() if fields[n].ndim == 1), next(iter(fields.keys()), None))
    vector, component = component_of(fields, name or "")
    if component is not None:
        fields[name] = fields[vector][:, component]
    if name not in fields:
        raise PlotError("'%s' has no field '%s'; it has: %s"
                        % (path, name, ", ".join(sorted(fields.keys())) or "none"))
    if fields[name].ndim == 1:
        return name, name
    label = "|%s|" % name
    fields[label] = np.linalg.norm(fields[name], axis=1)
    return label, label


def joined(result):
    """The elements joined: at points that several share, the mean of theirs."""
    types, ends, vertices = result.cells
    mesh = pyvista.UnstructuredGrid(np.insert(vertices, ends[:-1], np.diff(ends)), types.astype(np.uint8),
                                    result.points)
    for name, values in result.fields.items():
        values = drawable(values.astype(float))
        mesh.point_data[name] = values[:, 0] if values.shape[1] == 1 else values
    size = max(np.ptp(np.reshape(mesh.bounds, (3, 2)), axis=1).max(), 1e-30)
    return mesh.clean(tolerance=1e-7 * size, merging_array_name=None, remove_unused_points=True,
                      average_point_data=True, progress_bar=False)


def is_curved(mesh):
    return bool(np.any((mesh.celltypes >= CURVED[0]) & (mesh.celltypes <= CURVED[1])))


def straightened(mesh, depth=3):
    """Lagrange cells cut into pieces, as small as their geometry and their fields want."""
    if not is_curved(mesh):
        return mesh
    size = max(np.ptp(np.reshape(mesh.bounds, (3, 2)), axis=1).max(), 1e-30)
    tessellator = vtkmodules.vtkFiltersGeneral.vtkTessellatorFilter()
    tessellator.SetInputData(mesh)
    tessellator.SetMaximumNumberOfSubdivisions(depth)
    tessellator.SetChordError(1e-3 * size)
    tessellator.ResetFieldCriteria()
    for number in range(mesh.GetPointData().GetNumberOfArrays()):
        values = mesh.GetPointData().GetArray(number)
        if values.GetNumberOfComponents() == 1:
            low, high = values.GetRange()
            tessellator.SetFieldCriterion(number, max(2e-3 * (high - low), 1e-30))
    tessellator.MergePointsOn()
    tessellator.Update()
    return pyvista.wrap(tessellator.GetOutput())


def draws(window):
    """Whether VTK can draw with this kind of window; where libraries are missing it crashes."""
    child = os.fork()
    if child == 0:
        os.environ["VTK_DEFAULT_OPENGL_WINDOW"] = window
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        try:
            plotter = pyvista.Plotter(off_screen=True, window_size=(16, 16))
            plotter.set_background("white")
            os._exit(0 if plotter.screenshot(return_img=True).min() == 255 else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


@functools.lru_cache(maxsize=None)
def choose_window():
    """One of VTK's windows that works, those first that need no display."""
    name = "VTK_DEFAULT_OPENGL_WINDOW"
    windows = [os.environ[name]] if name in os.environ else [
        "vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow", "vtkXOpenGLRenderWindow"]
    for window in windows:
        if draws(window):
            os.environ[name] = window
            return
    raise PlotError("VTK cannot draw here (%s): it needs the libraries of EGL or OSMesa (Debian: "
                    "libegl1 with libgl1-mesa-dri, or libosmesa6)" % ", ".join(windows))


def parse_direction(text):
    """From where the viewer looks."""
    try:
        if text.strip("+-") in ("x", "y", "z") and len(text) <= 2:
            return np.eye(3)["xyz".index(text[-1])] * (-1 if text[0] == "-" else 1)
        direction = np.array([float(part) for part in text.split(",")])
        if direction.shape == (3,) and np.linalg.norm(direction) > 0:
            return direction / np.linalg.norm(direction)
    except ValueError:
        pass
    raise PlotError("--view '%s': expected where the viewer stands, as x, -y or 1,-2,1" % text)


def isosurface(mesh, text, path):
    name, equal, level = text.rpartition("=")
    try:
        level = float(level)
    except ValueError:
        equal = ""
    if not equal:
        raise PlotError("--isosurface '%s': expected for instance 'Q_criterion=0.5'" % text)
    name, _ = scalars(mesh, name.strip(), path)
    surface = mesh.contour([level], scalars=name)
    if surface.n_points == 0:
        raise PlotError("--isosurface '%s': the values reach from %g to %g"
                        % (text, *mesh.get_data_range(name)))
    return surface


def streamlines(mesh, text, path):
    """Through points spread evenly over the elements, as tubes."""
    name, _, number = text.partition("=")
    try:
        number = int(number or 100)
    except ValueError:
        number = 0
    if number < 1:
        raise PlotError("--streamlines '%s': expected for instance 'velocity=200'" % text)
    if name not in mesh.point_data or mesh.point_data[name].ndim != 2:
        vectors = [n for n in mesh.point_data.keys() if mesh.point_data[n].ndim == 2]
        raise PlotError("'%s' has no vector field '%s'; it has: %s"
                        % (path, name, ", ".join(vectors) or "none"))
    volumes = np.cumsum(abs(mesh.compute_cell_sizes(length=False, area=False)["Volume"]))
    chosen = np.searchsorted(volumes, volumes[-1] * (np.arange(number) + 0.5) / number)
    seeds = pyvista.PolyData(mesh.cell_centers().points[chosen])
    lines = mesh.streamlines_from_source(seeds, vectors=name, integration_direction="both",
                                         interpolator_type="cell", max_length=2 * mesh.length)
    if lines.n_cells == 0:
        raise PlotError("--streamlines '%s': there are none, the field is zero" % text)
    return lines.tube(radius=1.5e-3 * mesh.length)


def outer_surface(mesh):
    return mesh.extract_surface(algorithm="dataset_surface", nonlinear_subdivision=3).clean()


class SpacePanel:
    """What the options show of a result, seen from where they say."""

    def __init__(self, result, path, options):
        parse_direction(options.view)
        self.options, self.size = options, np.array([10.0, 8.0])
        whole = joined(result)
        self.bounds, self.surface_of_file = whole.bounds, set(whole.celltypes) <= {5, 9, 69, 70}
        self.mesh = whole
        if options.window:
            whole = self.crop(whole)
        self.label = scalars(whole, options.field, path)[1]
        self.whole = whole
        self.pieces = [piece for piece in self.shown(path) if piece.n_points > 0]
        if not self.pieces:
            raise PlotError("nothing is in the --window")
        values = np.concatenate([piece.point_data[self.label] for piece in self.pieces])
        self.range = range_of(values, self.label)

    def crop(self, mesh):
        """Elements are cut at the planes of the window."""
        self.bounds = self.options.window
        cropped = straightened(mesh).clip_box(self.options.window, invert=False)
        if cropped.n_cells == 0:
            raise PlotError("nothing is in the --window")
        return cropped

    def shown(self, path):
        options, fine = self.options, straightened(self.whole)
        scalars(fine, options.field, path)
        pieces = []
        if options.isosurface:
            pieces.append(isosurface(fine, options.isosurface, path))
        if options.streamlines:
            pieces.append(streamlines(fine, options.streamlines, path))
        for text in options.slice or []:
            axis, position = parse_slice(text, fine.points)
            pieces.append(self.plane(axis, position))
        if options.surface or self.surface_of_file or not pieces:
            scalars(self.mesh, options.field, path)
            pieces.append(self.cut(outer_surface(self.mesh)))
        return pieces

    def plane(self, axis, position):
        """Also where it is the end of the mesh."""
        mesh = straightened(self.mesh)
        scalars(mesh, self.options.field, "")
        low, high = mesh.bounds[2 * axis:2 * axis + 2]
        inwards = 1e-7 * (high - low)
        if low - inwards <= position <= high + inwards:
            position = np.clip(position, low + inwards, high - inwards)
        plane = mesh.slice(normal=np.eye(3)[axis], origin=np.eye(3)[axis] * position)
        if plane.n_points == 0:
            raise PlotError("the plane %s = %g misses the mesh, which reaches from %g to %g there"
                            % ("xyz"[axis], position, low, high))
        return self.cut(plane)

    def cut(self, surface):
        """What the window shows of the mesh's surface, without that of the window."""
        if not self.options.window:
            return surface
        window = np.reshape(self.options.window, (3, 2))
        wider = window + np.ptp(window, axis=1)[:, None] * [-1e-6, 1e-6]  # with what is in its sides
        return surface.clip_box(wider.ravel(), invert=False)

    def outline(self):
        """The edges of the elements on the mesh's surface with --mesh, curved as they are, else of its box."""
        if not self.options.mesh:
            return pyvista.Box(self.bounds).extract_all_edges()
        return self.cut(curved_edges(self.mesh))

    def write(self, path):
        """The geometry that is drawn, with the fields, for other programs."""
        pyvista.merge(self.pieces).extract_surface(algorithm="dataset_surface").save(path)

    def image(self, low, high):
        choose_window()
        options = self.options
        pixels = [int(round(options.dpi * inches)) for inches in (8.5, 6.8)]
        plotter = pyvista.Plotter(off_screen=True, window_size=pixels, lighting="three lights")
        plotter.set_background("white")
        for piece in self.pieces:
            flat = piece.n_points and np.ptp(np.reshape(piece.bounds, (3, 2)), axis=1).min() == 0
            if "Normals" not in piece.point_data and not flat:
                piece = piece.extract_surface(algorithm="dataset_surface").compute_normals(
                    cell_normals=False, split_vertices=True, feature_angle=50)
            plotter.add_mesh(piece, scalars=self.label, clim=(low, high), cmap=options.colormap,
                             show_scalar_bar=False, **({"lighting": False} if flat else LIGHTING))
        outline = self.outline()
        if outline.n_points > 0:
            plotter.add_mesh(outline, color="black", line_width=1, lighting=False,
                             opacity=0.6 if options.mesh else 0.4)
        direction = parse_direction(options.view)
        centre = np.reshape(self.bounds, (3, 2)).mean(axis=1)
        up = (0, 1, 0) if abs(direction[2]) > 0.99 else (0, 0, 1)
        plotter.camera_position = [centre + direction, centre, up]
        plotter.reset_camera(bounds=self.bounds)
        plotter.camera.zoom(1.05)
        plotter.add_axes(color="black", line_width=2, viewport=(0, 0, 0.16, 0.16))
        plotter.enable_anti_aliasing("ssaa")
        image = plotter.screenshot(return_img=True)
        plotter.close()
        return image

    def draw(self, axes, low, high):
        import matplotlib.pyplot as plt
        axes.imshow(self.image(low, high), interpolation="antialiased")
        axes.set_axis_off()
        return plt.cm.ScalarMappable(plt.Normalize(low, high), self.options.colormap)


def curved_edges(mesh):
    """Edges of the elements on the surface of a mesh."""
    if not is_curved(mesh):
        return mesh.extract_surface(algorithm="dataset_surface").extract_all_edges()
    # Pieces of one face have the number of their element in common.
    fine = mesh.extract_surface(algorithm="dataset_surface", nonlinear_subdivision=3, pass_cellid=True)
    triangles = fine.triangulate()
    owner, faces = triangles.cell_data["vtkOriginalCellIds"], triangles.regular_faces
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    tagged = np.column_stack([edges, np.repeat(owner, 3)])
    unique, count = np.unique(tagged, axis=0, return_counts=True)
    lines = np.unique(unique[count == 1][:, :2], axis=0)
    return pyvista.PolyData(fine.points, lines=np.insert(lines, 0, 2, axis=1).ravel())
