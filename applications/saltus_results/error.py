# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
class PlotError(Exception):
    """What the user is told."""
