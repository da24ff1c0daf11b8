# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Between processes, which takes a GPU; and what is refused without one."""
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import typewarp as tw

HERE = pathlib.Path(__file__).resolve().parent


def test_names_what_is_not_on_a_gpu():
    with pytest.raises(ValueError, match=r"arrays\[0\]: is not in memory of a GPU"):
        tw.RegisteredMemory([np.zeros(4), np.zeros(4)])
    with pytest.raises(TypeError, match=r"arrays\[0\]"):
        tw.RegisteredMemory("text")


@pytest.mark.parametrize("handle", [b"", b"x" * 100, bytes(8) + b'[{"shape": [-1], "strides": [8], "typestr": "<i8"}]',
                                    bytes(8) + b'[{"shape": [1], "strides": [], "typestr": "<i8"}]', bytes(8) + b"7"])
def test_refuses_bytes_that_are_no_handle(handle):
    with pytest.raises(ValueError, match="^handle: must be that of a RegisteredMemory"):
        tw.RemoteMemory(handle)
    with pytest.raises(TypeError, match="handle: str is not bytes"):
        tw.RemoteMemory("text")


def test_refuses_arrays_without_memory():
    with pytest.raises(ValueError, match="^handle: 0: bytes: must be what"):
        tw.RemoteMemory(bytes(8) + b"[]")


needs_gpu = pytest.mark.skipif(not tw.gpu_present(), reason="needs a GPU")


@needs_gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_pages_go_to_another_process_and_back(library):
    pytest.importorskip(library)
    done = subprocess.run([sys.executable, str(HERE / "registered_memory_processes.py"), library], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("right\n"), done.stdout + done.stderr


@needs_gpu
def test_the_program_of_the_guide(tmp_path):
    pytest.importorskip("torch")
    guide = HERE.parents[1] / "docs/guide/pages.md"
    program = tmp_path / "pages.py"
    program.write_text(re.search(r"^```python\n(.*?)^```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1], encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(program)],
                          capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
