# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""What the checks of results have in common: the run and its tables."""
import csv
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys


def go_on_with_vtk():
    """Go on with the Python that plot --setup has installed PyVista and VTK for; skipped without it."""
    sys.dont_write_bytecode = True
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(here)), "applications"))
    from saltus_results import environment
    if not environment.is_installed():
        print("SKIPPED: plot --setup installs PyVista and VTK")
        sys.exit(77)
    if os.path.realpath(sys.prefix) != os.path.realpath(environment.directory()):
        os.execv(environment.python(), [environment.python()] + sys.argv)


def run(command):
    """Run a program and show what it prints; its failure is that of the test, which is skipped where
    the GPU that the command asks for cannot be used."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout)
    if result.returncode == 1 and re.search("CUDA device [0-9]+ cannot be used", result.stdout):
        print("SKIPPED: there is no GPU for this run")
        sys.exit(77)
    if result.returncode != 0:
        sys.exit("FAILED: the exit status is %d" % result.returncode)
    return result.stdout


def read(path):
    """Columns of a CSV table by name; lines that begin with # are comments."""
    with open(path) as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def at_last_time(table):
    """The rows of the last time."""
    chosen = [i for i, time in enumerate(table["time"]) if time == table["time"][-1]]
    return {name: [column[i] for i in chosen] for name, column in table.items()}


def largest_at_last_time(extrema, quantity):
    """Largest absolute value of a quantity in the last row of a table of extrema."""
    return max(abs(extrema["%s_%s" % (quantity, which)][-1]) for which in ("minimum", "maximum"))


def crossing(x, y, value, begin, end):
    """Where y passes the value between begin and end, the last place if there are several."""
    places = [x[i] + (value - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])
              for i in range(len(x) - 1)
              if begin <= x[i] <= end and (y[i] - value) * (y[i + 1] - value) <= 0 != y[i + 1] - y[i]]
    return places[-1] if places else float("nan")


def expect(condition, what):
    print(what + (": good" if condition else ": BAD"))
    if not condition:
        sys.exit("FAILED: " + what)


def compare(directory, other, tolerance):
    """Expect the same files in two directories, and in their tables the same numbers but for
    tolerance, relative to the largest one of a column."""
    def files(where):
        return sorted(name for name in os.listdir(where) if not name.startswith("."))

    expect(files(directory) == files(other), "the same files: " + ", ".join(files(directory)))
    for name in files(directory):
        if not name.endswith(".csv"):
            continue
        table, other_table = read(directory + "/" + name), read(other + "/" + name)
        expect(list(table) == list(other_table), "the columns of " + name)
        for column, values in table.items():
            expect(len(values) == len(other_table[column]), "the rows of " + name)
            difference = max(abs(a - b) for a, b in zip(values, other_table[column]))
            relative = difference / (max(map(abs, values)) + 1e-3)
            expect(relative <= tolerance, "%s, %s: %.2g" % (name, column, relative))


def launcher_and_command(arguments):
    """What stands before and after the first --."""
    separator = arguments.index("--")
    return arguments[:separator], arguments[separator + 1:]


def write_vtu(path, points, cells, cell_type, fields):
    """Cells of one of VTK's types, [cell][vertex], and fields {name: [point] or [point][3]}."""
    def array(name, number, values, components=1):
        return ('<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="ascii">%s</DataArray>'
                % (number, name, components, " ".join(map(repr, values))))

    def flat(rows):
        return [float(x) for row in rows for x in row]
    data = "".join(array(name, "Float64", flat(values), 3) if hasattr(values[0], "__len__") else
                   array(name, "Float64", [float(x) for x in values])
                   for name, values in fields.items())
    offsets = [len(cells[0]) * (i + 1) for i in range(len(cells))]
    with open(path, "w") as stream:
        stream.write(
            '<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="%d" '
            'NumberOfCells="%d"><Points>%s</Points><Cells>%s%s%s</Cells><PointData>%s</PointData>'
            '</Piece></UnstructuredGrid></VTKFile>'
            % (len(points), len(cells), array("points", "Float64", flat(points), 3),
               array("connectivity", "Int32", [int(v) for cell in cells for v in cell]),
               array("offsets", "Int32", offsets), array("types", "UInt8", [cell_type] * len(cells)),
               data))


def write_series(path, files):
    """A PVD file of (time, VTU file beside it)."""
    with open(path, "w") as stream:
        stream.write('<VTKFile type="Collection"><Collection>%s</Collection></VTKFile>' % "".join(
            '<DataSet timestep="%r" part="0" file="%s"/>' % entry for entry in files))


def inside(script):
    """A function that runs a Python script with arguments within this process, where the libraries are
    loaded, and gives the message with which it ends, or nothing."""
    loader = importlib.machinery.SourceFileLoader(os.path.basename(script), script)
    program = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(program)

    def run(*arguments):
        sys.argv = [script, *arguments]
        try:
            program.main()
            return ""
        except program.PlotError as error:
            return str(error)
    return run
