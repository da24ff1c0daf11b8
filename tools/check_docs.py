#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks README.md, CHANGELOG.md, CONTRIBUTING.md and docs/: links lead somewhere, sources that are named exist, walks
through sources name what is there, no document is too long or too wide, and records of decisions have their form and
their index (tools/decisions.py). Documents that are too wide today stand in tools/exceptions.toml, with the number of
their wide lines.

usage: tools/check_docs.py [--strict] [root]   --strict: exceptions that are no longer needed are wrong too
       tools/check_docs.py --shrink            takes those out
"""
import pathlib
import re
import sys

import decisions
import limits

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES = 130
LINES = 250
WIDTH = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|hpp|h|cu|cuh|py|sh|c|cmake))`")
FILLED = re.compile(r"<!-- (results|statistics|calls) ?.*?<!-- /\1 -->", re.DOTALL)
ADDRESS = re.compile(r"\S{100}|^!\[")  # pictures too
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def documents(root):
    return [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/**/*.md"))]


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


def strays(document, root):
    """Names that an item of a walk gives for the files that it leads to, and that are not there."""
    text = document.read_text(encoding="utf-8")
    for walk in text.split("<!-- walk -->\n")[1:]:
        walk = re.split(r"^## ", walk, flags=re.MULTILINE)[0]
        for item in re.findall(r"^\d+\. .*(?:\n +.*)*", walk, re.MULTILINE):
            files = [(document.parent / link.partition("#")[0]).resolve() for link in LINK.findall(item)]
            code = "".join(file.read_text(encoding="utf-8") for file in files if file.exists())
            for name in re.findall(r"`(\w+)(?:\(\))?`", item):
                if not re.search(rf"\b{name}\b", code):
                    yield f"{document.relative_to(root)}: `{name}` is not in {', '.join(file.name for file in files)}"


def wide_lines(document):
    """How many lines are too wide. What another file fills in is that file's, what stands between fences without a language a program
    has printed, and an address cannot be broken."""
    text = FILLED.sub("", document.read_text(encoding="utf-8"))
    fence, wide = None, 0
    for line in text.splitlines():
        if line.startswith("```"):
            fence = line if fence is None else None
        wide += len(line) > WIDTH and fence != "```" and not ADDRESS.search(line)
    return wide


def main():
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    roots = [argument for argument in sys.argv[1:] if argument not in options]
    root = pathlib.Path(roots[0]).resolve() if roots else ROOT
    known = sources(root)
    found = [document for document in documents(root) if document.exists()]
    problems = [problem for document in found for problem in problems_of(document, root, known)]
    problems += [stray for document in found for stray in strays(document, root)]
    problems += decisions.wrong(root)
    maximum = {"wide_lines": 0}
    numbers = {"wide_lines": {str(document.relative_to(root)): (wide_lines(document), "") for document in found}}
    exceeded, unneeded = limits.compare(root, maximum, {"wide_lines": f"{{0}} has {{1}} lines of more than {WIDTH} characters"}, numbers)
    if "--shrink" in options:
        limits.shrink(root, maximum, numbers)
        return
    if unneeded and "--strict" not in options:
        print("may go from tools/exceptions.toml (tools/check_docs.py --shrink does it):", *unneeded, sep="\n  ")
    sys.exit("\n".join(problems + exceeded + (unneeded if "--strict" in options else [])) or None)


if __name__ == "__main__":
    main()
