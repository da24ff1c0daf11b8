#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the statistics which the documentation shows are those of the program of program.c, but for times.

usage: example.py <libtypewarp_mpi.so> <document> -- <launcher>... -- <program>...
The document shows between the lines <!-- statistics --> and <!-- /statistics --> what three ranks print together.
"""
import pathlib
import re
import sys

from launching import launch, split, with_settings

(library, document), launcher, program = split(sys.argv[1:])


def without_times(text):
    return [re.sub(r", us \d+( \(\d+ to \d+\))?", "", line.strip()) for line in text.splitlines() if "typewarp: " in line]


shown = re.search(r"<!-- statistics -->\n(.*?)<!-- /statistics -->", pathlib.Path(document).read_text(encoding="utf-8"), re.DOTALL)
settings = {"LD_PRELOAD": library, "TYPEWARP_STATS": "merged", "TYPEWARP_TAKE": "all"}
done = launch([*launcher, "-n", "3", *with_settings(program, settings)], timeout=100)
if not shown or without_times(done.stderr) != without_times(shown[1]) or len(without_times(done.stderr)) < 5:
    sys.exit(f"{document} shows something else than\n{done.stderr}")
