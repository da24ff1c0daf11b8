# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Links of documents to files that are no documents: a public header is its reference, others are shown as they are."""
import posixpath
import shutil

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

AS_IT_IS = (".json", ".png", ".svg")


def shown(root, path, site):
    """Where the site has a file, which is put there: results and pictures as they are, others as a page."""
    place = f"files/{path}" if path.endswith(AS_IT_IS) else f"files/{path}.html"
    target = site / place
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(AS_IT_IS):
        shutil.copy(root / path, target)
        return place
    try:
        lexer = get_lexer_for_filename(path)
    except ClassNotFound:
        lexer = TextLexer()
    page = highlight((root / path).read_text(encoding="utf-8"), lexer, HtmlFormatter(full=True, title=path, linenos="inline"))
    target.write_text(page, encoding="utf-8")
    return place


class ToFiles(SphinxTransform):
    default_priority = 400

    def apply(self):
        root, folder = self.config.typewarp_root, posixpath.dirname(self.env.docname)
        for node in list(self.document.findall(lambda one: isinstance(one, (addnodes.download_reference, addnodes.pending_xref)))):
            if node.get("reftype") != "myst" or node.get("refdomain") == "doc":
                continue
            path = posixpath.normpath(posixpath.join(folder, node["reftarget"]))
            if path.startswith("include/typewarp") and (root / path).is_file():
                to = addnodes.pending_xref(refdomain="std", reftype="ref", reftarget=path, refexplicit=True, refwarn=True, refdoc=self.env.docname)
            elif (root / path).is_file():
                to = nodes.reference(refuri=posixpath.relpath(shown(root, path, self.app.outdir), folder or "."))
            elif (root / path).is_dir():
                to = nodes.inline()
            else:
                continue  # Sphinx warns
            to += node.children
            node.replace_self(to)
