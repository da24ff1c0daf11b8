# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Random strided parts of NumPy arrays, and arrays of every library that is there."""
import gc
import importlib.util
import weakref

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

DTYPES = ["?", "i1", "<i2", ">i4", "<f2", "<f4", ">f8", "<c8", "<c16", "S3", "U2", "M8[ns]", "V7",
          np.dtype([("a", "i1"), ("b", "<f8"), ("c", "<i2", (3,))]), np.dtype([("a", "i1"), ("b", "<f8")], align=True)]


@st.composite
def slices(draw, size):
    """One index of a dimension: a slice with any step, or an integer."""
    if size and draw(st.integers(0, 4)) == 0:
        return draw(st.integers(-size, size - 1))
    edge = st.none() | st.integers(-size - 1, size + 1)
    return slice(draw(edge), draw(edge), draw(st.sampled_from([None, 1, 2, 3, -1, -2, -3])))


@st.composite
def parts(draw, dtypes=None):
    """(base, part): a part of a larger array by slices and a transposition. Every byte of the base is set, and to what differs."""
    shape = draw(st.lists(st.integers(0, 6), max_size=5))
    dtype = np.dtype(draw(st.sampled_from(dtypes or DTYPES)))
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    base = np.frombuffer((np.arange(nbytes) % 251 + 1).astype(np.uint8).tobytes(), np.uint8).copy().view(dtype).reshape(shape)
    part = base[tuple(draw(slices(size)) for size in shape) + (...,)]
    part = part.transpose(draw(st.permutations(range(part.ndim))))
    if dtype.names and draw(st.booleans()):
        part = part[draw(st.sampled_from(dtype.names))]
    return base, part


def untyped(array):
    """The same with structs as plain bytes: NumPy copies members of structs only, not what lies between them."""
    return array.view(f"V{array.dtype.itemsize}") if array.dtype.names else array


def raw(array):
    """The bytes of all elements in C order, by NumPy's own indexing."""
    return np.ascontiguousarray(untyped(array)).tobytes()


class Owner(np.ndarray):
    """An array that may keep what keeps it."""


def is_collected(make):
    """Whether the collector takes an array that keeps make(array)."""
    x = np.zeros((3, 2)).view(Owner)
    x.own = make(x)
    alive = weakref.ref(x)
    del x
    gc.collect()
    return alive() is None


def gpu_present():
    import typewarp
    return typewarp.gpu_present()


def library(name):
    """The library, or a skip that says why: it is not there, or there is no GPU for it."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"no {name}")
    if not gpu_present():
        pytest.skip(f"no GPU for {name}")
    return importlib.import_module(name)


def together(max_examples):
    """Examples that are the same in all ranks of a program; those that look for a smaller one would part ways."""
    return hypothesis.settings(derandomize=True, deadline=None, max_examples=max_examples, database=None,
                               phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
                               suppress_health_check=list(hypothesis.HealthCheck))
