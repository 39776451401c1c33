# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Lines that the program throughput prints."""
import re

# What throughput measures of the device, and a row of its table: kernel, shape, degree, number,
# DoFs, seconds, GDoF/s and, where they are known, the fewest bytes a degree of freedom, a fraction
# and the operations a degree of freedom. Parts of what stands above are indented.
LIMITS = re.compile(r"^Copy: (\d+) GB/s; multiply-adds: (\S+) TFLOP/s double, ([\d.]+) float"
                    r"(?:, (\S+) double on tensor cores)?")
THROUGHPUT_ROW = re.compile(r"^( *\S.*?)\s+(triangle|tetrahedron|quadrilateral|hexahedron)\s+(\d+)\s+(double|float)\s+\d+"
                            r"\s+\S+\s+(\S+)\s+([\d.]+)\s+\S+(?:\s+([\d.]+))?")


class Limits:
    """GB/s and TFLOP/s: of a large copy, and of multiply-adds {what is said of them: rate}."""

    def __init__(self, groups):
        bandwidth, *rates = (float(group) if group else None for group in groups)
        self.bandwidth = bandwidth
        names = ("double", "float", "double, tensor cores")
        self.rates = {name: rate for name, rate in zip(names, rates) if rate}


def read_limits(line):
    """None if it is another line."""
    found = LIMITS.match(line)
    return Limits(found.groups()) if found else None
