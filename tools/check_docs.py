#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks README.md, CONTRIBUTING.md and docs/: links lead somewhere, sources that are named exist, no document is too long, and
records of decisions have their form and their index (tools/decisions.py)."""
import pathlib
import re
import sys

import decisions

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES = 130
LINES = 250
LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|hpp|h|cu|cuh|py|sh|c|cmake))`")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def documents(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/**/*.md"))]


def anchors(text):
    """The anchors of headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def sources(root):
    """Names of the files that documents may name, with and without folders."""
    folders = ("apps", "bench", "cmake", "examples", "include", "python", "src", "tests", "tools")
    files = [file for folder in folders for file in (root / folder).rglob("*") if file.is_file()]
    return {name for file in [*files, *root.glob("*.sh")] for name in (file.name, str(file.relative_to(root)))}


def problems_of(document, root, known):
    text = document.read_text(encoding="utf-8")
    name = document.relative_to(root)
    limit = README_LINES if document == root / "README.md" else LINES
    if text.count("\n") > limit:
        yield f"{name}: has {text.count(chr(10))} lines, more than {limit}"
    history = document in decisions.records(root)  # names what was there then
    for source in [] if history else SOURCE.findall(FENCED.sub("", text)):
        if source.removeprefix("./") not in known:
            yield f"{name}: `{source}`: there is no such file"
    for target in LINK.findall(FENCED.sub("", text)):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        file = (document.parent / path).resolve() if path else document
        if not file.exists():
            yield f"{name}: {target}: there is no such file"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{name}: {target}: there is no such heading"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    known = sources(root)
    problems = [problem for document in documents(root) if document.exists() for problem in problems_of(document, root, known)]
    problems += decisions.wrong(root)
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
