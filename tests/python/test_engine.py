# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import array
import ctypes
import threading
import types

import numpy as np
import pytest
from arrays import parts, raw, untyped
from hypothesis import given

import typewarp as tw


@given(parts())
def test_pack_is_numpys_contiguous_copy(case):
    _, part = case
    packed = tw.pack(part)
    assert packed.shape == part.shape and packed.dtype == part.dtype and packed.flags.c_contiguous
    assert packed.tobytes() == raw(part)


@given(parts())
def test_pack_writes_out_alone(case):
    _, part = case
    guarded = np.full(part.nbytes + 128, 255, np.uint8)
    out = guarded[64:64 + part.nbytes]
    assert tw.pack(part, out) is out
    assert out.tobytes() == raw(part)
    assert (guarded[:64] == 255).all() and (guarded[64 + part.nbytes:] == 255).all()


@given(parts())
def test_unpack_writes_the_elements_alone(case):
    base, part = case
    packed = (255 - np.arange(part.nbytes) % 200).astype(np.uint8)
    before = untyped(base).copy()
    tw.unpack(packed, part)
    assert raw(part) == packed.tobytes()
    # With the elements as they were, all is as it was.
    same = np.ndarray(part.shape, part.dtype, before, part.ctypes.data - base.ctypes.data, part.strides) if part.size else part
    tw.unpack(tw.pack(same), part)
    assert raw(base) == raw(before)


@given(parts())
def test_copy_from_layout_to_layout(case):
    """Into every second element of a larger array, in the other direction."""
    _, source = case
    base = np.zeros([2 * n + 1 for n in source.shape], untyped(source).dtype)
    there = tuple(slice(2 * n - 1, None if n else 0, -2) for n in source.shape) + (...,)
    tw.copy(source, base[there])
    assert raw(base[there]) == raw(source)
    base[there] = np.zeros((), base.dtype)
    assert not any(raw(base))


def test_copy_takes_other_shapes_with_as_many_elements():
    x, y = np.arange(12).reshape(3, 4), np.zeros((2, 6), int)
    tw.copy(x.T, y)
    assert (y.ravel() == x.T.ravel()).all()


def test_more_dimensions_than_any_other_library_has():
    x = np.arange(2**20).reshape((2,) * 20).transpose(list(range(19, -1, -1)))
    assert (tw.pack(x) == x).all()


def test_large_data_by_threads_and_without_the_interpreter():
    """Two threads of Python that pack at the same time, each by threads of the engine."""
    x = np.random.default_rng(1).integers(0, 2**60, (2, 1500, 1501))
    outs = [None, None]

    def work(i):
        outs[i] = tw.pack(x[i].T)

    threads = [threading.Thread(target=work, args=[i]) for i in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all((outs[i] == x[i].T).all() for i in range(2))


ZEROS = np.zeros((4, 6))
READONLY = np.zeros(24)
READONLY.flags.writeable = False
BROADCAST = np.broadcast_to(np.zeros(6), (4, 6)).copy()
BROADCAST = np.lib.stride_tricks.as_strided(BROADCAST, (4, 6), (0, 8))


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.view(3), TypeError, "x: int is not an array"),
    (lambda: tw.view(None), TypeError, "x: NoneType is not an array"),
    (lambda: tw.view([1.0, 2.0]), TypeError, "x: list is not an array"),
    (lambda: tw.view(np.array([object()])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.view(np.zeros(2, [("O", "i4"), ("b", "O")])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.zeros(2, [("t", "M8[ns]"), ("o", "O")])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.zeros(2, [("t", "M8[ns]"), ("o", "O")])[["o", "t"]]), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.ma.masked_array([1.0, 2.0], [0, 1])), ValueError, "x: is a masked array"),
    (lambda: tw.copy(ZEROS, np.ma.masked_array(ZEROS)), ValueError, "destination: is a masked array"),
    (lambda: tw.copy(np.zeros(2, "M8[s]"), np.zeros(2, "M8[ns]")), ValueError,
     "destination: has elements of V8 (datetime64[ns]), the other array of V8 (datetime64[s]); bytes are moved"),
    (lambda: tw.copy(np.zeros(2, "m8[D]"), np.zeros(2, ">m8[D]")), ValueError,
     "destination: has elements of V8 (>timedelta64[D]), the other array of V8 (timedelta64[D])"),
    (lambda: tw.copy(np.zeros(2, "S4"), np.zeros(2, "U1")), ValueError, "destination: has elements of V4 (U1), the other array of V4 (S4)"),
    (lambda: tw.copy(np.zeros(2, "i2,f8"), np.zeros(2, "f8,i2")), ValueError,
     "destination: has elements of V10 ({f0: float64, f1: int16}), the other array of V10 ({f0: int16, f1: float64})"),
    (lambda: tw.copy(np.zeros(2, "i8,M8[s]"), np.zeros(2, "i8,M8[ns]")), ValueError,
     "destination: has elements of V16 ({f0: int64, f1: datetime64[ns]}), the other array of V16 ({f0: int64, f1: datetime64[s]})"),
    (lambda: tw.copy(np.zeros(2, "S8"), np.zeros(2)), ValueError, "destination: has elements of float64, the other array of V8 (S8)"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "S8")), ValueError, "destination: has elements of V8 (S8), the other array of float64"),
    (lambda: tw.copy(np.zeros(2, "M8[s]"), np.zeros(2, "i8")), ValueError, "destination: has elements of int64"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "M8[s]")), ValueError, "destination: has elements of V8"),
    (lambda: tw.copy(np.zeros(2, "U1"), np.zeros(2, "u4")), ValueError, "destination: has elements of uint32"),
    (lambda: tw.copy(np.zeros(2, "f4,f4"), np.zeros(2, "c8")), ValueError, "destination: has elements of complex64"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "i4,i4")), ValueError, "destination: has elements of V8"),
    (lambda: tw.pack(np.zeros(3, [])), ValueError, "x: must have elements of at least one byte"),
    (lambda: tw.unpack(np.zeros(3), np.zeros(3, [])), ValueError, "x: must have elements of at least one byte"),
    (lambda: tw.copy(np.zeros(3, []), np.zeros(3)), ValueError, "source: must have elements of at least one byte"),
    (lambda: tw.pack(3), TypeError, "x: int"),
    (lambda: tw.pack(ZEROS, "text"), TypeError, "out: str"),
    (lambda: tw.pack(ZEROS, np.zeros(23)), ValueError, "out: has 184 bytes, must have 192"),
    (lambda: tw.pack(ZEROS, np.zeros((6, 4)).T), ValueError, "out: has gaps or another order"),
    (lambda: tw.pack(ZEROS, READONLY), ValueError, "out: is read-only"),
    (lambda: tw.pack(memoryview(b"abc")), ValueError, "out: must be given"),
    (lambda: tw.pack(array.array("d", [1])), ValueError, "out: must be given: array is of no library that makes arrays"),
    (lambda: tw.unpack(np.zeros(24), READONLY), ValueError, "x: is read-only"),
    (lambda: tw.unpack(np.zeros(24), BROADCAST), ValueError, "x: has a stride of 0"),
    (lambda: tw.unpack(np.zeros(18), np.lib.stride_tricks.sliding_window_view(np.zeros(8), 3, writeable=True)), ValueError,
     "x: has elements that overlap each other"),
    (lambda: tw.unpack(np.zeros(48)[::2], ZEROS), ValueError, "packed: has gaps"),
    (lambda: tw.unpack(None, ZEROS), TypeError, "packed: NoneType"),
    (lambda: tw.copy(None, ZEROS), TypeError, "source: NoneType"),
    (lambda: tw.copy(ZEROS, None), TypeError, "destination: NoneType"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 5))), ValueError, "destination: has 20 elements, must have 24"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), "i8")), ValueError, "destination: has elements of int64, the other array of float64"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), ">f8")), ValueError, "destination: has elements of >float64"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), "f4")), ValueError, "destination: has elements of float32"),
    (lambda: tw.copy(ZEROS, READONLY), ValueError, "destination: is read-only"),
    (lambda: tw.pack(ZEROS, stream="s"), TypeError, "stream: str is not a stream"),
    (lambda: tw.pack(ZEROS, stream=types.SimpleNamespace(__cuda_stream__=5)), TypeError, "stream: its __cuda_stream__ must"),
    (lambda: tw.pack(ZEROS, stream=-1), ValueError, "stream: -1 is not the handle"),
    (lambda: tw.pack(ZEROS, stream=2**70), ValueError, "stream: 1180591620717411303424 is not the handle"),
    (lambda: tw.pack(ZEROS, stream=1.5), TypeError, "stream: float"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_packed_source_may_be_read_only_and_broadcast():
    out = tw.pack(np.broadcast_to(np.arange(6.0), (4, 6)))
    assert (out == np.arange(6.0)).all() and out.shape == (4, 6)
    assert (tw.pack(READONLY) == 0).all()


@pytest.mark.parametrize("dtype, other", [("M8[s]", "M8[s]"), ("M8[s]", "V8"), ("V8", "i8"), ("f8", "V8"), ("S4", "V4"), ("i2,f8", "V10"), ("i2,f8", "i2,f8"), ("i8,M8[s]", "V16")])
def test_copy_between_types_that_agree_or_are_bytes(dtype, other):
    x, y = np.frombuffer(bytes(range(1, 33))[:2 * np.dtype(dtype).itemsize], dtype), np.zeros(2, other)
    tw.copy(x, y)
    assert y.tobytes() == x.tobytes()


# With members that NumPy spells in many ways: by where they lie, how many there are, and how far they are apart.
MEMBERS = {"x": "<f4", "y": "S2", "z": ">i2", "b": "?", "c": "<c8", "u": "<U2", "l": "<i8", "h": "<f2", "v": "V3", "s": ("<i2", (2, 3)),
           "in": np.dtype([("p", "i1"), ("q", "<f8")]), "many": (np.dtype([("p", "i1"), ("q", "<f8")], align=True), (2,))}
STRUCTS = [np.dtype([("x", "<f4"), ("y", "S2")]), np.dtype(list(MEMBERS.items())), np.dtype(list(MEMBERS.items()), align=True),
           np.dtype({"names": ["a", "b"], "formats": ["<i2", "<f8"], "offsets": [3, 11], "itemsize": 24}),
           np.dtype({"names": ["a", "b"], "formats": ["<i4", "<i4"], "offsets": [4, 0]}),  # in another order, of which NumPy tells bytes
           np.dtype([(("a title", "t"), "<f4"), ("n", [("m", "<i2", (2,)), ("k", "<f4")])]), np.dtype([("t", "<M8[ns]"), ("x", "<f4")]),
           np.dtype("<M8[25s]"), np.dtype("S3"), np.dtype(">U2"), np.dtype(">f8"), np.dtype("?"), np.dtype("<c16"), np.dtype("<g")]


def places(dtype):
    """The same elements one behind the other, with gaps, backwards, at odd addresses, in two dimensions, in a column."""
    dense = np.zeros(8, dtype)
    odd = np.zeros(8 * dtype.itemsize + 1, np.uint8)[1:].view(dtype)
    return [dense, np.zeros(16, dtype)[::2], np.zeros(8, dtype)[::-1], odd, np.zeros(16, dtype)[:8].reshape(2, 4), np.zeros((8, 1), dtype),
            np.zeros((8, 3), dtype)[:, 1]]


@pytest.mark.parametrize("dtype", STRUCTS, ids=str)
def test_equal_types_are_equal_wherever_they_lie(dtype):
    data = np.frombuffer(bytes(range(1, 250)) * 8, np.uint8)[:8 * dtype.itemsize].view(untyped(np.zeros(1, dtype)).dtype)
    for source in places(dtype):
        untyped(source)[...] = data.reshape(source.shape)
        for destination in places(dtype):
            tw.copy(source, destination)
            assert raw(destination) == data.tobytes()
    for one in places(dtype):
        alone = one[(slice(1),) * one.ndim]  # of which NumPy says that it lies well
        tw.copy(alone, places(dtype)[0][3:4])
        assert tw.view(one).dtype == tw.view(alone).dtype


@pytest.mark.parametrize("one, other", [
    ([("x", "<f4"), ("y", "S2")], [("x", ">f4"), ("y", "S2")]), ([("x", "<f4")], [("x", "<i4")]), ([("x", "<f4")], [("y", "<f4")]),
    ([("x", "S4")], [("x", "V4")]), ([("x", "S4")], [("x", "S2", (2,))]), ([("x", "<U1")], [("x", ">U1")]), ([("x", "<c8")], [("x", "<f4", (2,))]),
    ([("x", "<i2", (2, 3))], [("x", "<i2", (3, 2))]), ([("x", "<i2", (2, 3))], [("x", "<i2", (6,))]), ([("x", "?")], [("x", "u1")]),
    ([("t", "<M8[s]")], [("t", "<M8[ns]")]), ([("t", "<M8[s]")], [("t", "<m8[s]")]), ([("t", "<M8[s]")], [("t", "<i8")]),
    ([("a", "<i4"), ("b", "V4"), ("c", "<f8")], np.dtype([("a", "<i4"), ("c", "<f8")], align=True)),
    ([("n", [("a", "<i4"), ("b", "<f4")])], [("n", [("b", "<i4"), ("a", "<f4")])]),
    ({"names": ["a"], "formats": ["<i4"], "offsets": [0], "itemsize": 8}, {"names": ["a"], "formats": ["<i4"], "offsets": [4], "itemsize": 8})])
def test_unlike_types_are_not_equal_wherever_they_lie(one, other):
    one, other = np.dtype(one), np.dtype(other)
    assert one.itemsize == other.itemsize
    for source in places(one):
        for destination in places(other):
            with pytest.raises(ValueError, match=r"^destination: has elements of .*, the other array of") as caught:
                tw.copy(source, destination)
            told = str(caught.value).partition("; ")[0].removeprefix("destination: has elements of ").split(", the other array of ")
            assert told[0] != told[1]


def test_titles_and_where_padding_stands_do_not_count():
    titled, plain = np.dtype([(("a title", "x"), "<f4"), ("t", "<M8[s]")]), np.dtype([("x", "<f4"), ("t", "<M8[s]")])
    tw.copy(np.zeros(3, titled), np.zeros(3, plain))
    aligned, told = np.dtype([("a", "i1"), ("b", "<f8")], align=True), np.dtype({"names": ["a", "b"], "formats": ["i1", "<f8"], "offsets": [0, 8]})
    tw.copy(np.zeros(3, aligned), np.zeros(6, told)[::2])

    class Struct(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_float * 3)]

    x, y = np.ones(3, [("a", "<i4"), ("b", "<f4", (3,))]), (Struct * 3)()
    tw.copy(x, y)
    assert [(s.a, *s.b) for s in y] == [(1, 1, 1, 1)] * 3
    with pytest.raises(ValueError, match=r"V16 \(\{a: int32, b: float32\[3\]\}\), the other array of V16 \(\{a: int32, b: int32\[3\]\}\)"):
        tw.copy(np.ones(3, [("a", "<i4"), ("b", "<i4", (3,))]), y)


SIZES = [1, 2, 5, 40, 1000]  # of squares; the last is moved by several threads


def overlapping(n):
    """(source, destination) of one array of n * n elements, which the next call makes anew."""
    x = np.arange(n * n, dtype=np.int32).reshape(n, n)
    flat = x.reshape(-1)
    return [(flat[:-1], flat[1:]), (flat[1:], flat[:-1]), (flat[::-1], flat), (x.T, x), (x, x.T), (x[::-1], x), (x[:, ::-1], x), (x, x),
            (x[:, :-1], x[:, 1:]), (x[1:], x[:-1]), (flat[::2], flat[:(n * n + 1) // 2]), (flat[:n * n // 2], flat[::2][:n * n // 2]),
            (flat[:n * n // 2], flat[1::2]), (x[:n // 2, :], x[n // 4:n // 4 + n // 2, :]), (x[..., :n // 2], x[..., n // 2:][..., :n // 2]),
            (x.view(np.int16)[:, ::2], x.view(np.int16)[:, 1::2]), (np.broadcast_to(x[:1], (n, n)), x)]


@pytest.mark.parametrize("case", range(len(overlapping(5))))
@pytest.mark.parametrize("move", ["copy", "pack", "unpack", "copy of a layout", "copy into a layout"])
def test_arrays_that_overlap_are_copied_as_numpy_does(move, case):
    for n in SIZES:
        source, destination = overlapping(n)[case]
        expected_source, expected = overlapping(n)[case]
        if move == "pack" and not destination.flags.c_contiguous or move == "unpack" and not source.flags.c_contiguous:
            continue
        expected[...] = expected_source.copy()
        if "layout" in move and source.size:
            rows = list(range(len(source)))
            one = tw.layout(source, rows) if move.endswith("of a layout") else source
            other = tw.layout(destination, rows) if move.endswith("into a layout") else destination
            tw.copy(one, other)
        elif "layout" not in move:
            getattr(tw, move)(source, destination)
        whole, right = (a if a.base is None else a.base for a in (destination, expected))
        assert whole.tobytes() == right.tobytes(), n


def test_parts_of_one_array_that_do_not_overlap_go_without_memory_between(monkeypatch):
    monkeypatch.setattr(tw._engine, "_through_memory", lambda *_: pytest.fail("went through memory"))
    x = np.zeros((300, 301))
    for source, destination in [(x[:, 0], x[:, -1]), (x[::2], x[1::2]), (x[:, 1::2], x[:, :-1:2]), (x[0], x[1]), (x[1::3, 1::4], x[::3, ::4][:, :75]),
                                (x, x), (x[::2, ::-1], x[::2, ::-1]), (x[1:4, 1:4], x[2:5, 4:7]), 
                                (x.ravel()[:80000].view("c16").real, x.ravel()[:80000].view("c16").imag), (x.reshape(-1)[:90000].reshape(300, 300), x.reshape(-1)[:90000])]:
        tw.copy(source, destination)
    tw.copy(tw.layout(x, [0, 2, 4]), tw.layout(x, [1, 3, 5]))
    tw.copy(tw.layout(x.T, range(0, 300, 2)), tw.layout(x.T, range(1, 301, 2)))


def test_whatever_overlaps_is_found_as_numpy_finds_it():
    """And elements that overlap each other, of all small strides."""
    random = np.random.default_rng(5)
    memory = np.zeros(4000, np.uint8)

    def strided():
        size = int(random.integers(1, 5))
        shape, strides = random.integers(1, 5, 3), random.integers(-40, 41, 3)
        return np.ndarray(tuple(shape), f"V{size}", memory, int(random.integers(1000, 1200)), tuple(strides))

    for _ in range(3000):
        a, b = strided(), strided()
        places_of = [np.add.outer(sum(np.ix_(*(np.arange(n) * s for n, s in zip(x.shape, x.strides)))).ravel() + x.ctypes.data, np.arange(x.itemsize)) for x in (a, b)]
        same = tw.view(a)._merged == tw.view(b)._merged and a.ctypes.data == b.ctypes.data
        assert tw.view(a)._overlaps(tw.view(b)) == (bool(np.intersect1d(*places_of).size) and not same)
        assert tw.view(a)._repeats == (np.unique(places_of[0]).size < places_of[0].size)


def test_nothing_prepared_overlaps():
    x = np.arange(100)
    for make, name in [(lambda: tw.copy_init(x[:-1], x[1:]), "destination"), (lambda: tw.pack_init(x[::2], x[:50]), "out"),
                       (lambda: tw.unpack_init(x[:50], x[::2]), "x"), (lambda: tw.Batch([x[:10], x[20:30]], x[25:45]), "packed")]:
        with pytest.raises(ValueError, match=f"^{name}: overlaps the other array"):
            make()
    batch = tw.Batch([x[:10], x[5:15]], np.zeros(20, int))
    batch.pack()
    with pytest.raises(ValueError, match="^views: overlap each other"):
        batch.unpack()
    both = tw.layout([x[:10], x[5:15]])
    assert tw.pack(both, np.zeros(20, int)).tolist() == [*range(10), *range(5, 15)]
    with pytest.raises(ValueError, match="^x: takes elements more than once"):
        tw.unpack(np.zeros(20, int), both)
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, writeable=True)
    tw.unpack(np.zeros(9, int), tw.layout(windows, [0, 3, 6]))
    with pytest.raises(ValueError, match="^x: takes elements more than once"):
        tw.unpack(np.zeros(9, int), tw.layout(windows, [0, 3, 5]))
