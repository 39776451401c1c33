# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""CSV tables."""
import csv

import numpy as np

from .error import PlotError


def read_table(path):
    """Columns by name; lines that begin with # are comments."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(line for line in stream if line.strip() and line[0] != "#"))
    except OSError as error:
        raise PlotError("'%s' cannot be read: %s" % (path, error.strerror))
    except (UnicodeDecodeError, csv.Error) as error:
        raise PlotError("'%s' is no CSV table: %s" % (path, error))
    if len(rows) < 2:
        raise PlotError("the table '%s' has no rows" % path)
    names = [name.strip() for name in rows[0]]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise PlotError("'%s': row %d has %d entries, the first %d" % (path, number, len(row),
                                                                          len(names)))
    try:
        return dict(zip(names, np.array(rows[1:], dtype=float).T))
    except ValueError as error:
        raise PlotError("'%s': numbers are expected below the names: %s" % (path, error))
