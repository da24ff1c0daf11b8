#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every exported call of the table, and its `_c` twin, is made by one of the programs here.

usage: coverage.py <program>... (in tests/interpose of a checkout; programs that make calls by names which macros put together)
"""
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "src" / "interpose"))
import calls  # noqa: E402: found only now

symbols = subprocess.run(["nm", "--undefined-only", *sys.argv[1:]], capture_output=True, text=True, check=True).stdout.split()
text = "\n".join(path.read_text(encoding="utf-8") for path in here.rglob("*.c"))


has_twins = any(symbol.startswith("MPI_") and symbol.endswith("_c") for symbol in symbols)


def is_made(call):
    name = call.name if has_twins else call.name.removesuffix("_c")
    if name in symbols:
        return True
    name = call.name.removesuffix("_c") if call.large else call.name
    either = rf"(TWIN|EXCHANGE)\({name},"  # makes the call or its twin, as the program was asked
    return re.search(either, text) or re.search(rf"\b{call.name}\(", text)


missing = [call.name for call in calls.EXPORTED if not is_made(call)]
print("never called: " + ", ".join(missing) if missing else f"all of {len(calls.EXPORTED)} calls are made")
sys.exit(bool(missing))
