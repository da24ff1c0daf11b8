# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the installed parts of the package lie."""
import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def get_include() -> str:
    """The folder to give to a compiler as -I, for <typewarp/engine.hpp> and the others."""
    return os.path.join(PACKAGE, "include")
