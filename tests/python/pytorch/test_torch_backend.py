# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The back end "typewarp" of torch.distributed against copies of all ranks' tensors, between 1, 2 and 3 processes."""
import importlib.util
import multiprocessing
import pathlib
import re
import subprocess
import sys
import time

import pytest
from processes import Processes, by_backend, named

if importlib.util.find_spec("torch") is None:
    pytest.skip("no torch", allow_module_level=True)
import torch
import torch_backend_cases as cases
import torch_backend_gpu as gpu_cases
import torch_program_cases as program_cases

import typewarp as tw

GUIDE = pathlib.Path(__file__).parents[3] / "docs/guide/torch-backend.md"


@pytest.fixture(scope="module", params=[1, 2, 3])
def processes(request, tmp_path_factory):
    made = Processes(request.param, tmp_path_factory.mktemp("store") / "file", by_backend("typewarp"))
    yield made
    made.close()


@pytest.mark.parametrize("case", **named(cases.ALL))
def test_on_the_host(processes, case):
    processes(case, "cpu")


def test_wrong_arguments(processes):
    processes(cases.errors_are_those_of, "cpu", "gloo")


@pytest.mark.parametrize("case", **named(program_cases.ALL))
def test_programs_compute_the_same_as_with_gloo(processes, case):
    assert processes(case, "cpu", "typewarp") == processes(case, "cpu", "gloo")


def _waits_for_one_that_died(rank, file, pipe):
    import datetime

    import torch.distributed as dist

    import typewarp.torch  # noqa: F401
    dist.init_process_group("typewarp", init_method=f"file://{file}", rank=rank, world_size=2, timeout=datetime.timedelta(seconds=10))
    x = torch.ones(4, 6).t()
    dist.all_reduce(x)
    if rank == 1:
        sys.exit()
    try:
        dist.all_reduce(x)
    except RuntimeError as error:
        pipe.send(str(error))
    pipe.close()


def test_a_process_that_dies(tmp_path):
    context = multiprocessing.get_context("spawn")
    own, theirs = context.Pipe()
    started = [context.Process(target=_waits_for_one_that_died, args=(rank, str(tmp_path / "file"), theirs), daemon=True) for rank in range(2)]
    for process in started:
        process.start()
    begin = time.monotonic()
    assert own.poll(90), "nothing was raised"
    assert re.search("closed|reset|timed out|timeout", own.recv().lower())
    assert time.monotonic() - begin < 80
    for process in started:
        process.join(20)


@pytest.mark.parametrize("backend", ["cpu:gloo,cuda:typewarp", "cpu:typewarp"])
def test_names_of_devices(tmp_path, backend):
    made = Processes(2, tmp_path / "file", by_backend(backend))
    made(cases.odd_inputs, "cpu")
    made.close()


def test_guide(tmp_path):
    program = tmp_path / "sharded.py"
    program.write_text(re.search(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1], encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(program)],
                         capture_output=True, text=True, timeout=200, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("case", [*((case, ("cuda",)) for case in cases.ALL), *((case, ()) for case in gpu_cases.GPU)],
                         ids=lambda case: case[0].__name__)
def test_on_gpus(processes, case):
    if not (tw.gpu_present() and torch.cuda.is_available()):
        pytest.skip("needs a GPU")
    if torch.cuda.device_count() < processes.size:
        pytest.skip("NCCL needs a GPU for each process")
    processes(case[0], *case[1])
