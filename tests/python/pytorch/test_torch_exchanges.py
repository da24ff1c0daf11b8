# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the back end "typewarp" does by exchanges, between 1, 2 and 4 processes: DTensor.redistribute and collective calls."""
import importlib.util

import pytest
from processes import Processes, by_backend, named

if importlib.util.find_spec("torch") is None:
    pytest.skip("no torch", allow_module_level=True)
import torch
import torch_collective_cases
import torch_redistribute_cases

import typewarp as tw

ALL = torch_redistribute_cases.ALL + torch_collective_cases.ALL


@pytest.fixture(scope="module", params=[1, 2, 4])
def processes(request, tmp_path_factory):
    made = Processes(request.param, tmp_path_factory.mktemp("store") / "file", by_backend("typewarp"))
    yield made
    made.close()


# All but what the GPU does.
@pytest.mark.parametrize("case", **named(ALL))
def test_with_simulated_exchanges(processes, case):
    processes(case, "cpu")


@pytest.mark.parametrize("case", **named(ALL))
def test_on_gpus(processes, case):
    if not (tw.gpu_present() and torch.cuda.is_available()):
        pytest.skip("needs a GPU")
    if torch.cuda.device_count() < processes.size:
        pytest.skip("NCCL needs a GPU for each process")
    processes(case, "cuda")
