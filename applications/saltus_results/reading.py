# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Checks for files that other programs may have written or damaged."""
import contextlib
import csv
import os
import resource
import zlib

from .error import PlotError

LARGEST = 1e35  # of coordinates, values and times, also in single precision


@contextlib.contextmanager
def reading(path, kind):
    """Turn everything that a file of this kind may raise while it is read into a PlotError with its name."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise PlotError("'%s' is no regular file" % path)
        if os.path.getsize(path) > resource.getrlimit(resource.RLIMIT_DATA)[0] > 0:
            raise MemoryError
        yield
    except OSError as error:
        raise PlotError("'%s' cannot be read: %s" % (path, error.strerror))
    except MemoryError:
        raise PlotError("'%s' needs more memory than is available" % path)
    except (csv.Error, zlib.error, SyntaxError, RecursionError, ArithmeticError, LookupError, TypeError,
            ValueError) as error:
        raise PlotError("'%s' is no %s, or is damaged: %s" % (path, kind, error)) from error


def checked_name(text):
    """A name that can be printed."""
    if not text or len(text) > 255 or not text.isprintable():
        raise ValueError("names of 1 to 255 printable characters are expected, not %s" % ascii(text))
    return text


def checked_number(value, place):
    """A finite number, from text or from another number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = LARGEST
    if not abs(number) < LARGEST:
        raise ValueError("a number below %g is expected %s, not %s" % (LARGEST, place, ascii(value)))
    return number


def nearest_time(times, time, path):
    """The one that is nearest to a time within their range."""
    first, last = min(times), max(times)
    outside = max(first - time, time - last)
    if outside > 0.01 * (last - first) + 1e-6 * abs(time):
        raise PlotError("--time %g: '%s' has times from %g to %g" % (time, path, first, last))
    return min(times, key=lambda other: abs(other - time))
