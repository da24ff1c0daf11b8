# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""examples/attention.py, which compares itself with one process that has the whole sequence, and kv_cache.py, which compares its pages."""
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import typewarp as tw

if importlib.util.find_spec("torch") is None:
    pytest.skip("no torch", allow_module_level=True)
import torch

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/attention.py"


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_attention(processes, device):
    if device == "gpu" and not (tw.gpu_present() and torch.cuda.is_available()):
        pytest.skip("needs a GPU")
    options = ["--tokens", "64", "--heads", "4", "--width", "32", "--steps", "2", *(["--cpu"] if device == "cpu" else [])]
    ran = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), str(EXAMPLE), *options],
                         capture_output=True, text=True, timeout=200, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("as without processes") == processes
    way = "by permutes" if device == "cpu" else "stored by GPUs"
    assert ran.stdout.count(way) == processes


def test_kv_cache():
    if not (tw.gpu_present() and torch.cuda.is_available()):
        pytest.skip("needs a GPU")
    options = ["--layers", "2", "--places", "512", "--page", "4096", "--pages", "50", "--sequences", "40"]
    ran = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                          str(EXAMPLE.with_name("kv_cache.py")), *options], capture_output=True, text=True, timeout=200, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "8000 pages of 4096 bytes arrived, every byte right" in ran.stdout
