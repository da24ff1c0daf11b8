# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests that all ranks of a program run together: the same ones in the same order."""
import os
import sys

import pytest

@pytest.fixture(scope="session")
def comm():
    if "MPI4PY_LIBMPI" not in os.environ:
        pytest.skip("no MPI4PY_LIBMPI, which tells mpi4py its MPI")
    MPI = pytest.importorskip("mpi4py.MPI", reason="no mpi4py")
    return MPI.COMM_WORLD


@pytest.fixture
def ring(comm):
    """(rank, the one before, the one behind)."""
    rank, size = comm.Get_rank(), comm.Get_size()
    return rank, (rank - 1) % size, (rank + 1) % size


@pytest.fixture(autouse=True)
def in_step(comm):
    """Ranks begin each test together."""
    comm.Barrier()


def pytest_runtest_logreport(report):
    """Where one rank fails, others would wait for it for ever."""
    if report.failed and "mpi4py.MPI" in sys.modules:
        MPI = sys.modules["mpi4py.MPI"]
        if MPI.COMM_WORLD.Get_size() > 1:
            print(f"rank {MPI.COMM_WORLD.Get_rank()}: {report.nodeid}\n{report.longreprtext}", flush=True)
            MPI.COMM_WORLD.Abort(1)
