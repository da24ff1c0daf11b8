#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What apps/lines.py counts, and what the documents say of it: by the library a program takes fewer lines than by hand."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps"))
import lines  # noqa: E402  (it stands among the programs)


class Lines(unittest.TestCase):
    def test_are_neither_empty_nor_comment(self):
        text = "// licence\n\n#include <a>\n  /// what it does\nint f();  // why\n  \n}\n"
        self.assertEqual(["#include <a>", "int f();  // why", "}"], lines.code_lines(text))

    def test_of_every_source_in_the_folders_of_ways_are_counted(self):
        for program, ways in lines.FILES.items():
            listed = {file for files in ways.values() for file in files}
            for folder in {pathlib.PurePath(file).parent for file in listed if "gpu" not in file}:
                for name in (ROOT / "apps" / program / folder).glob("*by_*"):
                    self.assertIn(str(folder / name.name), listed)

    def test_by_the_library_are_fewer_than_by_hand(self):
        """By an Exchange and messages, the two together, lammps takes about as many."""
        ways = {"dycore": "typewarp", "hacc": "typewarp", "hydro": "typewarp", "lammps": "messages", "stencil2d": "typewarp"}
        self.assertEqual(set(lines.FILES), set(ways))
        for program, way in ways.items():
            found = lines.count(program)
            self.assertLess(found[way], found[lines.BY_HAND], program)
        found = lines.count("lammps")
        self.assertLess(found["exchange"], 1.2 * found[lines.BY_HAND])


if __name__ == "__main__":
    unittest.main()
