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
    """The memory of an array; a View is returned as it is.

    No byte is copied, and nothing waits, but for arrays of JAX: it does not tell its streams, so they are waited for. The view
    keeps the memory alive. Make it once where it is used often: a view of a GPU's array costs about a microsecond.

    Raises TypeError for what is not an array. Raises ValueError for an array of Python objects, one with a mask, a tensor that
    requires a gradient, and one on a device that is neither the host nor a GPU.
    """
    return named_view("x", x)


def named_view(argument: str, x: Any) -> View:
    """The same for an argument of any name, which the errors tell."""
    if isinstance(x, View):
        return x
    try:
        return View(x)
    except (TypeError, ValueError, BufferError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = str(error)
        raise kind(f"{argument}: {text.removeprefix('x: ')}") from (None if text.startswith("x: ") else error)


def listed(argument: str, values: Any) -> list:
    """What `values` holds; a TypeError names the argument."""
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
    """Packs an array into one without gaps, element after element, the last dimension fastest. Returns `out`.

    `out` is an array without gaps of as many bytes, of any type. Without it, one of the same shape, type, library and device is
    made, for use on `stream`; ValueError for libraries that have no arrays to write to. Arrays that overlap are as in copy().
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
    """The reverse of pack(): writes the elements of `x`, and no byte between them.

    `packed` is an array without gaps of as many bytes, of any type. Arrays that overlap are as in copy(). ValueError if elements
    of `x` overlap each other, as those of windows do.
    """
    source, destination = named_view("packed", packed), view(x)
    handle = handle_of(stream, source, destination)
    if not _core.unpack(source, destination, handle):
        _through_memory("x", source, destination, handle)


def copy(source: Any, destination: Any, stream: Stream = None) -> None:
    """Copies element after element, from layout to layout, with no buffer between. Shapes may differ if the elements are as many.

    ValueError if the types of elements differ: bytes are moved, never converted. Structs are equal if members of equal names and
    types lie at equal places. A type that only one side tells (bfloat16, which NumPy tells as bytes) is taken as equal to one that
    is as large.

    Where the arrays overlap, `destination` gets what `source` held before, as in NumPy: through memory as large, which a library of
    the arrays makes if they are a GPU's. ValueError if it cannot, and if elements of `destination` overlap each other.
    """
    from_, to = named_view("source", source), named_view("destination", destination)
    handle = handle_of(stream, from_, to)
    if not _core.copy(from_, to, handle):
        _through_memory("destination", from_, to, handle)


def _through_memory(argument: str, source: View, destination: View, stream: int) -> None:
    """Copies between arrays that overlap."""
    if source._on_gpu or destination._on_gpu:
        between = _libraries.bytes_between(argument, source, destination, stream)
    else:
        between = bytearray(source.nbytes)
    whole = View(between)
    _core.pack(source, whole, stream)
    _core.unpack(whole, destination, stream)
