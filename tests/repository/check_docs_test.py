#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/check_docs.py finds what it is to find, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_docs.py"


class CheckDocs(unittest.TestCase):
    def check(self, readme, guide="# A guide\n\n## Two: words\n", records=(), code=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for sub in ("docs", "src"):
                (root / sub).mkdir()
            (root / "src/code.cpp").write_text(code, encoding="utf-8")
            (root / "README.md").write_text(readme, encoding="utf-8")
            (root / "docs/guide.md").write_text(guide, encoding="utf-8")
            (root / "docs/internals/decisions").mkdir(parents=True)
            for name, text in records:
                (root / "docs/internals/decisions" / name).write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False).stderr

    def test_right_documents_pass(self):
        self.assertEqual(self.check("[file](docs/guide.md) [heading](docs/guide.md#two-words) [web](https://mpi-forum.org)\n"), "")

    def test_links_in_code_are_code(self):
        self.assertEqual(self.check("```cpp\n[&](auto x) { f[0](y); }\n```\n"), "")

    def test_dead_link(self):
        self.assertIn("README.md: docs/other.md: there is no such file", self.check("[file](docs/other.md)\n"))

    def test_dead_anchor(self):
        self.assertIn("docs/guide.md#three: there is no such heading", self.check("[heading](docs/guide.md#three)\n"))

    def test_heading_in_code_is_no_heading(self):
        self.assertIn("no such heading", self.check("[x](docs/guide.md#three)\n", "```sh\n# three\n```\n"))

    def test_named_source(self):
        self.assertEqual(self.check("`code.cpp` `src/code.cpp` `code.*`\n"), "")
        self.assertIn("README.md: `other.cpp`: there is no such file", self.check("`other.cpp`\n"))

    def test_long_readme(self):
        self.assertEqual(self.check("\n" * 130), "")
        self.assertIn("README.md: has 131 lines, more than 130", self.check("\n" * 131))

    def test_long_guide(self):
        self.assertIn("docs/guide.md: has 251 lines, more than 250", self.check("", "\n" * 251))

    def test_wide_lines(self):
        self.assertEqual("", self.check("x" * 50 + " " + "y" * 69 + "\n[a](docs/guide.md) https://example.org/" + "a" * 120 + "\n"))
        self.assertEqual("", self.check("```\n" + "x" * 50 + " " + "y" * 70 + "\n```\n"))
        self.assertIn("README.md has 1 lines of more", self.check("```sh\n" + "x" * 50 + " " + "y" * 70 + "\n```\n"))
        self.assertIn("README.md has 1 lines of more than 120 characters, more than 0", self.check("x" * 50 + " " + "y" * 70 + "\n"))

    def test_walks_name_what_is_there(self):
        walk = "<!-- walk -->\n\n1. [code.cpp](src/code.cpp). Look for `run()`.\n   And for `Stop`.\n\n## Others\n\n1. `none()`\n"
        self.assertEqual("", self.check(walk, code="void run();\nclass Stop;\n"))
        self.assertIn("README.md: `Stop` is not in code.cpp", self.check(walk, code="void run();\nclass Stopped;\n"))

    RECORD = "# 001: A title\n\nSubject: Messages. Outcome: kept.\n\n## Context\n\n## Numbers\n\n## Decision\n\n## Revisit when\n"

    def test_records_of_decisions(self):
        self.assertEqual(self.check("", records=[("001-a.md", self.RECORD)]), "")
        self.assertIn("has this number too", self.check("", records=[("001-a.md", self.RECORD), ("001-b.md", self.RECORD)]))
        self.assertIn("should have the parts", self.check("", records=[("001-a.md", self.RECORD.replace("Numbers", "Figures"))]))
        self.assertIn("should begin with '# 002", self.check("", records=[("002-a.md", self.RECORD)]))
        self.assertIn("the subject is none of", self.check("", records=[("001-a.md", self.RECORD.replace("Messages", "Other"))]))

    def test_a_record_may_name_what_is_gone(self):
        self.assertEqual(self.check("", records=[("001-a.md", self.RECORD + "`gone.cpp`\n")]), "")


if __name__ == "__main__":
    unittest.main()
