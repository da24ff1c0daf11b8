#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fills in the parts of README.md, CONTRIBUTING.md and docs/ that come from other files: examples, measured numbers, the include rule.

    <!-- example FILE NAME -->    the region between the comments [NAME] and [/NAME] of a source file, which a test compiles and runs
    <!-- results NAME -->         a table of results.py
    <!-- rule NAME -->            a part of include_rule.py
A part ends with <!-- /example -->, <!-- /results --> or <!-- /rule -->. With --check, says whether all are up to date, and whether each
document that shows results of other sources than those here says so: by the part `results older`, the table of test runs, or a link to
when results were measured.
"""
import argparse
import json
import pathlib
import re
import sys

import include_rule
import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = re.compile(r"(<!-- (example|results|rule) (.*?) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


RESULT = re.compile(r"\]\(([^)\s]*results/[^)\s]*\.json)\)")
TELLING = ("<!-- results older -->", "<!-- results test_runs -->", "#when-it-was-measured")


def older_results(document):
    """Those that a document shows, and that are of other sources than those here; none if it says so."""
    text = document.read_text(encoding="utf-8")
    if any(words in text for words in TELLING) or "decisions" in document.parts:  # which tell of their time
        return []
    shown = [(document.parent / name).resolve() for name in dict.fromkeys(RESULT.findall(text))]
    return [file.name for file in shown if results.is_older(json.loads(file.read_text(encoding="utf-8")))]


def example(source, name):
    region = re.search(rf"// \[{name}\]\n(.*?)// \[/{name}\]", (ROOT / source).read_text(encoding="utf-8"), re.DOTALL)
    if region is None:
        sys.exit(f"{source}: has no region [{name}]")
    return f"```{'c' if source.endswith('.c') else 'cpp'}\n{region[1]}```"


def fill_in(document):
    def part(found):
        head, kind, arguments, end = found.groups()
        if kind == "example":
            made = example(*arguments.split())
        else:
            made = getattr(include_rule, arguments)() if kind == "rule" else getattr(results, arguments)(document.parent)
        return f"{head}{made}\n{end}"

    return PARTS.sub(part, document.read_text(encoding="utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit with 1 if a document is out of date")
    arguments = parser.parse_args()
    stale, silent = [], []
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        silent += [f"{document.relative_to(ROOT)}: shows {name}, which is of older sources, and does not say so" for name in older_results(document)]
        filled = fill_in(document)
        if filled != document.read_text(encoding="utf-8"):
            stale.append(str(document.relative_to(ROOT)))
            if not arguments.check:
                document.write_text(filled, encoding="utf-8")
    if arguments.check and stale:
        silent.append(f"out of date: {', '.join(stale)}: run tools/readme.py")
    if silent:
        sys.exit("\n".join(silent))


if __name__ == "__main__":
    main()
