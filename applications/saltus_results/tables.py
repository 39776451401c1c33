# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""CSV tables."""
import csv

import numpy as np

from .reading import LARGEST, checked_name, reading


def read_table(path):
    """Columns by name; lines that begin with # are comments."""
    with reading(path, "CSV table"), open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(line for line in stream if line.strip() and line[0] != "#"))
        if len(rows) < 2:
            raise ValueError("it has no rows")
        names = [checked_name(name.strip()) for name in rows[0]]
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        for number, row in enumerate(rows[1:], 2):
            if len(row) != len(names):
                raise ValueError("row %d has %d entries, the first %d" % (number, len(row), len(names)))
        table = dict(zip(names, np.array(rows[1:], dtype=float).T))
        for name in ("time", "point"):
            if not np.all(abs(table.get(name, np.zeros(1))) < LARGEST):
                raise ValueError("the column '%s' has an entry that is not finite" % name)
        return table
