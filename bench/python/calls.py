#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What messages cost in Python, beyond what they cost in C++: sends to nobody (MPI_PROC_NULL), which do all that Python does for a
message, and leave nothing to the library but the return. On one rank; arrays of GPUs where there is one:

    mpiexec -n 1 python bench/python/calls.py
"""
import sys

import numpy
from mpi4py import MPI

import typewarp as tw
from measuring import medians, rows_asked_for, tell


def arrays():
    """Names, and arrays of 64 x 64 doubles."""
    yield "numpy", numpy.ones((64, 64))
    try:
        import torch
    except ModuleNotFoundError:
        return
    if torch.cuda.is_available():
        yield "torch", torch.ones(64, 64, device="cuda", dtype=torch.double)


def rows():
    """Names, and calls. A view is made once, a slice with each call."""
    comm, nobody = MPI.COMM_WORLD, MPI.PROC_NULL
    for library, x in arrays():
        view = tw.view(x[:, ::2])
        yield f"send to nobody, view of {library}", lambda view=view: tw.send(view, nobody)
        yield f"send to nobody, view of {library}, communicator given", lambda view=view: tw.send(view, nobody, 0, comm)
        yield f"send to nobody, slice of {library}", lambda x=x: tw.send(x[:, ::2], nobody)
        yield f"isend to nobody and wait, view of {library}", lambda view=view: tw.isend(view, nobody).wait()
        if library == "numpy":
            yield "mpi4py's Send to nobody, specification of numpy", lambda spec=view.spec: comm.Send(spec, nobody)


def main():
    tell(mpi="python " + sys.version.split()[0], gpus=0)
    for index, (case, call), late in rows_asked_for(__doc__.split(":")[0], rows()):
        if late:
            tell(stopped=True, case=case, memory="host", method="all", size=0)
            break
        row = {"index": index, "case": case, "bytes": 0}
        tell(begin=row)
        tell(**row, median_us=medians({case: call}, lambda: None)[case], peers_us={})
    tell(finished=True)


if __name__ == "__main__":
    main()
