# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""The Python packages that pictures in space need, in an environment of their own."""
import importlib.util
import os
import subprocess
import sys

from .error import PlotError

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")


def directory():
    """In the build directory of a checkout, else in the user's cache, or what SALTUS_PLOT_ENVIRONMENT
    says."""
    checkout = os.path.dirname(os.path.dirname(HERE))
    if os.environ.get("SALTUS_PLOT_ENVIRONMENT"):
        return os.path.abspath(os.environ["SALTUS_PLOT_ENVIRONMENT"])
    if os.path.exists(os.path.join(checkout, "bootstrap")):
        return os.path.join(checkout, "build", "requirements", "plot")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "saltus", "plot")


def python():
    return os.path.join(directory(), "bin", "python")


def is_installed():
    """What is listed, and all of it."""
    try:
        with open(REQUIREMENTS) as wanted, open(os.path.join(directory(), "installed.txt")) as there:
            return wanted.read() == there.read()
    except OSError:
        return False


def install():
    print("plot: installing PyVista and VTK in %s (once; a download of 150 MB, 800 MB on the disk)"
          % directory(), file=sys.stderr)
    commands = [[sys.executable, "-m", "venv", "--clear", directory()],
                [python(), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                 "--require-hashes", "-r", REQUIREMENTS]]
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            lines = (result.stderr + result.stdout).strip().splitlines() or ["no message"]
            raise PlotError(
                "PyVista, which draws in space, could not be installed:\n  %s\nIt needs Python 3.11 "
                "to 3.14 with the module venv (Debian: python3-venv) and a package index (pip's "
                "configuration says which). Where there is none, install the packages of\n  %s\nfor "
                "the python3 that runs this. Planes through a result, --slice and --line, do without."
                % ("\n  ".join(lines[-3:]), REQUIREMENTS))
    with open(REQUIREMENTS) as wanted, open(os.path.join(directory(), "installed.txt"), "w") as there:
        there.write(wanted.read())


def enter(may_install):
    """Go on with a Python that has PyVista: this one or, begun anew, that of the environment."""
    if importlib.util.find_spec("pyvista") and importlib.util.find_spec("vtkmodules"):
        return
    if os.path.realpath(sys.prefix) == os.path.realpath(directory()):
        raise PlotError("the packages in %s are not whole; remove that directory" % directory())
    if not is_installed():
        if not may_install:
            raise PlotError("a surface in 3D needs PyVista, which 'plot --setup' installs")
        install()
    sys.stdout.flush()
    os.execv(python(), [python()] + sys.argv)
