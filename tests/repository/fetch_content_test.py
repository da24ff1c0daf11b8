#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""A project that has the library by FetchContent, as the guide writes it, is configured and generated. Compiling it is what every build does.

usage: fetch_content_test.py <cmake> <ninja> <compiler>
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, NINJA, COMPILER = sys.argv[1:4]
(RECIPE,) = re.findall(r"```cmake\n(include\(FetchContent\).*?)```", (ROOT / "docs/guide/building.md").read_text(encoding="utf-8"), re.DOTALL)


class FetchContent(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def configured(self, recipe):
        (self.folder / "main.cpp").touch()
        text = f"cmake_minimum_required(VERSION 3.30)\nproject(user LANGUAGES CXX)\nadd_executable(my_program main.cpp)\n{recipe}"
        (self.folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
        return subprocess.run([CMAKE, "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}",
                               f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DFETCHCONTENT_SOURCE_DIR_TYPEWARP={ROOT}", "-DTYPEWARP_CUDA=OFF",
                               "-DTYPEWARP_MPI=OFF", "-DTYPEWARP_PYTHON=OFF"], capture_output=True, text=True, timeout=300, check=False)

    def test_the_recipe_of_the_guide(self):
        of_an_mpi = r"^target_link_libraries\(.*typewarp::mpi_openmpi\).*\n"  # there is none here
        self.assertEqual(1, len(re.findall(of_an_mpi, RECIPE, re.MULTILINE)))
        done = self.configured(re.sub(of_an_mpi, "", RECIPE, flags=re.MULTILINE))
        self.assertEqual(0, done.returncode, done.stderr)
        commands = subprocess.run([NINJA, "-C", self.folder / "build", "-t", "commands", "my_program"], capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("libtypewarp_engine.a", commands.stdout)
        self.assertNotIn("gtest", commands.stdout)

    def test_a_target_that_is_not_there_is_told(self):
        self.assertIn("typewarp::mpi_openmpi", self.configured(RECIPE).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
