# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""check_report.py <folder>: says what is missing from the reports of two figures that were measured in memory of the
host."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
WANTED = [
    "36 % fewer lines by derived types in MPI calls than by hand",
    "does not, because by hand both sides of a dimension share one function",
    "(geometric mean 0.818; 1 of 1 outside",
    "holds: geometric mean 0.391",
    "lines by MPI / lines by hand",
    "MPI datatypes take about four times as long",
    "cannot be run here",
]
found = []
for name in ("report.md", "report.html"):
    text = (folder / name).read_text(encoding="utf-8")
    found += [f"{name} does not say: {words}" for words in WANTED if words not in text]
pictures = (folder / "pictures/004-gcl-host.png").exists()
if pictures != ("data:image/png;base64,iVBOR" in text):
    found.append("report.html does not hold its pictures")
if not pictures and "No plot: matplotlib is not here" not in text:
    found.append("report.html does not say why there are no pictures")
if "src=" in text.replace('src="data:', ""):
    found.append("report.html needs another file")
print("\n".join(found) or "all of it is there")
sys.exit(bool(found))
