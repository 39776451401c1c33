#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Write the named code blocks of a Markdown document to files.

usage: extract.py DOCUMENT.md DIRECTORY

A block has a name if the line before it is **`NAME`**.
"""
import pathlib
import re
import sys

document, directory = map(pathlib.Path, sys.argv[1:])
blocks = re.findall(r"^\*\*`([\w.]+)`\*\*\n```\w*\n(.*?)^```$", document.read_text(), re.M | re.S)
if not blocks:
    sys.exit(f"extract.py: there is no named code block in {document}")
directory.mkdir(parents=True, exist_ok=True)
for name, text in blocks:
    (directory / name).write_text(text)
