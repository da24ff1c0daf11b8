# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of the guides for Python. One that imports a library which is not there is skipped."""
import os
import pathlib
import re

import pytest
from arrays import gpu_present, library

ROOT = pathlib.Path(__file__).parents[2]
GUIDES = [ROOT / "README.md", *(ROOT / "docs/guide" / name for name in ("python.md", "python-messages.md", "torch.md", "pages.md", "device-group.md", "jax.md"))]
EXAMPLES = [code for guide in GUIDES
            for code in re.findall(r"^```python\n(.*?)^```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)]


def test_there_are_examples():
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("code", EXAMPLES, ids=[code.splitlines()[0] for code in EXAMPLES])
def test_example(code):
    for name in ("torch", "cupy"):
        if re.search(rf"import {name}\b", code):
            library(name)
    if "mpi4py" in code and "MPI4PY_LIBMPI" not in os.environ:
        pytest.skip("no MPI4PY_LIBMPI, which tells mpi4py its MPI")
    if "typewarp.jax" in code:
        pytest.importorskip("typewarp.jax", exc_type=ImportError)
    if "DeviceGroup" in code or "typewarp.jax" in code and gpu_present():
        from mpi4py import MPI
        if library("cupy").cuda.runtime.getDeviceCount() < MPI.COMM_WORLD.Get_size():
            pytest.skip("needs a GPU for each rank")
    exec(compile(code, code.splitlines()[0], "exec"), {})
