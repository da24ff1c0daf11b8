# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import gc
import types
import weakref

import numpy as np
import pytest
from arrays import gpu_present, parts, raw
from hypothesis import given
from protocols import Exchanged, NoDictionary, OnDevice, OnlyDlpack

import typewarp as tw

FLOAT, BFLOAT, FLOAT8_E4M3FN, FLOAT4 = (2, 32, 1), (4, 16, 1), (10, 8, 1), (17, 4, 1)
HOST, PINNED, DEVICE, MANAGED, VULKAN = (1, 0), (3, 0), (2, 1), (13, 0), (7, 0)


@given(parts(["?", "<i2", "<f4", "<f8", "<c16"]))
def test_dlpack_of_numpy(case):
    _, part = case
    for versions in (0, 1):
        if part.ndim == 0 or (versions == 0 and not part.flags.writeable):
            continue
        x = OnlyDlpack(part, versions)
        view = tw.view(x)
        assert (view.shape, view.dtype, view.device, view.readonly) == (part.shape, part.dtype.name, "cpu", not part.flags.writeable)
        assert "stream" not in x.options
        assert tw.pack(view, bytearray(part.nbytes)) == raw(part)


def test_read_only_arrays_by_dlpack():
    x = np.zeros(3)
    x.flags.writeable = False
    assert tw.view(OnlyDlpack(x)).readonly


@pytest.mark.parametrize("versions", [0, 1])
def test_dlpack_gives_the_memory_back(versions):
    x = np.zeros(3)
    alive = weakref.ref(x)
    view = tw.view(OnlyDlpack(x, versions))
    del x
    gc.collect()
    assert alive() is not None
    del view
    gc.collect()
    assert alive() is None


@given(parts())
def test_interface_of_a_gpus_array(case):
    _, part = case
    view = tw.view(OnDevice(part))
    assert (view.shape, view.device, view.nbytes, view._on_gpu) == (part.shape, "cuda", part.nbytes, True)
    assert view.layout == tw.view(part).layout
    if not tw.built_with_gpu() and part.size:
        with pytest.raises(ValueError, match="^x: lies on a GPU, and this typewarp was built without"):
            tw.pack(view, bytearray(part.nbytes))
    elif not gpu_present():  # then the engine takes all memory for the host's
        assert tw.pack(view, bytearray(part.nbytes)) == raw(part)


@pytest.mark.parametrize("entries, text", [
    ({"shape": None}, "'shape'"), ({"shape": 3}, "'shape'"), ({"typestr": 3}, "'typestr'"), ({"typestr": "f"}, "typestr"),
    ({"typestr": "|V0"}, "at least one byte"), ({"typestr": "|O8"}, "Python objects"), ({"data": None}, "'data'"), ({"data": ("a", False)}, "'data'"),
    ({"strides": (8,)}, "'strides'"), ({"mask": np.zeros(3)}, "masked array"), ({"shape": (-1, 2)}, "negative size"),
    ({"shape": ("a",)}, "'shape'"), ({"shape": (2**70,)}, "'shape'"), ({"strides": (None, 8)}, "'strides'"), ({"strides": [48, 8]}, "'strides'"),
    ({"typestr": "|V16", "descr": [("t", "<M8[ns]"), ("s", [("o", "|O", (2,))])]}, "Python objects"),
    ({"shape": (2**62, 8)}, "64 bits"), ({"shape": (2**40, 2), "strides": (2**60, 8)}, "64 bits"), ({"data": (0, False)}, "no memory")])
def test_malformed_interfaces(entries, text):
    with pytest.raises(ValueError, match="^x: .*" + text):
        tw.view(OnDevice(np.zeros((2, 3)), **entries))


@pytest.mark.parametrize("stream, told", [(None, None), (1, 1), (0x7000, 0x7000)])
def test_the_stream_of_an_interface(stream, told):
    assert tw.view(OnDevice(np.zeros(3), stream=stream))._stream == told


@pytest.mark.parametrize("device, text", [(HOST, "cpu"), (PINNED, "cpu (pinned)"), (DEVICE, "cuda:1"), (MANAGED, "cuda:0 (managed)")])
def test_exchange_tells_the_device(device, text):
    assert tw.view(Exchanged(4096, device, FLOAT, (2, 3))).device == text


@pytest.mark.parametrize("type_, name", [(FLOAT, "float32"), (BFLOAT, "bfloat16"), (FLOAT8_E4M3FN, "float8_e4m3fn"), ((2, 32, 4), "V16"),
                                         ((17, 4, 2), "float4_e2m1fn_x2"), ((15, 6, 4), "float6_e2m3fn_x4"), ((1, 4, 2), "uint4_x2"), ((0, 4, 6), "int4_x6"),
                                         ((5, 64, 1), "complex64"), ((6, 8, 1), "bool"), ((7, 8, 1), "float8_e3m4"), ((14, 8, 1), "float8_e8m0fnu"),
                                         ((18, 32, 1), "bcomplex32"), ((3, 64, 1), "V8"), ((2, 128, 1), "float128")])
def test_exchange_tells_the_type(type_, name):
    assert tw.view(Exchanged(4096, DEVICE, type_, (2,))).dtype == name


@pytest.mark.parametrize("plain", ["<V2", "|V2"])
def test_types_of_libraries_alone_are_copied_into_plain_bytes(plain):
    """As ml_dtypes tells bfloat16 by the array interface, and cannot tell it by the buffer protocol."""
    x, y = np.array([1, 2, 3], "u2"), np.zeros(3, "u2")
    bytes_of_y = types.SimpleNamespace(__array_interface__={**y.__array_interface__, "typestr": plain, "descr": [("", plain)]})
    tw.copy(Exchanged(x.ctypes.data, HOST, BFLOAT, (3,)), bytes_of_y)
    assert y.tolist() == [1, 2, 3]
    y[:] = 4, 5, 6
    tw.copy(bytes_of_y, Exchanged(x.ctypes.data, HOST, BFLOAT, (3,)))
    assert x.tolist() == [4, 5, 6]


def test_numbers_of_fewer_than_8_bits():
    """One element is a byte, as of PyTorch's float4_e2m1fn_x2; or each number is, where they are padded."""
    x, y = np.arange(1, 13, dtype=np.uint8).reshape(3, 4), np.zeros((4, 3), np.uint8)
    pairs = Exchanged(x.ctypes.data, HOST, (17, 4, 2), (4, 3), (1, 4))
    assert (tw.view(pairs).nbytes, tw.view(pairs).strides) == (12, (1, 4))
    tw.copy(pairs, Exchanged(y.ctypes.data, HOST, (17, 4, 2), (4, 3)))
    assert (y == x.T).all()
    assert tw.view(Exchanged(x.ctypes.data, HOST, FLOAT4, (12,), flags=4)).nbytes == 12
    assert tw.view(Exchanged(x.ctypes.data, HOST, (17, 4, 2), (6,), flags=4)).nbytes == 12
    for other in (y, y.view("i1"), Exchanged(y.ctypes.data, HOST, (15, 6, 4), (4,)), Exchanged(y.ctypes.data, HOST, (1, 4, 2), (12,)),
                  Exchanged(y.ctypes.data, HOST, FLOAT8_E4M3FN, (12,))):
        with pytest.raises(ValueError, match=r"^destination: has elements of .*, the other array of float4_e2m1fn_x2"):
            tw.copy(pairs, other)
    tw.copy(pairs, y.view("V1"))


@pytest.mark.parametrize("one, other", [((2, 32, 2), (2, 64, 1)), ((2, 32, 2), (0, 32, 2)), ((2, 32, 2), (5, 64, 1)), ((7, 8, 1), (8, 8, 1)), ((6, 8, 1), (1, 8, 1)),
                                        ((4, 16, 1), (2, 16, 1)), ((18, 32, 1), (5, 32, 1))])
def test_unlike_types_of_dlpack_are_not_equal(one, other):
    x = np.zeros(64, np.uint8)
    of_x, of_y = Exchanged(x.ctypes.data, HOST, one, (2,)), Exchanged(x.ctypes.data + 32, HOST, other, (2,))
    with pytest.raises(ValueError, match="^destination: has elements of"):
        tw.copy(of_x, of_y)
    tw.copy(of_x, Exchanged(x.ctypes.data + 32, HOST, one, (2,)))


def test_exchange_tells_strides_in_elements_and_an_offset():
    view = tw.view(Exchanged(4096, HOST, BFLOAT, (2, 3), (1, -5), offset=64))
    assert (view.strides, view.address, view._range) == ((2, -10), 4160, (4140, 24))
    assert tw.view(Exchanged(4096, HOST, BFLOAT, (2, 3))).strides == (6, 2)
    assert tw.view(Exchanged(0, HOST, BFLOAT, (2, 0))).nbytes == 0


def test_exchange_gives_back_and_tells_what_is_read_only():
    before = Exchanged.alive
    view = tw.view(Exchanged(4096, HOST, FLOAT, (2,), flags=1))
    assert view.readonly and Exchanged.alive == before + 1
    del view
    gc.collect()
    assert Exchanged.alive == before


@pytest.mark.parametrize("device, type_, shape, strides, text", [
    (VULKAN, FLOAT, (2,), None, "device of another kind"), (DEVICE, FLOAT4, (2,), None, "not whole bytes"),
    (HOST, (17, 4, 3), (2,), None, "not whole bytes"), (HOST, (2, 32, 0), (2,), None, "not whole bytes"), (HOST, (2, 0, 1), (2,), None, "not whole bytes"),
    (HOST, (19, 8, 1), (2,), None, r"type that is not known \(DLPack's 19\)"), (HOST, (255, 32, 1), (2,), None, r"not known \(DLPack's 255\)"),
    (DEVICE, FLOAT, (2, 2), (2**62, 1), "64 bits"), (DEVICE, FLOAT, (2**40, 2**30), None, "64 bits")])
def test_exchange_of_what_cannot_be_moved(device, type_, shape, strides, text):
    before = Exchanged.alive
    with pytest.raises(ValueError, match="^x: .*" + text):
        tw.view(Exchanged(4096, device, type_, shape, strides))
    gc.collect()
    assert Exchanged.alive == before


def test_exchange_tells_the_current_stream():
    assert tw.view(Exchanged(4096, DEVICE, FLOAT, (2,)))._stream == 0x71
    assert tw.view(Exchanged(4096, PINNED, FLOAT, (2,)))._stream is None


@pytest.mark.parametrize("name", ["is_conj", "is_neg"])
def test_what_is_computed_only_when_it_is_read(name):
    x = OnlyDlpack(np.zeros(3))
    setattr(x, name, lambda: True)
    with pytest.raises(ValueError, match="^x: is conjugated or negated only when"):
        tw.view(x)


@pytest.mark.parametrize("Base", [OnlyDlpack, lambda x: Exchanged(x.ctypes.data, HOST, FLOAT, (3,))], ids=["dlpack", "exchange"])
def test_a_gradient_is_not_lost_in_silence(Base):
    x = Base(np.zeros(3, np.float32))
    x.requires_grad = False
    tw.view(x)
    x.requires_grad = True
    with pytest.raises(ValueError, match=r"^packed: requires a gradient; call detach\(\)"):
        tw.unpack(x, np.zeros(3, np.float32))


def test_a_class_whose_objects_have_no_dictionary_is_asked_once():
    asked = []

    class Asked(type):
        def __getattribute__(cls, name):
            asked.append(name)
            return super().__getattribute__(name)

    class Array(NoDictionary, metaclass=Asked):
        __slots__ = ()

    for n in range(1, 4):
        view = tw.view(Array(np.zeros(n)))
        assert (view.shape, view.readonly) == ((n,), False)
    for name in ("requires_grad", "block_until_ready", "__dlpack_c_exchange_api__"):
        assert asked.count(name) == 1, name


def test_what_such_a_class_has_is_asked_of_each_object():
    class Array(NoDictionary):
        __slots__ = ("requires_grad", "waited")

        def block_until_ready(self):
            self.waited = True

    x, y = Array(np.zeros(3)), Array(np.zeros(3))
    x.requires_grad, y.requires_grad = False, True
    assert tw.view(x).readonly and x.waited  # as JAX's
    with pytest.raises(ValueError, match="^x: requires a gradient"):
        tw.view(y)


def test_a_class_that_makes_up_attributes_is_not_believed():
    class Array(NoDictionary):
        __slots__ = ()

        def __getattr__(self, name):
            if name == "requires_grad":
                return True
            raise AttributeError(name)

    with pytest.raises(ValueError, match="^x: requires a gradient"):
        tw.view(Array(np.zeros(3)))


def test_an_array_of_a_gpu_that_the_host_reaches():
    """CuPy's arrays have the buffer protocol, and refuse it unless their memory is managed; it would lose the stream."""
    class Array(bytearray):
        __cuda_array_interface__ = OnDevice(np.zeros(3), stream=9).__cuda_array_interface__

    view = tw.view(Array(24))
    assert (view.device, view._stream) == ("cuda", 9)


def test_a_buffer_error_is_named():
    class Refusing(OnlyDlpack):
        def __dlpack__(self, **options):
            raise BufferError("not today")

    with pytest.raises(ValueError, match="^destination: not today"):
        tw.copy(np.zeros(3), Refusing(np.zeros(3)))
