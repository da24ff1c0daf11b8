#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What find_package(typewarp) says to programs, of an installation and of a wheel, whose libraries are stand-ins here.

usage: find_package_test.py <cmake> <ninja>
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, NINJA = sys.argv[1:3]
MPIS = "openmpi;mpich;abi"
PACKAGE = """cmake_minimum_required(VERSION 3.30)
project(package LANGUAGES NONE)
include(CMakePackageConfigHelpers)
set(typewarp_with_cuda OFF)
configure_package_config_file({root}/cmake/typewarpConfig.cmake.in {folder}/typewarpConfig.cmake INSTALL_DESTINATION lib)
"""
TARGETS = """add_library(typewarp::typewarp INTERFACE IMPORTED)
foreach(mpi IN ITEMS {mpis})
  add_library(typewarp::mpi_${{mpi}} INTERFACE IMPORTED)
  target_link_libraries(typewarp::mpi_${{mpi}} INTERFACE {of_program})
endforeach()
"""
USER = """cmake_minimum_required(VERSION 3.30)
project(user LANGUAGES CXX)
list(PREPEND CMAKE_MODULE_PATH ${{CMAKE_CURRENT_SOURCE_DIR}})
find_package(typewarp REQUIRED {components})
add_executable(user main.cpp)
target_link_libraries(user PRIVATE typewarp::{target})
"""


class FindPackage(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.addCleanup(self.held.cleanup)
        self.folder = pathlib.Path(self.held.name)

    def cmake(self, name, text, *options):
        source = self.folder / name
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(text, encoding="utf-8")
        (source / "main.cpp").touch()
        # In place of CMake's own: the MPI of the program.
        (source / "FindMPI.cmake").write_text("set(MPI_FOUND ON)\nadd_library(MPI::MPI_CXX INTERFACE IMPORTED)\n", encoding="utf-8")
        return subprocess.run([CMAKE, "-S", source, "-B", self.folder / f"{name}.build", "--fresh", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}",
                               "-DCMAKE_CXX_COMPILER_FORCED=ON", *options], capture_output=True, text=True, timeout=120, check=False)

    def told(self, portable, mpis, target, components=""):
        """What CMake complains of, in one line; empty where it is content."""
        package = self.cmake("package", PACKAGE.format(root=ROOT, folder=self.folder), f"-DTYPEWARP_PORTABLE={portable}",
                             f"-Dtypewarp_mpis={mpis.removesuffix(';abi')}", f"-Dtypewarp_mpis_of_libraries={mpis}")
        self.assertEqual(0, package.returncode, package.stderr)
        of_program = "typewarp::mpi_of_program" if portable == "ON" else '""'
        (self.folder / "typewarpTargets.cmake").write_text(TARGETS.format(mpis=mpis, of_program=of_program), encoding="utf-8")
        done = self.cmake("user", USER.format(components=components, target=target), f"-Dtypewarp_DIR={self.folder}")
        self.assertEqual(done.returncode == 0, "CMake Error" not in done.stderr, done)
        return " ".join(done.stderr.split()) if done.returncode else ""

    def test_who_names_the_mpi_or_needs_none_is_served(self):
        for portable in ("OFF", "ON"):
            self.assertEqual("", self.told(portable, MPIS, "typewarp"))
            for target in ("typewarp", "mpi", "mpi_mpich"):
                self.assertEqual("", self.told(portable, MPIS, target, "COMPONENTS mpich"))
            self.assertEqual("", self.told(portable, "mpich", "mpi"))
        self.assertEqual("", self.told("OFF", MPIS, "mpi_mpich"))

    def test_who_names_none_is_told_those_there_are(self):
        for portable, target in (("OFF", "mpi"), ("ON", "mpi"), ("ON", "mpi_mpich")):
            self.assertIn("find_package(typewarp-COMPONENTS-openmpi-or-mpich-or-abi)-names-the-MPI", self.told(portable, MPIS, target))

    def test_who_names_another_is_told_those_there_are(self):
        for portable in ("OFF", "ON"):
            self.assertIn("there is no component 'intel': the MPIs of this installation are: openmpi, mpich, abi",
                          self.told(portable, MPIS, "typewarp", "COMPONENTS intel"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
