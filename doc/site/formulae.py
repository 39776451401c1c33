# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Formulae as MathML, which browsers draw by themselves: nothing has to be loaded for them."""
import html
import re

from docutils import nodes
from latex2mathml.converter import convert


def mathml(latex, display):
    return convert(latex.strip(), display=display)


def in_reference(page):
    """A page of Doxygen, made for MathJax, with MathML in its place."""
    page = re.sub(r"<script[^>]*mathjax[^>]*>.*?</script>\s*", "", page, flags=re.S | re.I)
    for pattern, display in ((r"\\\[(.*?)\\\]", "block"), (r"\\\((.*?)\\\)", "inline")):
        page = re.sub(pattern, lambda found: mathml(html.unescape(found[1]), display), page, flags=re.S)
    return page


def visitor(display):
    def visit(translator, node):
        translator.body.append(mathml(node.astext(), display))
        raise nodes.SkipNode
    return visit, None


def setup(app):
    app.add_html_math_renderer("mathml", visitor("inline"), visitor("block"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
