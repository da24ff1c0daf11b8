# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`.. python:: typewarp.view typewarp.View`: the reference of what a user of the Python package calls so.

Nothing is imported: griffe reads the sources, and the stubs of what is native.
"""
import functools
import re

import griffe
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from text import directive, rst

log = logging.getLogger(__name__)


@functools.cache
def package(folder):
    extensions = griffe.load_extensions("griffe_sphinx")  # comments of attributes: #:
    return griffe.load("typewarp", search_paths=[folder], extensions=extensions, allow_inspection=False)


def found(root, name):
    """What a name stands for. What the module of the process's MPI has is in the stub of all such modules."""
    item = functools.reduce(lambda scope, part: scope.members[part], name.split(".")[1:], root)
    while item.is_alias:
        _, module, own = item.target_path.split(".")
        members = root.members[module].members
        item = members[own] if own in members else root.members["_with_mpi"].members[own]
    return item


def described(item, name):
    text = item.docstring.value if item.docstring else ""
    if not text and not item.is_attribute:
        log.warning("%s has no docstring", item.path)
    if item.is_module:
        return [f".. py:module:: {item.path}", "", *rst(text)]
    if item.is_attribute:
        kind = "property" if "property" in item.labels else "attribute" if item.parent.is_class else "data"
        return directive(f"py:{kind}", [name], rst(text), [f":type: {item.annotation}"] if item.annotation else [])
    if item.is_function:
        kind = "function" if item.parent.is_module else "classmethod" if "classmethod" in item.labels else "method"
        return directive(f"py:{kind}", [item.signature(name=name)], rst(text), [":async:"] if "async" in item.labels else [])
    kind = "exception" if any(str(base).endswith("Error") for base in item.bases) else "class"
    shown = [line for one, member in item.members.items() if not one.startswith("_") or one == "__call__" for line in described(member, one)]
    made = item.members.get("__init__")
    if made is not None and made.docstring:
        shown = rst(made.docstring.value) + shown
    signature = made.signature(name=name, return_type=False) if made is not None else name
    if re.search(r": (_|core\.)", signature):  # made by this package alone
        signature = name
    return directive(f"py:{kind}", [signature], [*rst(text), *shown])


class Python(SphinxDirective):
    required_arguments, final_argument_whitespace = 1, True

    def run(self):
        root, lines = package(self.config.typewarp_root / "python"), []
        for name in self.arguments[0].split():
            module, _, own = name.rpartition(".")
            lines += [f".. py:currentmodule:: {module or name}", "", *described(found(root, name), own)]
        return self.parse_text_to_nodes("\n".join(lines))
