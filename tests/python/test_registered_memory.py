# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Between processes, which takes a GPU; and what is refused without one."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import typewarp as tw

HERE = pathlib.Path(__file__).resolve().parent


def test_names_what_is_not_on_a_gpu():
    with pytest.raises(ValueError, match=r"arrays\[1\]|arrays\[0\]: is not in memory of a GPU"):
        tw.RegisteredMemory([np.zeros(4), np.zeros(4)])
    with pytest.raises(TypeError, match=r"arrays\[0\]"):
        tw.RegisteredMemory("text")


@pytest.mark.parametrize("handle", [b"", b"x" * 100, bytes(8) + b"[]", bytes(8) + b'[{"shape": [-1], "strides": [8], "typestr": "<i8"}]',
                                    bytes(8) + b'[{"shape": [1], "strides": [], "typestr": "<i8"}]', bytes(8) + b"7"])
def test_refuses_bytes_that_are_no_handle(handle):
    with pytest.raises((ValueError, RuntimeError), match="handle|there is no GPU"):
        tw.RemoteMemory(handle)
    with pytest.raises(TypeError, match="handle: str is not bytes"):
        tw.RemoteMemory("text")


needs_gpu = pytest.mark.skipif(not tw.gpu_present(), reason="needs a GPU")


@needs_gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_pages_go_to_another_process_and_back(library):
    pytest.importorskip(library)
    done = subprocess.run([sys.executable, str(HERE / "registered_memory_processes.py"), library], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("right\n"), done.stdout + done.stderr
