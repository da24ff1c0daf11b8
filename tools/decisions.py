#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/internals/decisions.md, the index of docs/internals/decisions/NNN-name.md, and checks the form of these records.

usage: tools/decisions.py           writes the index
       tools/decisions.py --check   says what is wrong, and exits with 1 if anything is
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = "docs/internals/decisions.md"
NAME = re.compile(r"(\d{3})-[a-z0-9-]+\.md")
TITLE = re.compile(r"# (\d{3}): (.+)\n\nSubject: ([^.]+)\. Outcome: ([^.]+)\.\n")
PARTS = ["Context", "Numbers", "Decision", "Revisit when"]
SUBJECTS = ["Messages", "The preload library", "Collective calls", "Halo exchange", "Ranks that share a GPU", "Beside other work",
            "The sources", "Building", "The wheel", "The command line"]
HEAD = """# Decisions

What was tried, what was measured, and what was decided: one record for each decision. [Limits](limits.md) says what is
known to limit the library. Full results are in [Benchmarks](../benchmarks.md).

A new record takes the next free number. Its form is that of the others: a title, a line `Subject: ... Outcome: ...`,
and the parts Context, Numbers, Decision, and Revisit when. `tools/decisions.py` writes this page from the records.
"""


def records(root):
    return sorted((root / INDEX).with_suffix("").glob("*.md"))


def fields(record):
    """(number, title, subject, outcome) of a record, or None."""
    found = TITLE.match(record.read_text(encoding="utf-8"))
    return found.groups() if found else None


def problems(root):
    numbers = {}
    for record in records(root):
        name, found, heads = record.relative_to(root), fields(record), re.findall(r"^## (.+)$", record.read_text(), re.MULTILINE)
        number = NAME.fullmatch(record.name)
        if not number:
            yield f"{name}: should be called NNN-short-name.md"
        elif number[1] in numbers:
            yield f"{name}: {numbers[number[1]]} has this number too: take the next free one"
        elif not found or found[0] != number[1]:
            yield f"{name}: should begin with '# {number[1]}: Title', an empty line, and 'Subject: ... Outcome: ... .'"
        elif found[2] not in SUBJECTS:
            yield f"{name}: the subject is none of {', '.join(SUBJECTS)}"
        if heads != PARTS:
            yield f"{name}: should have the parts {', '.join(PARTS)}"
        if number:
            numbers[number[1]] = record.name


def index(root):
    text = HEAD
    for subject in SUBJECTS:
        text += f"\n## {subject}\n\n"
        for record in records(root):
            number, title, of, outcome = fields(record)
            if of == subject:
                item = f"- [{number}](decisions/{record.name}) {title}: {outcome}."
                text += textwrap.fill(item, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
    return text


def wrong(root):
    """Lines that say what is wrong."""
    found = list(problems(root))
    if not found and (root / INDEX).exists() and (root / INDEX).read_text(encoding="utf-8") != index(root):
        found = [f"{INDEX}: is not the index of the records: run tools/decisions.py"]
    return found


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit("\n".join(wrong(ROOT)) or None)
    found = list(problems(ROOT))
    if found:
        sys.exit("\n".join(found))
    (ROOT / INDEX).write_text(index(ROOT), encoding="utf-8")


if __name__ == "__main__":
    main()
