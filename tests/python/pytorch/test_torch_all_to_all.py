# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""typewarp.torch.all_to_all against indexing of all ranks' tensors, between 1, 2 and 3 processes."""
import importlib.util
import shutil

import pytest
from processes import Processes, named

if importlib.util.find_spec("torch") is None:
    pytest.skip("no torch", allow_module_level=True)
import torch
import torch_cases as cases
import torch_gpu_cases as gpu_cases
import torch_simulated as simulated

import typewarp as tw
import typewarp.torch


@pytest.fixture(scope="module", params=[1, 2, 3])
def processes(request, tmp_path_factory):
    made = Processes(request.param, tmp_path_factory.mktemp("store") / "file")
    yield made
    made.close()


ON_ANY_DEVICE = [cases.all_dimensions, cases.all_dtypes, cases.all_layouts, cases.of_no_bytes, cases.gradients, cases.compiles,
                 cases.is_a_proper_operator, cases.of_groups]


@pytest.mark.parametrize("case", **named(ON_ANY_DEVICE))
def test_on_the_host(processes, case):
    processes(case, "cpu")


@pytest.mark.parametrize("case", **named([cases.wrong_arguments, cases.falls_back]))
def test_arguments_and_reasons(processes, case):
    processes(case)


# All of this rank's side but what the GPU does: which parts go where from where, and what is kept.
@pytest.mark.parametrize("case", **named([simulated.dimensions, simulated.layouts, simulated.keeps_few, simulated.names_who_differs,
                                          simulated.tells_what_fails, simulated.grows_in_large_steps, simulated.orders_streams,
                                          simulated.asks_again_for_memory, simulated.unmaps_before_it_frees]))
def test_with_simulated_exchanges(processes, case):
    processes(case)


@pytest.mark.parametrize("case", **named(ON_ANY_DEVICE + gpu_cases.ALL))
def test_on_gpus(processes, case):
    if not (tw.gpu_present() and torch.cuda.is_available()):
        pytest.skip("needs a GPU")
    if case is gpu_cases.compiles_into_graphs and not shutil.which("cc"):
        pytest.skip("no C compiler, which Inductor needs")
    processes(gpu_cases.reset)
    processes(case, "cuda")


def test_needs_torch_distributed():
    with pytest.raises(ValueError, match="group: torch.distributed is not initialized"):
        typewarp.torch.all_to_all(torch.ones(2, 2), 0, 1)
    assert typewarp.torch.kept() == []
    typewarp.torch.clear()
