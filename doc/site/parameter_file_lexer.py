# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Colours of parameter files (deal.II's ParameterHandler), as blocks of the language `prm`."""
from pygments.lexer import RegexLexer, bygroups
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Operator, String, Text


class ParameterFileLexer(RegexLexer):
    name = "Parameter file"
    aliases = ["prm"]
    tokens = {
        "root": [
            (r"\s*#.*\n?", Comment),
            (r"(\s*)(subsection)(.*\n?)", bygroups(Text, Keyword, Name.Class)),
            (r"\s*end\b\s*", Keyword),
            (r"(\s*)(set)( +[^=]+?)( *= *)", bygroups(Text, Keyword, Name.Attribute, Operator), "value"),
            (r".+\n?|\n", Text),
        ],
        "value": [
            (r"[^\n]*\\\n", String),
            (r"[^\n]*\n", String, "#pop"),
        ],
    }


def setup(app):
    app.add_lexer("prm", ParameterFileLexer)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
