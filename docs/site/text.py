# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Comments and docstrings, which are plain text with `code` and blocks of it, as reStructuredText."""
import pathlib
import re

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
HEADERS = {path.name: path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h*")}
NAMED = re.compile(r"docs/([\w/-]+)\.md|\b(\w+\.h(?:pp)?)\b")


def _escaped(text):
    return re.sub(r"([\\*_|<>:`])", r"\\\1", text)


def _linked(found):
    """A document or a header that is named."""
    document, header = found.groups()
    if document:
        return f":doc:`/docs/{document}`\\ "
    return f":ref:`{header} <include/{HEADERS[header]}>`\\ " if header in HEADERS else _escaped(header)


def _inline(text):
    """Of one line."""
    made, end = "", 0
    for found in re.finditer(rf"`[^`]+`|{NAMED.pattern}", text):
        made += _escaped(text[end:found.start()])
        made += f"`{found[0]}`\\ " if found[0].startswith("`") else _linked(found)
        end = found.end()
    return made + _escaped(text[end:])


def _is_code(paragraph):
    """Whether it is indented, or has columns."""
    return all(line.startswith("    ") for line in paragraph) or sum(bool(re.search(r"\S {3,}\S", line)) for line in paragraph) > 1


def rst(text):
    """Lines of reStructuredText."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        rows = paragraph.split("\n")
        if _is_code(rows):
            lines += ["::", "", *(row if row.startswith("    ") else "    " + row for row in rows), ""]
        else:
            lines += [*(_inline(row.strip()) for row in rows), ""]
    return lines


def directive(name, signatures, content=(), options=()):
    """A directive with its content, as lines."""
    head = f".. {name}:: "
    return [head + signatures[0], *(" " * len(head) + more for more in signatures[1:]), *("   " + option for option in options), "",
            *("   " + line if line else "" for line in content), ""]
