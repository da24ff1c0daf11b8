# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Objects that speak one protocol only, over host memory of NumPy, for what is told by it; and DLPack's structures for C."""
import ctypes


class OnlyDlpack:
    """What NumPy says by DLPack. `versions` are the versions of the protocol that it knows."""

    def __init__(self, array, versions=1):
        self.array, self.versions, self.options = array, versions, None

    def __dlpack__(self, **options):
        self.options = options
        if self.versions == 0:
            if "max_version" in options:
                raise TypeError("max_version is not known")
            return self.array.__dlpack__()
        return self.array.__dlpack__(max_version=options["max_version"])

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class NoDictionary:
    """What NumPy says by DLPack; objects have no attributes but those of their class, as CuPy's."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, *, stream=None, max_version=None):
        return self.array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnDevice:
    """Host memory that is told to be a GPU's."""

    def __init__(self, array, **entries):
        interface = array.__array_interface__
        self.array = array
        self.__cuda_array_interface__ = {key: interface[key] for key in ("shape", "typestr", "data", "strides")} | {"version": 3} | entries


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class VersionedTensor(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(VersionedTensor))
VersionedTensor._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", Deleter),
                            ("flags", ctypes.c_uint64), ("tensor", Tensor)]
TensorOf = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
CurrentStream = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Api(ctypes.Structure):
    pass


Api._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.POINTER(Api)), ("allocate", ctypes.c_void_p),
                ("tensor_of", TensorOf), ("object_of", ctypes.c_void_p), ("borrowed_tensor_of", ctypes.c_void_p),
                ("current_stream", CurrentStream)]


class Exchanged:
    """An array of a library with DLPack's function table, as PyTorch has it."""

    current = 0x70  # the stream that the library works on
    alive = 0       # tensors that were handed out and not given back

    def __init__(self, data, device, type_, shape, strides=None, offset=0, flags=0):
        self.own = (ctypes.c_int64 * len(shape))(*shape), strides and (ctypes.c_int64 * len(shape))(*strides)
        pointers = [sizes and ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64)) for sizes in self.own]
        self.tensor = VersionedTensor(1, 1, None, deleter, flags, Tensor(data, *device, len(shape), *type_, *pointers, offset))


@Deleter
def deleter(_):
    Exchanged.alive -= 1


@TensorOf
def tensor_of(array, out):
    Exchanged.alive += 1
    out[0] = ctypes.addressof(array.tensor)
    return 0


@CurrentStream
def current_stream(device_type, device, out):
    out[0] = Exchanged.current + device if device_type == 2 else None
    return 0


_first = Api(1, 3, None, None, tensor_of, None, None, current_stream)
_later = Api(2, 0, ctypes.pointer(_first), None, tensor_of, None, None, current_stream)  # of a version that is not known
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = ctypes.create_string_buffer(b"dlpack_exchange_api")  # a capsule does not copy its name
Exchanged.__dlpack_c_exchange_api__ = _new(ctypes.addressof(_later), _name, None)
