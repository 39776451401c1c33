# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""What the programs plot and compare share. Needs numpy; pictures need matplotlib, those in space
PyVista."""
