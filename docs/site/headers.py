# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`.. header:: typewarp/plan.hpp`: the reference of a public header, in the header's order.

A comment of three slashes is the text of the declarations below it, up to an empty line or the next comment. One of two slashes
is said of all that follows. What has neither is a warning, but for members.
"""
import dataclasses
import re

import tree_sitter
import tree_sitter_cpp
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from text import directive, rst

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
FOR_CXX_ALONE = re.compile(rb"#ifdef __cplusplus\n.*?\n#endif\n", re.DOTALL)
BODIES = {"compound_statement", "field_initializer_list", "default_method_clause", "delete_method_clause", "field_declaration_list",
          "enumerator_list", "preproc_arg"}
# What no caller writes: copies, moves, destructors, guides for deduction.
UNSAID = re.compile(r"\b(\w+)\((const )?\1 ?&&?\)|operator=\(|~\w+\(|\w+\([^()]*\) ->")
log = logging.getLogger(__name__)


@dataclasses.dataclass
class Entry:
    kind: str
    signatures: list[str]
    content: list[str] = dataclasses.field(default_factory=list)
    text: str = ""
    open: bool = True  # what follows may have the same text


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"//.*", "", text)).strip().rstrip(";,").rstrip().removesuffix(" = default")


def source(node):
    """A declaration in one line, without comments and without what a function does or a type holds."""
    ends = [child.start_byte for child in node.children if child.type in BODIES]
    return words(node.text[:min(ends, default=node.end_byte) - node.start_byte].decode())


def comment_text(lines):
    return "\n".join(re.sub(r"^///?<? ?", "", line) for line in lines)


def field(node, name):
    return node.child_by_field_name(name)


def blocks(scope):
    """(None, lines of a comment, first row, last row) and (node, lines of the comment behind it, first row, last row)."""
    found = []
    for child in scope.named_children:
        row, end = child.start_point.row, child.end_point.row - child.text.endswith(b"\n")
        if child.type != "comment":
            found.append([child, [], row, end])
            continue
        line = child.text.decode()
        previous = found[-1] if found else [None, [], -2, -2]
        if line.startswith("///<"):
            previous[1].append(line)
        elif previous[0] is None and previous[3] + 1 == row:
            previous[1].append(line)
            previous[3] = row
        elif previous[3] != row and row > 1 and "NOLINT" not in line:  # the licence is above
            found.append([None, [line], row, row])
    return found


class Reader:
    def __init__(self, path):
        self.name, self.domain = path.name, "c" if path.suffix == ".h" else "cpp"
        self.root = PARSER.parse(FOR_CXX_ALONE.sub(lambda found: b"\n" * found[0].count(b"\n"), path.read_bytes())).root_node

    def scope(self, node, public=True, told=False, own_text=False):
        """Lines for all that stands in a file, a namespace or a type. `told`: all must have a text. `own_text`: only those count."""
        lines, entry, comment, last, section = [], None, [], -2, False
        for child, said, row, end in [*blocks(node), (None, [], -1, -1)]:
            made = self.entry(child) if child is not None and public else None
            above, kind, text = last + 1 == row, child.type if child is not None else "", ""
            if comment and above and comment[0].startswith("///") and kind != "namespace_definition":
                text = comment_text(comment)
            elif comment and public and (made or not above or kind == "namespace_definition"):
                lines += self.finished(entry, told and not section) + rst(comment_text(comment))
                entry, section = None, kind != "preproc_include"
            if kind == "access_specifier":
                public = child.text == b"public"
            elif kind == "namespace_definition":
                lines += self.finished(entry, told and not section) + self.namespace(child)
                entry = None
            elif made:
                made.text, made.open = text or comment_text(said), not said
                if entry and self.together(entry, made) and row == last + 1:
                    entry.signatures += made.signatures
                elif made.text or not own_text:
                    lines += self.finished(entry, told and not section)
                    entry = made
            comment, last = ([] if kind else said), end
        return lines + self.finished(entry, told and not section)

    @staticmethod
    def together(entry, other):
        """Whether two that follow each other are described as one."""
        alike = entry.kind == other.kind and not (entry.content or other.content or other.text or "operator" in other.signatures[0])
        return alike and entry.open and (not entry.text or entry.kind in ("function", "macro", "enumerator"))

    def finished(self, entry, must_tell):
        if entry is None:
            return []
        if must_tell and not entry.text:
            log.warning("%s: there is no text for %s", self.name, entry.signatures[0])
        domain = "c" if entry.kind == "macro" else self.domain
        return directive(f"{domain}:{entry.kind}", entry.signatures, [*rst(entry.text), *entry.content])

    def namespace(self, node):
        """Of a namespace that stands inside of Typewarp's, what has a text: the rest is how headers do things."""
        name, inside = field(node, "name").text.decode(), field(node.parent, "name") is not None or node.parent.type == "declaration_list"
        lines = self.scope(field(node, "body"), told=not inside, own_text=inside)
        if not inside:
            return [f".. cpp:namespace:: {name}", "", *lines]
        return [f".. cpp:namespace-push:: {name}", "", *lines, ".. cpp:namespace-pop::", ""] if lines else []

    def entry(self, node):
        """None for what is no part of the interface."""
        template = ""
        if node.type == "template_declaration":
            *head, node = [child for child in node.named_children if child.type != "comment"]
            template = "template" + " ".join(words(part.text.decode()) for part in head) + " "
        if node.type == "friend_declaration":
            node = node.named_children[-1]
            if b"operator" not in node.text:
                return None
        if node.type == "preproc_def" or node.type == "preproc_function_def":
            return Entry("macro", [source(node).removeprefix("#define ").rstrip("\\ ")])
        if node.type == "concept_definition":
            return Entry("concept", [template + field(node, "name").text.decode()])
        if node.type == "alias_declaration":  # Sphinx knows no decltype there
            return Entry("type", [template + re.sub(r"^using |\s*= typename decltype.*", "", source(node))])
        if node.type == "type_definition" and field(node, "type").type not in ("struct_specifier", "enum_specifier"):
            return Entry("type", [source(node).removeprefix("typedef ")])
        if node.type in ("class_specifier", "struct_specifier", "enum_specifier", "type_definition"):
            return self.type(node, template)
        if node.type in ("declaration", "field_declaration", "function_definition", "enumerator"):
            return self.declaration(node, template)
        return None

    def type(self, node, template):
        named = node.type == "type_definition"
        node = field(node, "type") if named else node
        name, body = field(node, "name"), field(node, "body")
        if name is None and body is not None:
            return Entry("enumerator", [source(one) for one in body.named_children if one.type == "enumerator"])
        if body is None and not named:
            return None
        kind, _, rest = source(node).partition(" ")
        if rest.startswith("class "):
            kind, rest = "enum-class", rest.removeprefix("class ")
        return Entry(kind, [template + rest], self.scope(body, public=kind != "class") if body else [])

    def declaration(self, node, template):
        if node.type == "enumerator":
            return Entry("enumerator", [source(node)])
        declarators = node.children_by_field_name("declarator")
        signature = source(node)
        if not declarators or UNSAID.search(signature):
            return None
        if re.search(r"\(", signature.split(" = ")[0]):
            return Entry("function", [template + signature])
        base = words(node.text[:declarators[0].start_byte - node.start_byte].decode())
        begins = [one.start_byte - node.start_byte for one in declarators] + [len(node.text)]
        each = [words(node.text[begin:end].decode()) for begin, end in zip(begins, begins[1:])]
        return Entry("member" if node.type == "field_declaration" else "var", [f"{template}{base} {one}" for one in each])


class Header(SphinxDirective):
    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        path, title = self.config.typewarp_root / "include" / name, f"<{name}>"
        reader = Reader(path)
        head = [f".. _include/{name}:", "", title, "-" * len(title), "", ".. cpp:namespace:: 0", ""]
        lines = [*head, *reader.scope(reader.root, told=path.suffix == ".h")]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)
