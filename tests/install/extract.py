#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Write the named code blocks of Markdown documents to files.

usage: extract.py DOCUMENT.md... DIRECTORY

A block has a name if the line before it is **`NAME`**. Blocks of one name in a document are parts of one
file, in their order.
"""
import pathlib
import re
import sys

*documents, directory = map(pathlib.Path, sys.argv[1:])
directory.mkdir(parents=True, exist_ok=True)
for document in documents:
    files = {}
    for name, text in re.findall(r"^\*\*`([\w.]+)`\*\*\n```\w*\n(.*?)^```$", document.read_text(), re.M | re.S):
        files[name] = files.get(name, "") + text
    if not files:
        sys.exit(f"extract.py: there is no named code block in {document}")
    for name, text in files.items():
        (directory / name).write_text(text)
