# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Sphinx' configuration of the site, which scripts/site builds from what it gathers.

Sphinx with MyST and Furo: all three are maintained; the guides stay plain Markdown; references are
checked while it builds; the search works on files that no server serves; and Furo has a dark and a
light scheme and fits telephones without loading anything.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

root = pathlib.Path(__file__).resolve().parents[2]
smartquotes = False
project = "Saltus"
release = re.search(r"project\(Saltus VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
html_title = f"Saltus {release}"

extensions = ["myst_parser", "formulae", "parameter_file_lexer"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

# In the guides a block without a language is output or a parameter file.
highlight_language = "text"
pygments_style = "tango"
pygments_dark_style = "github-dark"

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["saltus.css"]
html_js_files = [("gallery.js", {"defer": "defer"})]
html_copy_source = False
# Browsers do not let a page that is a file load another for it.
html_show_search_summary = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False

# The front page is made of it.
exclude_patterns = ["doc/README.md", "extra"]
