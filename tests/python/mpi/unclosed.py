# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""A program that closes nothing, and ends nevertheless: unclosed.py [finalize | raises]"""
import sys
import time

import numpy as np
from mpi4py import MPI

import typewarp as tw

rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
session = tw.Session()
grid = tw.halo.Grid(None, 1, True)
halos = grid.exchange([np.zeros(4)])
exchange = tw.alltoall([np.zeros(3)] * size, [np.zeros(3) for _ in range(size)])
exchange.start()
halos()
tw.isend(np.zeros((400_000, 2))[:, 0], (rank + 1) % size, 5)  # dropped: it arrives all the same
tw.irecv(np.zeros(3), (rank - 1) % size, 6)                   # dropped: cancelled
tw.recv(np.zeros(400_000), (rank - 1) % size, 5)
if "raises" in sys.argv:  # one rank, under `python -m mpi4py`: the other one waits for it
    if rank == 1:
        # MPICH's launcher drops what it has not read yet when a rank aborts.
        sys.excepthook = lambda *error: (sys.__excepthook__(*error), sys.stderr.flush(), time.sleep(2))
        raise KeyError
    tw.recv(np.zeros(1), 1, 7)
if "finalize" in sys.argv:
    MPI.Finalize()
    try:
        halos()
    except RuntimeError as error:
        assert "was closed" in str(error)
print("well")
