# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views as messages of mpi4py."""
import collections
import ctypes
import sys
import threading
import weakref

from mpi4py import MPI

from ._core import View

_NAMED = {"bool": MPI.C_BOOL, "int8": MPI.INT8_T, "int16": MPI.INT16_T, "int32": MPI.INT32_T, "int64": MPI.INT64_T,
          "uint8": MPI.UINT8_T, "uint16": MPI.UINT16_T, "uint32": MPI.UINT32_T, "uint64": MPI.UINT64_T, "float32": MPI.FLOAT,
          "float64": MPI.DOUBLE, "complex64": MPI.C_FLOAT_COMPLEX, "complex128": MPI.C_DOUBLE_COMPLEX}

class _Datatype(MPI.Datatype):
    """A committed datatype that is freed with its last reference. MPI keeps it for messages under way.

    Those that are left at the end of the program are left to MPI, which is being finalized then, or is soon."""

    # Names of its own, as modules are emptied at the end.
    def __del__(self, ending=sys.is_finalizing, finalized=MPI.Is_finalized, null=MPI.DATATYPE_NULL):
        if self != null and not ending() and not finalized():
            self.Free()


_LIMIT = 256
_recent: collections.OrderedDict[tuple, _Datatype] = collections.OrderedDict()
_lock = threading.Lock()


def _strided(n: int, stride: int) -> list:
    """Steps that make n elements of one, each `stride` bytes behind the other."""
    if stride == -1:
        # Open MPI (5.0.11) takes an extent of -1, where a datatype is made, for "the extent of the elements themselves": a hvector
        # of stride -1 goes forward. So the elements get that extent.
        return [lambda t: t.Create_resized(0, -1), lambda t: t.Create_contiguous(n)]
    return [lambda t: t.Create_hvector(n, 1, stride)]


def _built(base: MPI.Datatype, base_bytes: int, merged: tuple[tuple[int, int], ...], first: int) -> _Datatype:
    """Committed. `merged` is View._merged; `first` the bytes from the lowest address to the element of indices 0."""
    steps = [lambda t: t.Create_contiguous(merged[-1][0] // base_bytes)]
    for n, stride in reversed(merged[:-1]):
        steps += _strided(n, stride)
    if first:
        steps.append(lambda t: t.Create_hindexed_block(1, [first]))
    made = base
    for step in steps:
        inner, made = made, step(made)
        if inner is not base:
            inner.Free()
    return _Datatype(made.Commit())


# Of what layout() made, as long as that lives.
_of_layouts: weakref.WeakKeyDictionary[View, _Datatype] = weakref.WeakKeyDictionary()


def _built_of_blocks(base: MPI.Datatype, view: View) -> _Datatype:
    """Committed."""
    parts, stale = [], []
    for merged, stride, lengths, displacements in view._blocks:
        row = _built(base, base.Get_size(), merged, 0)
        sized = row.Create_resized(0, stride)
        parts.append(sized.Create_hindexed(lengths, displacements))
        stale += [row, sized]
    made = MPI.Datatype.Create_struct([1] * len(parts), [0] * len(parts), parts)
    for datatype in (*stale, *parts):
        datatype.Free()
    return _Datatype(made.Commit())


def _layout(base: MPI.Datatype, view: View) -> _Datatype:
    with _lock:
        found = _of_layouts.get(view)
        if found is None:
            found = _of_layouts[view] = _built_of_blocks(base, view)
    return found


def _datatype(*key) -> _Datatype:
    name, *rest = key
    with _lock:
        found = _recent.get(key)
        if found is None:
            base = _NAMED.get(name, MPI.BYTE)
            found = _recent[key] = _built(base, base.Get_size(), *rest)
            if len(_recent) > _LIMIT:
                _recent.popitem(last=False)
        else:
            _recent.move_to_end(key)
    return found


def _buffer_of(view: View) -> MPI.buffer:
    """From the lowest address of an element to the highest; keeps the view."""
    begin, nbytes = view._range
    if nbytes == 0:
        return MPI.buffer(bytearray())
    memory = (ctypes.c_char * nbytes).from_address(begin)
    memory.view = view
    return MPI.buffer(memoryview(memory).toreadonly() if view.readonly else memory)


def spec_of(view: View) -> list:
    """View.spec."""
    buffer, begin = _buffer_of(view), view._range[0]
    base = _NAMED.get(view.dtype)
    if view.contiguous:
        return [buffer, view.nbytes, MPI.BYTE] if base is None else [buffer, view.size, base]
    if view.strides is None:
        return [buffer, 1, _layout(base or MPI.BYTE, view)]
    return [buffer, 1, _datatype(view.dtype if base is not None else "bytes", view._merged, view.address - begin)]
