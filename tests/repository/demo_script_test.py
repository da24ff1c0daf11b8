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

    def run_demo(self, *words, **environment):
        return subprocess.run([self.root / "demo.sh", *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **environment})

    def said(self, *words):
        done = self.run_demo(*words)
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

    def test_a_failure_names_its_cause_and_the_log(self):
        self.program("build/release/bin/mpiexec_mpich", "exit 7")
        done = self.run_demo()
        self.assertEqual(1, done.returncode)
        self.assertIn("stencil2d_mpich' ended with status 7", done.stderr)

        self.program(".tools/python/bin/cmake", 'echo "nvcc fatal"; exit 3')
        done = self.run_demo(step_tail="0")  # as below ./test.sh
        self.assertEqual(3, done.returncode)
        self.assertIn("nvcc fatal", done.stderr)
        self.assertIn("build/logs/demo.log", done.stderr)

        (self.root / "build/release/bin/mpiexec_mpich").unlink()
        self.program(".tools/python/bin/cmake", "true")
        done = self.run_demo()
        self.assertEqual(1, done.returncode)
        self.assertIn("no MPI was found", done.stderr)

    def test_a_demo_that_is_stopped_says_where_its_log_is(self):
        self.program(".tools/python/bin/cmake", "exec sleep 30")
        done = subprocess.run(["timeout", "1", self.root / "demo.sh"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(124, done.returncode)
        self.assertIn("stopped; the output so far is in build/logs/demo.log", done.stderr)

    def test_compiles_for_a_gpu_that_is_too_old_for_the_default(self):
        self.program(".tools/python/bin/cmake", 'case "$*" in *--build*) ;; *) echo "$*" >configured ;; esac')
        for capabilities, environment, wanted in [("8.0\\n9.0", {}, "-DTYPEWARP_CUDA_ARCHS=80"), ("9.0", {}, None), ("[N/A]", {}, None),
                                                  ("8.6", {"TYPEWARP_CUDA_ARCHS": "90"}, "-DTYPEWARP_CUDA_ARCHS=90")]:
            self.program(".tools/python/bin/nvidia-smi", f'printf "{capabilities}\\n"')
            done = self.run_demo(**environment)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            configured = (self.root / "configured").read_text(encoding="utf-8").split()
            self.assertEqual([wanted] if wanted else [], [word for word in configured if "ARCHS" in word])


if __name__ == "__main__":
    unittest.main()
