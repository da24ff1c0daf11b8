# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views, pack, unpack, copy."""
from __future__ import annotations

from . import _core, _libraries
from ._core import View
from ._streams import Stream, given, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, overload

    Array = TypeVar("Array")


def view(x: Any) -> View:
    """A view of the memory of an array; a View is returned unchanged.

    Copies nothing. Waits for nothing, except for arrays of JAX, which does not reveal its streams. Keeps the memory alive. Create a view
    once if you use it often: a view of a GPU array costs about a microsecond.

    Raises TypeError for anything but an array, and ValueError for arrays of Python objects, masked arrays, tensors that require a
    gradient, and devices other than the host and CUDA GPUs.
    """
    return named_view("x", x)


def named_view(argument: str, x: Any) -> View:
    """Like view(), but errors name the argument."""
    if isinstance(x, View):
        return x
    try:
        return View(x)
    except (TypeError, ValueError, BufferError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = str(error)
        raise kind(f"{argument}: {text.removeprefix('x: ')}") from (None if text.startswith("x: ") else error)


def named_views(argument: str, arrays: Any) -> list[View]:
    """Of each of a list or tuple of arrays, or of the one array."""
    if isinstance(arrays, (list, tuple)):
        return [named_view(f"{argument}[{i}]", x) for i, x in enumerate(arrays)]
    return [named_view(argument, arrays)]


def listed(argument: str, values: Any) -> list:
    """`values` as a list; a TypeError names the argument."""
    try:
        iterator = iter(values)
    except TypeError:
        raise TypeError(f"{argument}: {type(values).__name__} is not iterable") from None
    return list(iterator)


if TYPE_CHECKING:  # what is packed into, or else an array as `x` is: of a view's array nobody knows the type
    @overload
    def pack(x: View, out: None = None, stream: Stream = None) -> Any: ...
    @overload
    def pack(x: Array, out: None = None, stream: Stream = None) -> Array: ...
    @overload
    def pack(x: Any, out: Array, stream: Stream = None) -> Array: ...


def pack(x: Any, out: Any = None, stream: Stream = None) -> Any:
    """Packs an array into a contiguous one, in row-major order. Returns `out`.

    `out` is a contiguous array of as many bytes, of any type. Without it, an array of the same shape, type, library and device is created
    for use on `stream`; ValueError for libraries without writable arrays. For overlapping arrays see copy().
    """
    source = view(x)
    if stream is not None:
        stream = given(stream)
    if out is None:
        out = _libraries.empty_like(source, stream)
    destination = named_view("out", out)
    handle = handle_of(stream, source, destination)
    if not _core.pack(source, destination, handle):
        _through_memory("out", source, destination, handle)
    return out


def unpack(packed: Any, x: Any, stream: Stream = None) -> None:
    """The reverse of pack(): writes the elements of `x`, and leaves the bytes between them alone.

    `packed` is a contiguous array of as many bytes, of any type. For overlapping arrays see copy(). ValueError if elements of `x` overlap
    each other, as in sliding windows.
    """
    source, destination = named_view("packed", packed), view(x)
    handle = handle_of(stream, source, destination)
    if not _core.unpack(source, destination, handle):
        _through_memory("x", source, destination, handle)


def copy(source: Any, destination: Any, stream: Stream = None) -> None:
    """Copies element by element from one layout to another, without a buffer between. Shapes may differ if the numbers of elements agree.

    ValueError if the element types differ: bytes are moved, never converted. Structs are equal if members of equal names and types have
    equal offsets. A type that only one side knows (bfloat16, which NumPy reports as bytes) counts as equal to any of the same size.

    If the arrays overlap, `destination` gets what `source` held before, as in NumPy. This needs a temporary array, which for GPU memory
    the library of one of the arrays creates. ValueError if it cannot, or if elements of `destination` overlap each other.
    """
    from_, to = named_view("source", source), named_view("destination", destination)
    handle = handle_of(stream, from_, to)
    if not _core.copy(from_, to, handle):
        _through_memory("destination", from_, to, handle)


def _through_memory(argument: str, source: View, destination: View, stream: int) -> None:
    """Copies between overlapping arrays, through a temporary one."""
    if source._on_gpu or destination._on_gpu:
        between = _libraries.bytes_between(argument, source, destination, stream)
    else:
        between = bytearray(source.nbytes)
    whole = View(between)
    _core.pack(source, whole, stream)
    _core.unpack(whole, destination, stream)
