# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Draw a field of a result in ParaView at the last time, on curved elements. For 3D results the script draws
the middle plane and the outline of the domain.

usage: RESULT=FILE.pvd paraview --script=paraview_picture.py        in a window
       pvbatch paraview_picture.py FILE.pvd IMAGE.png [FIELD]       without a window

Without RESULT, the script draws the result open in the window: View, Python Shell, Run Script. FIELD defaults to
the first field of the file; a vector is drawn by its magnitude.
"""
import os
import sys

from paraview import simple

SUBDIVISIONS = 3  # halvings of an element's edge, so that curves look round
BESIDE = 1e-4     # of the height: in a plane in which faces lie, elements of their own points would leave holes
PIXELS = [1200, 900]


def opened(file):
    """The result in a file, or that which is open in the window."""
    try:
        source = simple.OpenDataFile(file) if file else simple.GetActiveSource()
    except RuntimeError as error:  # there is no such file
        sys.exit(f"paraview_picture: {error}")
    if source is None:
        sys.exit("paraview_picture: there is no result: open a .pvd or .vtu file first, or name it")
    return source


def chosen_field(source, name):
    """(name, is a vector) of a field of the result."""
    source.UpdatePipeline()
    names = [source.PointData[i].Name for i in range(len(source.PointData))]
    name = name or next(iter(names), None)
    if name not in names:
        sys.exit(f"paraview_picture: the result has no field '{name}'; it has: {', '.join(names) or 'none'}")
    return name, source.PointData[name].GetNumberOfComponents() > 1


def slice_of(source, bounds):
    """The plane z = const. in the middle."""
    plane = simple.Slice(Input=source)
    plane.SliceType.Normal = [0, 0, 1]
    plane.SliceType.Origin = [0, 0, bounds[4] + (0.5 + BESIDE) * (bounds[5] - bounds[4])]
    return plane


def show(source, view, field, is_vector):
    shown = simple.Show(source, view)
    shown.NonlinearSubdivisionLevel = SUBDIVISIONS
    shown.Ambient, shown.Diffuse = 1, 0  # colors show values, not light
    simple.ColorBy(shown, ("POINTS", field, "Magnitude") if is_vector else ("POINTS", field))
    shown.RescaleTransferFunctionToDataRange(False, True)
    shown.SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(simple.GetColorTransferFunction(field), view)
    bar.RangeLabelFormat = "%.3g"


def draw(source, view, field, is_vector):
    """Draw a result at its last time."""
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.GoToLast()
    source.UpdatePipeline(view.ViewTime)
    bounds = source.GetDataInformation().GetBounds()
    in_space = bounds[5] > bounds[4]
    if in_space:
        simple.Show(source, view).SetRepresentationType("Outline")
        show(slice_of(source, bounds), view, field, is_vector)
    else:
        view.InteractionMode = "2D"
        show(source, view, field, is_vector)
    simple.ResetCamera(view)
    camera = simple.GetActiveCamera()
    if in_space:
        camera.Azimuth(30)
        camera.Elevation(30)
    camera.Zoom(0.8)  # leaves space for the color bar
    simple.Render(view)


def main(file=None, picture=None, field=None):
    source = opened(file or os.environ.get("RESULT"))
    chosen = chosen_field(source, field)
    view = simple.GetActiveViewOrCreate("RenderView")
    draw(source, view, *chosen)
    if picture:
        simple.SaveScreenshot(picture, view, ImageResolution=PIXELS)


main(*sys.argv[1:4])
