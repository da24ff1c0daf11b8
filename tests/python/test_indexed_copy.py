# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from arrays import is_collected
from hypothesis import given, settings
from hypothesis import strategies as st

import typewarp as tw


@st.composite
def cases(draw):
    """Arrays with gaps and in other orders, an axis, and lists of some kind."""
    pairs = draw(st.integers(1, 3))
    items, others = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    axis = draw(st.integers(-2, 1))
    step = draw(st.sampled_from([1, 2, -1]))

    def made(count):
        shape = [4 * abs(step), 4 * abs(step)]
        shape[axis] = count * abs(step)
        return [np.arange(np.prod(shape), dtype=np.int16).reshape(shape)[::step, ::step] for _ in range(pairs)]

    count = draw(st.integers(0, min(items, others)))
    read = draw(st.none() | st.lists(st.integers(0, items - 1), min_size=count, max_size=count))
    written = draw(st.permutations(range(others)))[:count] if read is None else draw(st.none() | st.just(draw(st.permutations(range(others)))[:count]))
    kind = draw(st.sampled_from([list, tuple, iter, lambda x: np.array(x, np.int32), lambda x: np.array(x + x, np.int64)[: len(x)],
                                 lambda x: np.repeat(np.array(x, np.int64), 2)[::2]]))
    return made(items), made(others), axis, read, written, kind


@settings(max_examples=60)
@given(cases())
def test_equals_the_assignment_of_numpy(case):
    source, destination, axis, read, written, kind = case
    count = len(read if read is not None else written)
    for x in destination:
        x[...] += 1000
    wanted = [x.copy() for x in destination]
    for x, y in zip(source, wanted):
        np.moveaxis(y, axis, 0)[written if written is not None else slice(count)] = np.moveaxis(x, axis, 0)[read if read is not None else slice(count)]
    move = tw.IndexedCopy(source, destination, axis)
    move.copy(*(None if x is None else kind(list(x)) for x in (read, written)))
    move.check()
    for x, y in zip(destination, wanted):
        assert (x == y).all()


def test_copies_between_places_of_one_array():
    cache = np.arange(12.0).reshape(6, 2)
    move = tw.IndexedCopy(cache, cache)
    move.copy([0, 1], [5, 4])
    assert cache[:, 0].tolist() == [0, 2, 4, 6, 2, 0]
    assert repr(move) == "<typewarp.IndexedCopy from 1 to 1 arrays>"


x, y = np.zeros((4, 3)), np.zeros((5, 3))


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.IndexedCopy(3, y), TypeError, "source: int is not an array"),
    (lambda: tw.IndexedCopy([x, 3], [y, y]), TypeError, "source[1]: int is not an array"),
    (lambda: tw.IndexedCopy([x, x], y), ValueError, "destination: has 1 arrays, must have 2 as source"),
    (lambda: tw.IndexedCopy(x, y, axis=2), ValueError, "axis: 2 is none of the 2 of source[0]"),
    (lambda: tw.IndexedCopy(x, y, axis=1), ValueError, "destination[0]: has items of 40 bytes, must have 32 as the other array"),
    (lambda: tw.IndexedCopy(x, y.astype(np.float32)), ValueError, "destination[0]: has elements of float32, the other array of float64"),
    (lambda: tw.IndexedCopy(x, bytes(96)), ValueError, "destination[0]: has elements of"),
    (lambda: tw.IndexedCopy(b"abcd", b"efgh"), ValueError, "destination[0]: is read-only"),
    (lambda: tw.IndexedCopy(tw.layout(x, [0, 2]), y), ValueError, "source[0]: is a layout, which has no strides"),
    (lambda: tw.IndexedCopy([x, y], [y, y]), ValueError, "source[1].count: 5: must be that of the first array"),
    (lambda: tw.IndexedCopy(x, y).copy([4]), ValueError, "from_[0]: 4: must be at least 0 and less than 4"),
    (lambda: tw.IndexedCopy(x, y).copy([0], [-1]), ValueError, "to[0]: -1: must be at least 0 and less than 5"),
    (lambda: tw.IndexedCopy(x, y).copy([0, 1], [1]), ValueError, "to: has 1 indices, must have 2 as from_"),
    (lambda: tw.IndexedCopy(x, y).copy(), ValueError, "from_: must be given where to is not"),
    (lambda: tw.IndexedCopy(x, y).copy(to=range(5)), ValueError, "count: 5: must be at most 4"),
    (lambda: tw.IndexedCopy(x, y).copy(np.zeros(2)), ValueError, "from_: has elements of float64, must have int32 or int64"),
    (lambda: tw.IndexedCopy(x, y).copy(np.zeros((2, 2), int)), ValueError, "from_: has 2 dimensions, must have one"),
    (lambda: tw.IndexedCopy(x, y).copy(np.array(1)), ValueError, "from_: has 0 dimensions, must have one"),
    (lambda: tw.IndexedCopy(x, y).copy(3), TypeError, "from_: int is not iterable"),
    (lambda: tw.IndexedCopy(x, y).copy(["a"]), TypeError, "from_: "),
    (lambda: tw.IndexedCopy(x, y).copy([1 << 70]), ValueError, "from_: has an index beyond 64 bits"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_cycle_is_collected():
    assert is_collected(lambda x: tw.IndexedCopy(x, np.zeros((3, 2))))
