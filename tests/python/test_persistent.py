# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from arrays import is_collected

import typewarp as tw


def test_pack_unpack_copy_again_and_again():
    x, out, y = np.zeros((4, 6)), np.zeros((6, 4)), np.zeros((6, 4))
    pack, unpack, copy = tw.pack_init(x.T, out), tw.unpack_init(out, y[::-1]), tw.copy_init(y, x.T)
    for operation in (pack, unpack, copy):
        assert operation.done()
    for turn in range(3):
        x[...] = np.arange(24).reshape(4, 6) + turn
        pack.start()
        pack.wait()
        assert (out == x.T).all()
        unpack.start()
        unpack.wait()
        assert (y[::-1] == out).all()
        copy.start()
        copy.wait()
        assert (x.T == y).all() and copy.done()


def test_repr_tells_both_sides():
    assert repr(tw.pack_init(np.zeros(2), bytearray(16))) == (
        "<typewarp.Persistent pack of <typewarp.View (2,) of float64, strides (8,), 16 bytes on cpu> into "
        "<typewarp.View (16,) of uint8, strides (1,), 16 bytes on cpu>>")


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.pack_init(np.zeros(2), None), TypeError, "out: NoneType"),
    (lambda: tw.pack_init(np.zeros(2), np.zeros(3)), ValueError, "out: has 24 bytes"),
    (lambda: tw.unpack_init(np.zeros(3), np.zeros(2)), ValueError, "packed: has 24 bytes"),
    (lambda: tw.unpack_init(np.zeros(2), bytes(16)), ValueError, "x: is read-only"),
    (lambda: tw.copy_init(np.zeros(2), np.zeros(2, "i8")), ValueError, "destination: has elements of int64"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_cycle_is_collected():
    out = np.zeros((3, 2))
    assert is_collected(lambda x: (tw.pack_init(x, out), tw.unpack_init(out, x)))
