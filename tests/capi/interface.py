#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: interface.py NM LIBRARY HEADER VERSION TEST...

What the library shows is what HEADER and the headers that it includes declare, no more and no less, all of it with VERSION, and each
of it is called in one of the tests.
"""
import pathlib
import re
import subprocess
import sys

nm, library, header, version = sys.argv[1:5]
tests = "\n".join(pathlib.Path(test).read_text(encoding="utf-8") for test in sys.argv[5:])


def declared(path, seen):
    """The functions of a header and of those that it includes."""
    if path in seen:
        return set()
    seen.add(path)
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    names = set(re.findall(r"^\S.*?[ *](tw_\w+)\(", text, re.MULTILINE))
    for name in re.findall(r"#include <(typewarp[\w/]*\.h)>", text):
        names |= declared(ROOT / name, seen)
    return names


ROOT = pathlib.Path(header).parent
expected = declared(pathlib.Path(header), set())
printed = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
shown = {line.split()[-1] for line in printed.splitlines()} - {version}
problems = [f"shown, but not declared: {name}" for name in sorted(shown - {f"{name}@@{version}" for name in expected})]
problems += [f"declared, but not shown: {name}" for name in sorted(expected) if f"{name}@@{version}" not in shown]
problems += [f"called by no test: {name}" for name in sorted(expected) if not re.search(rf"\b{name}\b", tests)]
print("\n".join(problems) or f"{len(expected)} functions, as declared")
sys.exit(bool(problems) or not expected)
