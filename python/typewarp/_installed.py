# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the parts of a wheel are that are not Python."""
import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def place(*parts: str) -> str:
    """Raises FileNotFoundError if the package has no such part, as in a build folder."""
    path = os.path.join(PACKAGE, *parts)
    if not os.path.exists(path):
        raise FileNotFoundError(f"typewarp: there is no {path}: the package was not installed as a wheel")
    return path


def get_include() -> str:
    """The folder of the C and C++ headers: `#include <typewarp.h>`."""
    return place("include")


def get_cmake_dir() -> str:
    """The folder of the CMake package, for CMAKE_PREFIX_PATH or typewarp_DIR of a project that calls find_package(typewarp)."""
    return place("lib", "cmake", "typewarp")
