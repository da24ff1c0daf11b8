# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What layout() makes, against NumPy's own indexing."""
import gc
import weakref

import numpy as np
import pytest
from arrays import library, parts, raw, untyped
from hypothesis import assume, given
from hypothesis import strategies as st
from resident import grown

import typewarp as tw


def unpacked_alone(base, view, expected_bytes):
    """Whether unpack writes what pack read, and no other byte of the base. `base` is as it was after it."""
    before = base.tobytes()
    packed = tw.pack(view, np.empty(view.nbytes, np.uint8))
    assert packed.tobytes() == expected_bytes
    changed = 255 - packed
    tw.unpack(changed, view)
    assert tw.pack(view, np.empty(view.nbytes, np.uint8)).tobytes() == changed.tobytes()
    tw.unpack(packed, view)
    assert base.tobytes() == before


@st.composite
def rows(draw):
    """(base, part, index): rows of a part of an array."""
    base, part = draw(parts())
    assume(part.ndim > 0)
    n = part.shape[0]
    return base, part, draw(st.lists(st.integers(-n, n - 1), max_size=2 * n)) if n else []


@given(rows())
def test_rows_are_those_of_numpy(case):
    base, part, index = case
    view = tw.layout(part, index)
    taken = untyped(part)[index] if index else part[:0]
    assert view.shape == taken.shape and view.nbytes == taken.nbytes
    assert view.strides is None or view.contiguous
    if len({i % len(part) for i in index}) == len(index):
        unpacked_alone(base, view, raw(taken))
    else:
        assert tw.pack(view, np.empty(view.nbytes, "u1")).tobytes() == raw(taken)


@given(parts(), st.data())
def test_masks_are_those_of_numpy(case, data):
    base, part = case
    assume(part.ndim > 0)
    depth = data.draw(st.integers(1, part.ndim))
    size = int(np.prod(part.shape[:depth]))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool).reshape(part.shape[:depth])
    view = tw.layout(part, np.asfortranarray(mask))
    taken = untyped(part)[mask]
    assert view.shape == taken.shape
    unpacked_alone(base, view, raw(taken))


@given(parts(), st.data())
def test_ranges(case, data):
    base, part = case
    assume(part.ndim > 0)
    n = len(part)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6)))
    ranges = data.draw(st.permutations(list(zip(cuts[::2], cuts[1::2]))))
    view = tw.layout(part, [a for a, _ in ranges], [b - a for a, b in ranges])
    taken = np.concatenate([part[:0], *(part[a:b] for a, b in ranges)])
    assert view.shape == taken.shape
    unpacked_alone(base, view, b"".join(raw(part[a:b]) for a, b in ranges))


@given(parts(["<f8"]), st.data())
def test_several_arrays_are_one(case, data):
    base, part = case
    assume(part.ndim > 0 and len(part) > 0)
    middle = data.draw(st.integers(0, len(part)))
    index = list(range(0, middle, 2))
    other = np.arange(7.0)
    view = tw.layout([part[middle:], other[::-3], tw.layout(part[:middle], index)])
    taken = [part[middle:], other[::-3], part[:middle][index]]
    assert view.shape == (sum(x.size for x in taken),)
    unpacked_alone(base, view, b"".join(raw(x) for x in taken))


def test_a_copy_from_layout_to_layout():
    x, y = np.arange(20.0).reshape(5, 4), np.zeros((6, 4))
    tw.copy(tw.layout(x, [4, 0, 2]), tw.layout(y, [5, 1, 3]))
    assert (y[[5, 1, 3]] == x[[4, 0, 2]]).all() and not y[[0, 2, 4]].any()


def test_pack_makes_an_array_of_its_shape():
    x = np.arange(24).reshape(4, 3, 2)
    packed = tw.pack(tw.layout(x, [2, 0]))
    assert packed.shape == (2, 3, 2) and (packed == x[[2, 0]]).all()
    assert (tw.pack(tw.layout([x, x[0]])) == np.concatenate([x.ravel(), x[0].ravel()])).all()


def test_all_indices_of_all_types_mean_the_same():
    x = np.arange(10)
    for index in ([8, 1], (8, 1), np.array([8, 1], np.uint8), np.array([1, 0, 8], np.int16)[::-2], np.array([8, 1], ">i4"),
                  np.array([-2, 1], ">i8"), range(8, 0, -7), [-2, -9]):
        assert tw.pack(tw.layout(x, index)).tolist() == [8, 1]
    for mask in ([True, False] * 5, list(x % 2 == 0), x % 2 == 0):
        assert tw.pack(tw.layout(x, mask)).tolist() == [0, 2, 4, 6, 8]
    assert tw.pack(tw.layout(x, [])).tolist() == []


def test_the_index_is_read_once():
    x, index = np.arange(10), np.array([3, 4])
    view = tw.layout(x, index)
    index[:] = 0
    assert tw.pack(view).tolist() == [3, 4]


def test_repeated_rows_are_read_and_not_written():
    x = np.arange(5)
    same = np.lib.stride_tricks.as_strided(x, (4, 2), (0, 8))
    for view in (tw.layout(x, [1, 3, 1]), tw.layout(x, [0, 1], [2, 2]), tw.layout([tw.layout(x, [2, 2]), x[4:]]),
                 tw.layout(same, [0, 2]), tw.layout(same, [False, True, True, False])):
        assert tw.pack(view).size == view.size
        with pytest.raises(ValueError, match="^x: takes elements more than once"):
            tw.unpack(np.zeros(view.nbytes, "u1"), view)
    tw.unpack(np.full(16, 255, "u1"), tw.layout(same, [2]))
    assert x.tolist() == [-1, -1, 2, 3, 4]


def test_hints_stay_where_all_have_the_same():
    x = np.arange(20.0).reshape(5, 4)
    hinted = tw.view(x).with_hints(max_blocks=8, avoid="copy_engines")
    assert tw.layout(hinted, [3, 0]).hints == tw.layout(hinted, [True, False] * 2 + [True]).hints == hinted.hints
    again = tw.view(x[::2]).with_hints(avoid="copy_engines", max_blocks=8)
    assert tw.layout([hinted, tw.layout(again, [1])]).hints == hinted.hints
    for other in (x, tw.view(x).with_hints(max_blocks=8)):
        assert tw.layout([hinted, other]).hints == tw.layout([other, hinted]).hints == "none"
    assert (tw.pack(tw.layout(hinted, [3, 0])) == x[[3, 0]]).all()


def test_read_only_arrays_stay_so():
    x, fixed = np.zeros(4), np.zeros(4)
    fixed.flags.writeable = False
    for view in (tw.layout(fixed, [0, 2]), tw.layout([x, fixed])):
        assert view.readonly
        with pytest.raises(ValueError, match="^x: is read-only"):
            tw.unpack(np.zeros(view.nbytes, "u1"), view)


def test_neighbours_are_one_block():
    x = np.zeros((100, 4))
    assert repr(tw.layout(x[:, :3], range(10, 90))) == "<typewarp.View (80, 3) of float64, 1 block, 1920 bytes on cpu>"
    assert "2 blocks" in repr(tw.layout(x, [1, 2, 8]))


def test_what_has_no_gaps_is_contiguous():
    x = np.arange(400.0).reshape(100, 4)
    view = tw.layout(x, range(10, 90))
    assert view.contiguous and view.strides == (32, 8) and view.layout == "run 2560"
    tw.pack(np.ones((80, 4)), view)
    assert (x[10:90] == 1).all() and x[9, 3] == 39 and x[90, 0] == 360
    assert tw.layout([view, x[:0]]).contiguous and not tw.layout([view, x[:1]]).contiguous


def test_arrays_of_several_types_are_joined_as_bytes():
    number, place = np.arange(5, dtype=np.int32), np.arange(10.0).reshape(5, 2)
    leaving = [4, 1]
    view = tw.layout([tw.layout(number, leaving), tw.layout(place, leaving)])
    assert (view.dtype, view.shape) == ("uint8", (2 * 4 + 2 * 16,))
    assert tw.pack(view).tobytes() == number[leaving].tobytes() + place[leaving].tobytes()


class OnStream:
    """Host memory that says it is a GPU's, and on which stream its work is."""

    def __init__(self, array, stream):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3, "stream": stream}


def test_empty_arrays_say_nothing_of_the_place():
    x = np.zeros(4)
    there = OnStream(x, 7)
    view = tw.layout([np.zeros(0), there])
    assert view._stream == 7 and view.array == (there,) and view._on_gpu
    assert tw.pack(tw.layout([x[:0], x[2:2]])).shape == (0,)


def test_arrays_on_several_streams_are_not_joined():
    x = np.zeros(4)
    assert tw.layout([OnStream(x[:2], 7), OnStream(x[2:], 7)])._stream == 7
    with pytest.raises(ValueError, match=r"^x\[1\]: is of another library than x\[0\], or on another stream"):
        tw.layout([OnStream(x[:2], 7), OnStream(x[2:], 9)])
    with pytest.raises(ValueError, match=r"^x\[1\]: lies in other memory than x\[0\]"):
        tw.layout([OnStream(x[:2], 7), x[2:]])


def test_tells_where_it_lies():
    x, y = np.arange(6.0), np.arange(3.0)
    view = tw.layout(x, [4, 1])
    assert view.array is x and view.address == x[4:].ctypes.data
    assert view._range == (x[1:].ctypes.data, 32)
    assert [a is b for a, b in zip(tw.layout([x, y]).array, (x, y))] == [True, True]
    deep = tw.layout([tw.layout([x, y]), view])
    for _ in range(2000):
        deep = tw.layout([deep])
    assert [a is b for a, b in zip(deep.array, (x, y, x))] == [True] * 3


def test_it_keeps_its_arrays():
    x = np.arange(1000.0)
    alive = weakref.ref(x)
    view = tw.layout([tw.layout(x, [5, 7]), x[:2]])
    del x
    gc.collect()
    assert alive() is not None and tw.pack(view).tolist() == [5, 7, 0, 1]
    del view
    gc.collect()
    assert alive() is None


def test_memory_is_flat():
    x, index = np.zeros((1000, 3)), np.arange(0, 1000, 2)
    mask = np.arange(1000) % 3 == 0

    def work():
        tw.pack(tw.layout([tw.layout(x, index), tw.layout(x, mask), x]))

    assert grown(work, 3000) < 2 << 20


def test_batches_and_prepared_operations_take_them():
    x, y = np.arange(12.0).reshape(4, 3), np.zeros((4, 3))
    view, there = tw.layout(x, [3, 1]), tw.layout(y, [0, 2])
    batch = tw.Batch([view, x[0]])
    batch.pack()
    assert batch.packed.view(float).tolist() == [*x[3], *x[1], *x[0]]
    prepared = tw.copy_init(view, there)
    for _ in range(2):
        x += 1
        prepared.start()
        prepared.wait()
        assert (y[[0, 2]] == x[[3, 1]]).all() and not y[[1, 3]].any()


def test_nothing_is_moved_whatever_the_strides():
    assert tw.pack(tw.layout(np.zeros((10**12, 0)), [0], [10**12])).shape == (10**12, 0)
    far = np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (2**62,))
    near = np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (-2**62 - 2**60,))
    with pytest.raises(ValueError, match="^x: spans more bytes than 64 bits count"):
        tw.layout([far, near])


@pytest.mark.parametrize("error, text, call", [
    (IndexError, "index: 5 is beyond the 5 rows of x", lambda x: tw.layout(x, [5])),
    (IndexError, "index: -6 is beyond the 5 rows of x", lambda x: tw.layout(x, [-6])),
    (IndexError, "index: 9223372036854775807 is beyond the 5 rows", lambda x: tw.layout(x, np.array([2**64 - 1], np.uint64))),
    (IndexError, "lengths: 3 rows from row 3 on are not in x, which has 5", lambda x: tw.layout(x, [3], [3])),
    (IndexError, "lengths: -1 rows", lambda x: tw.layout(x, [3], [-1])),
    (ValueError, "lengths: are 1, must be as many as the index has, 2", lambda x: tw.layout(x, [3, 4], [1])),
    (ValueError, "lengths: a mask has none", lambda x: tw.layout(x, [True] * 5, [1])),
    (ValueError, "lengths: need an index", lambda x: tw.layout([x], lengths=[1])),
    (ValueError, "index: is a mask, whose shape", lambda x: tw.layout(x, [True])),
    (ValueError, "index: has elements of float64, must have integers", lambda x: tw.layout(x, np.zeros(2))),
    (ValueError, "index: has 2 dimensions, must have one", lambda x: tw.layout(x, np.zeros((2, 1), int))),
    (TypeError, "index: must hold integers", lambda x: tw.layout(x, [1.5])),
    (TypeError, "index: must hold integers .* it holds both", lambda x: tw.layout(x, [True, 0])),
    (TypeError, "index: must hold integers", lambda x: tw.layout(x, [2**63])),
    (TypeError, "index: object is not an array", lambda x: tw.layout(x, object())),
    (TypeError, "x: must be a list of arrays", tw.layout),
    (TypeError, r"x\[1\]: int is not an array", lambda x: tw.layout([x, 3])),
    (ValueError, r"x\[0\]: must have elements of at least one byte", lambda x: tw.layout([np.zeros(3, [])])),
    (ValueError, r"x\[1\]: must have elements of at least one byte", lambda x: tw.layout([x, np.zeros(3, [])])),
    (ValueError, "x: has no arrays", lambda x: tw.layout([])),
    (ValueError, "x: has no dimensions", lambda x: tw.layout(x[0, 0, ...], [0])),
    (ValueError, "x: is a layout", lambda x: tw.layout(tw.layout(x, [1, 3]), [0])),
    (ValueError, "out: has gaps", lambda x: tw.pack(np.zeros(8), tw.layout(x, [1, 3]))),
])
def test_wrong_arguments(error, text, call):
    with pytest.raises(error, match=text):
        call(np.zeros((5, 4)))


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_arrays_of_gpus(name):
    module = library(name)
    on = {"device": "cuda"} if name == "torch" else {}
    x = module.arange(5000, **on).reshape(100, 50)
    index = module.arange(99, -1, -3, **on) if name == "cupy" else module.arange(0, 100, 3, **on).flip(0)
    taken = tw.pack(tw.layout(x[:, ::2], index))
    assert bool((taken == x[:, ::2][index]).all())
    mask = x % 7 == 0
    assert bool((tw.pack(tw.layout(x, mask)) == x[mask]).all())
    tw.unpack(module.zeros_like(x[mask]), tw.layout(x, mask))
    assert int(x[mask].sum()) == 0 and int((x == 0).sum()) == int(mask.sum())
    joined = tw.pack(tw.layout([x[0], x[:, 3]]))
    assert bool((joined[:50] == x[0]).all()) and bool((joined[50:] == x[:, 3]).all())
