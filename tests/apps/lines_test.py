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

    def test_of_a_way_are_those_of_all_its_files(self):
        for program, ways in lines.FILES.items():
            for way, files in ways.items():
                whole = "".join((ROOT / "apps" / program / file).read_text(encoding="utf-8") for file in files)
                self.assertEqual(len(lines.code_lines(whole)), lines.count(program)[way], f"{program}, {way}")

    def test_of_every_source_in_the_folders_of_ways_are_counted(self):
        for program, ways in lines.FILES.items():
            listed = {file for files in ways.values() for file in files}
            for folder in {pathlib.PurePath(file).parent for file in listed if "gpu" not in file}:
                for name in (ROOT / "apps" / program / folder).glob("*by_*"):
                    self.assertTrue(any(pathlib.PurePath(file).name == name.name for file in listed) or name.stem == "by", name)

    def test_by_the_library_are_fewer_than_by_hand(self):
        for program in lines.FILES:
            found = lines.count(program)
            self.assertLess(found["typewarp"], found[lines.BY_HAND], program)


if __name__ == "__main__":
    unittest.main()
