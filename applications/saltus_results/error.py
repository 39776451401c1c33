# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Errors of the programs that read results."""
import contextlib
import os
import re
import resource
import sys


class PlotError(Exception):
    """An error that ends the program with one message."""

    def __init__(self, text):
        super().__init__(text if len(text) <= 2000 else text[:2000] + " ...")


def limit_memory():
    """Let allocations beyond the available memory raise MemoryError."""
    numbers = {}
    for path in ("/proc/meminfo", "/proc/self/status"):
        with open(path) as stream:
            numbers.update(re.findall(r"(\w+):\s*(\d+) kB", stream.read()))
    available = 1024 * (int(numbers["MemAvailable"]) + int(numbers["VmData"]))
    with contextlib.suppress(OSError, ValueError), open("/sys/fs/cgroup/memory.max") as limit:
        available = min(available, int(limit.read()))
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA,
                       (available if soft == resource.RLIM_INFINITY else min(soft, available), hard))


def run(program, main, status=1):
    """Result of main(). An error ends the program with this exit status."""
    limit_memory()
    try:
        result = main()
        sys.stdout.flush()
        return result
    except PlotError as error:
        text = error
    except MemoryError:
        text = "the available memory is too small"
    except OSError as error:  # of standard output, which Python would flush again
        text = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print("%s: %s" % (program, text), file=sys.stderr)
    sys.exit(status)
