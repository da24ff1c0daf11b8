# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the library of an array does: it creates another array, and knows its current stream.

No library is imported here: that of an array is imported already.
"""
from __future__ import annotations

import sys

from ._core import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def library_of(array: Any) -> str:
    """'numpy', 'cupy', 'torch', ...: the package of the first known class among the array's class and its bases; else the package of
    its own class."""
    packages = [base.__module__.partition(".")[0] for base in type(array).__mro__]
    return next((package for package in packages if package in MAKERS), packages[0])


# The makers. Memory of a GPU may be used at once on `stream`, a handle, or on the current stream where it is None: libraries
# that keep freed memory reuse it in the order of a stream.


def _numpy(array, shape, dtype, stream):
    return sys.modules["numpy"].empty(shape, dtype or array.dtype)


def _cupy(array, shape, dtype, stream):
    import contextlib
    cupy = sys.modules["cupy"]
    with array.device, contextlib.nullcontext() if stream is None else cupy.cuda.ExternalStream(stream):
        return cupy.empty(shape, dtype or array.dtype)


def _torch(array, shape, dtype, stream):
    import contextlib
    torch = sys.modules["torch"]
    if stream is not None:
        stream = torch.cuda.ExternalStream(0 if stream == 1 else stream, device=array.device)  # 1 is the default stream, too
    with contextlib.nullcontext() if stream is None else torch.cuda.stream(stream):
        return torch.empty(shape, dtype=getattr(torch, dtype) if dtype else array.dtype, device=array.device)


def _numba(array, shape, dtype, stream):
    cuda = sys.modules["numba.cuda"]
    with cuda.gpus[array.gpu_data.context.device.id]:
        return cuda.device_array(shape, dtype or array.dtype)


MAKERS = {"numpy": _numpy, "cupy": _cupy, "torch": _torch, "numba": _numba}


def _sample(array: Any) -> Any:
    """Of a view: the first of those that layout() joined."""
    return array[0] if isinstance(array, tuple) else array


def of_view(view: View) -> str:
    return library_of(_sample(view.array))


def _made(view: View, argument: str, shape, dtype=None, stream=None):
    array = _sample(view.array)
    library = library_of(array)
    if library not in MAKERS:
        why = "arrays of JAX cannot be written" if library in ("jax", "jaxlib") else f"{type(array).__name__} is of no library that makes arrays"
        raise ValueError(f"{argument}: must be given: {why}")
    return MAKERS[library](array, shape, dtype, stream if view._on_gpu else None)


def empty_like(view: View, stream: int | None) -> Any:
    """A new contiguous array of the view's shape, type, library and device, for use on a stream (None: the current one). ValueError
    names `out`."""
    # As layout() joins arrays of several types.
    dtype = "uint8" if view.itemsize == 1 and isinstance(view.array, tuple) and view.dtype == "uint8" else None
    return _made(view, "out", view.shape, dtype, stream)


def empty_bytes(view: View, nbytes: int) -> Any:
    """A new array of bytes, of the view's library and device. ValueError names `packed`."""
    return _made(view, "packed", (nbytes,), "uint8")


def bytes_between(argument: str, source: View, destination: View, stream: int) -> Any:
    """A new array of bytes, of the library of either, for use on a stream. ValueError names the argument."""
    for view in (source, destination):
        if view._on_gpu and of_view(view) in MAKERS:
            return _made(view, argument, (source.nbytes,), "uint8", stream)
    raise ValueError(f"{argument}: overlaps the other array, and {of_view(source)} makes no arrays through which they could be copied")


def current_stream(view: View) -> int | None:
    """The current stream of libraries that do not report it by the protocol; None for those without streams."""
    array = _sample(view.array)
    library = library_of(array)
    if library == "cupy":
        with array.device:
            return sys.modules["cupy"].cuda.get_current_stream().ptr
    if library == "torch":  # before 2.10
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    return None
