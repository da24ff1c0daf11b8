#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/test_report.py counts what ran, says why the rest did not, and fails where something failed or nothing ran."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "test_report.py"


def case(name, status="run", inner="", output=""):
    return f'<testcase name="{name}" status="{status}" time="0.1">{inner}<system-out>{escape(output)}</system-out></testcase>'


def skipped(name, output):
    return case(name, "notrun", '<skipped message="SKIP_RETURN_CODE=77"/>', output)


def program(passed, reasons, failed=0):
    """What a program of several tests prints."""
    lines = [f"[==========] {passed + failed + len(reasons)} tests from 1 test suite ran. (1 ms total)", f"[  PASSED  ] {passed} tests."]
    if reasons:
        lines.append(f"[  SKIPPED ] {len(reasons)} tests, listed below:")
    if failed:
        lines.append(f"[  FAILED  ] {failed} tests, listed below:")
    return "\n".join([f"/src/a_test.cpp:7: Skipped\n{reason}\n" for reason in reasons] + lines)


class TestReport(unittest.TestCase):
    def report(self, cases, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "release.xml")
            file.write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
            ran = subprocess.run([sys.executable, "-B", TOOL, file, *options], capture_output=True, text=True, check=False)
        self.assertEqual("", ran.stderr)
        *lines, last = ran.stdout.splitlines()
        return ran.returncode, lines, last

    def test_says_why_tests_were_skipped_and_how_many(self):
        status, lines, last = self.report(
            [case("a.all", output=program(5, ["needs a GPU", "needs 2 ranks", "needs a GPU"])),
             skipped("b.1", "/src/b_test.cpp:9: Skipped\nneeds a GPU\n\n[  SKIPPED ] B.One (0 ms)"),
             skipped("c.1", "skipped: this host has no GPU\n"), skipped("d.1", "rank 0 skipped: no\nrank 1 skipped: no\n"), skipped("e.1", "")],
            "--skip", "everything with CUDA")
        self.assertEqual((0, "5 passed, 0 failed, 8 skipped"), (status, last))
        self.assertEqual(["Skipped:", "       3  needs a GPU"], lines[lines.index("Skipped:"):][:2])
        for line in ("needs 2 ranks", "this host has no GPU", "no", "no reason given by e.1", "everything with CUDA"):
            self.assertIn(f"       1  {line}", lines)

    def test_says_nothing_of_skips_where_there_are_none(self):
        self.assertNotIn("Skipped:", self.report([case("a.all", output=program(2, []))])[1])

    def test_fails_with_a_test_of_a_program(self):
        status, lines, last = self.report([case("a.all", inner='<failure message="Failed"/>', output=program(4, [], failed=2))])
        self.assertEqual((1, "4 passed, 2 failed, 0 skipped"), (status, last))
        self.assertIn("==== FAILED: a.all", lines)

    def test_fails_with_what_dies_behind_its_last_test(self):
        self.assertEqual((1, "4 passed, 1 failed, 0 skipped"),
                         self.report([case("a.all", inner='<failure message="SEGFAULT"/>', output=program(4, []))])[::2])

    def test_fails_with_what_could_not_be_started(self):
        self.assertEqual(1, self.report([case("a.1", "notrun", '<skipped message="Unable to find executable"/>')])[0])

    def test_fails_with_a_step_that_is_missing(self):
        self.assertEqual((1, "1 passed, 1 failed, 0 skipped"), self.report([case("a.1")], "--missing", "asan build")[::2])

    def test_fails_with_a_program_without_tests(self):
        status, lines, last = self.report([case("a.all", output=program(0, [])), case("b.1")])
        self.assertEqual((1, "1 passed, 1 failed, 0 skipped"), (status, last))
        self.assertIn("No test ran", lines)

    def test_counts_what_passed_where_a_launcher_broke_the_line_that_counts(self):
        output = program(4, []).replace("[  PASSED  ] 4", "[  PASS\nED  ] 4")
        self.assertEqual((0, "1 passed, 0 failed, 0 skipped"), self.report([case("a.all", output=output)])[::2])

    def test_fails_where_nothing_ran(self):
        self.assertEqual((1, "0 passed, 1 failed, 0 skipped"), self.report([])[::2])


if __name__ == "__main__":
    unittest.main()
