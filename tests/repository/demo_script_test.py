#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What demo.sh runs and says at its end, where setup, CMake and the launcher are stand-ins."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class DemoScript(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name)
        for name in ("demo.sh", "tools/common.sh", "tools/path.sh"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.program("tools/setup.sh", "true")
        self.program(".tools/python/bin/cmake", "true")
        self.program("build/release/bin/mpiexec_mpich", 'echo "started: $*"')

    def program(self, name, command):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        path.chmod(0o755)

    def said(self, *words):
        done = subprocess.run([self.root / "demo.sh", *words], capture_output=True, text=True, timeout=60, check=False, env=os.environ)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def test_says_what_was_shown_and_what_to_try_next(self):
        *_, shown, picture, following = self.said().splitlines()
        self.assertTrue(shown.startswith("Shown: "), shown)
        self.assertEqual("The field is drawn in build/stencil2d.png.", picture)
        self.assertTrue(following.startswith("Next: "), following)
        for line in (shown, following):
            self.assertLessEqual(len(line), 120)

    def test_what_is_given_replaces_the_defaults(self):
        text = self.said("--grid=4x1", "--picture", "mine.png", "--type", "float")
        self.assertIn("started: -n 4 build/release/bin/stencil2d_mpich --grid=4x1 --picture mine.png --type float\n", text)
        self.assertNotIn("stencil2d.png", text)
        self.assertNotIn("Shown: ", self.said("--help"))


if __name__ == "__main__":
    unittest.main()
