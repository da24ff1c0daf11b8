# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from arrays import is_collected, parts, raw
from hypothesis import given, settings
from hypothesis import strategies as st

import typewarp as tw


@settings(max_examples=30)
@given(st.lists(parts(), min_size=1, max_size=4))
def test_packs_and_unpacks_one_behind_the_other(cases):
    views = [part for _, part in cases]
    batch = tw.Batch(views)
    assert batch.places == [sum(v.nbytes for v in views[:i]) for i in range(len(views))]
    assert batch.pack() is batch.packed
    wanted = b"".join(raw(v) for v in views)
    assert batch.packed.tobytes() == wanted
    for part in views:
        part[...] = np.zeros((), part.dtype)
    batch.unpack()
    assert b"".join(raw(v) for v in views) == wanted


def test_takes_an_array_for_the_packed_bytes():
    x, packed = np.arange(12.0).reshape(3, 4), np.zeros(6)
    batch = tw.Batch([x[:, 0], x[:, 3]], packed)
    batch.pack()
    assert packed.tolist() == [0, 4, 8, 3, 7, 11]
    assert repr(batch) == "<typewarp.Batch of 2 views, 48 bytes on cpu>"


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.Batch([np.zeros(2), 3]), TypeError, "views[1]: int is not an array"),
    (lambda: tw.Batch(3), TypeError, "views: int is not iterable"),
    (lambda: tw.Batch([]), ValueError, "packed: must be given"),
    (lambda: tw.Batch([np.zeros(2)], np.zeros(3)), ValueError, "packed: has 24 bytes, must have 16"),
    (lambda: tw.Batch([np.zeros(2)], np.zeros(4)[::2]), ValueError, "packed: has gaps"),
    (lambda: tw.Batch([np.zeros(2)], bytes(16)).pack(), ValueError, "packed: is read-only"),
    (lambda: tw.Batch([np.zeros(2), bytes(4)]).unpack(), ValueError, "views[1]: is read-only"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_batch_of_nothing():
    tw.Batch([], np.zeros(0)).pack()


def test_a_cycle_is_collected():
    assert is_collected(lambda x: tw.Batch([x, x], bytearray(96)))  # parts of x would keep it where the collector does not look
