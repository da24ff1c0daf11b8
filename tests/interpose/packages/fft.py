# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py-fft: transforms of slabs and of pencils against NumPy's of the whole, and the exchanges that they are made of.

usage: fft.py host|cupy <edge>

The package transforms arrays of NumPy alone. Its pencils and exchanges serve others too: with those the program transforms arrays
of the kind. Without Typewarp it copies what is on a GPU to the host for each exchange.
"""
import sys

from mpi4py_fft import PFFT, newDistArray
from mpi4py_fft.pencil import Pencil, Subcomm
import numpy

import arrays
from measured import PRELOADED, comm, expect_close, measure

kind, edge = sys.argv[1], int(sys.argv[2])
memory = arrays.arrays(kind, comm.rank)
shape = (edge, edge + 2, edge + 4)
whole = numpy.random.default_rng(1).standard_normal(shape) + 1j * numpy.random.default_rng(2).standard_normal(shape)
transformed = numpy.fft.fftn(whole)
# Which axes are cut. All wildcards are filled by MPI_Dims_create.
LAYOUTS = {"slab": [0, 1, 1], "pencil": [0, 0, 1]}


def library():
    if kind == "host":
        return numpy
    import cupy
    return cupy


def part(array, pencil):
    """The part of a whole array that this rank has of it."""
    return array[tuple(slice(start, start + n) for start, n in zip(pencil.substart, pencil.subshape))]


def expect_whole(what, mine, right):
    """Of arrays that the ranks have parts of."""
    assert expect_close(what, mine, right) == whole.size, f"{what}: parts do not make up the whole"


def finish():
    if kind != "host":
        library().cuda.get_current_stream().synchronize()


def exchange(move, source, target):
    finish()  # mpi4py asks no stream
    if kind == "host" or PRELOADED:
        move(source, target)
        return
    on_host = memory.back(target)
    move(memory.back(source), on_host)
    memory.write(target, on_host)


def of_package(name, grid):
    fft = PFFT(comm, shape, axes=(0, 1, 2), dtype=complex, grid=grid)
    before = newDistArray(fft, False)
    before[:] = whole[before.local_slice()]
    after = fft.forward(before, newDistArray(fft, True), normalize=False)
    expect_whole(f"{name}, forward", after, transformed[after.local_slice()])
    back = fft.backward(after, newDistArray(fft, False), normalize=True)
    expect_whole(f"{name}, and back", back, before)
    measure(f"{name}, forward", lambda: fft.forward(before, after, normalize=False))
    fft.destroy()


def of_kind(name, cut):
    cut = Subcomm(comm, cut)
    pencils = [Pencil(cut, shape, 2)]
    pencils += [pencils[0].pencil(1)]
    pencils += [pencils[1].pencil(0)]
    moves = [one.transfer(other, complex) for one, other in zip(pencils, pencils[1:])]
    of_lines, of_planes, at_last = [memory.of(numpy.full(pencil.subshape, numpy.nan, complex)) for pencil in pencils]
    given = memory.of(numpy.ascontiguousarray(part(whole, pencils[0])))
    fft = library().fft.fft

    def transform():
        of_lines[...] = fft(given, axis=2)
        exchange(moves[0].forward, of_lines, of_planes)
        of_planes[...] = fft(of_planes, axis=1)
        exchange(moves[1].forward, of_planes, at_last)
        at_last[...] = fft(at_last, axis=0)
        finish()

    transform()
    expect_whole(f"{name} by exchanges", memory.back(at_last), part(transformed, pencils[2]))
    measure(f"{name} by exchanges", transform)
    memory.write(at_last, numpy.ascontiguousarray(part(whole, pencils[2])))
    exchange(moves[1].backward, at_last, of_planes)
    expect_whole(f"{name}, exchange back", memory.back(of_planes), part(whole, pencils[1]))
    measure(f"{name}, exchange back", lambda: exchange(moves[1].backward, at_last, of_planes))
    for move in moves:
        move.destroy()
    cut.destroy()


for layout, axes in LAYOUTS.items():
    of_package(f"PFFT, {layout}", axes)
    of_kind(layout, axes)
