# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""typewarp.jax against NumPy's indexing of all ranks' arrays, between 1, 2 and 3 processes."""
import importlib.util
import shutil
import subprocess
import sys

import pytest
from jax_processes import serve_on_cpu, serve_on_gpus
from processes import Processes

if importlib.util.find_spec("jaxlib") is None:
    pytest.skip("no JAX", allow_module_level=True)
if importlib.util.find_spec("typewarp._jax") is None:
    pytest.skip("typewarp.jax was not built, for which the Python of the build needs JAX", allow_module_level=True)
import jax_cases as cases
import jax_gpu_cases as gpu_cases


def made(size, folder, serve):
    processes = Processes(size, folder, serve)
    yield processes
    processes.close()


@pytest.fixture(scope="module", params=[1, 2, 3])
def processes(request, tmp_path_factory):
    yield from made(request.param, tmp_path_factory.mktemp("ranks"), serve_on_cpu)


def named(cases):
    return {"argvalues": cases, "ids": [case.__name__ for case in cases]}


@pytest.mark.parametrize("case", **named(cases.ALL))
def test_on_the_host(processes, case):
    processes(case)


def test_a_rank_that_dies(tmp_path):
    for processes in made(2, tmp_path, serve_on_cpu):
        processes(cases.a_rank_that_dies)


def test_an_older_interface_is_refused(tmp_path):
    """Which XLA would do by not starting."""
    header = tmp_path / "xla/ffi/api/c_api.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR 0\n#define XLA_FFI_API_MINOR 0\n", encoding="utf-8")
    code = f"import jax.ffi; jax.ffi.include_dir = lambda: {str(tmp_path)!r}; import typewarp.jax"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "was built with a newer jaxlib, whose interface is (0, " in ran.stderr, ran.stderr


@pytest.fixture(scope="module")
def on_gpus(tmp_path_factory):
    if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).stdout.count(b"GPU ") < 2:
        pytest.skip("needs two GPUs")
    yield from made(2, tmp_path_factory.mktemp("ranks"), serve_on_gpus)


@pytest.mark.parametrize("case", **named(gpu_cases.ON_GPUS))
def test_on_gpus(on_gpus, case):
    on_gpus(case)
