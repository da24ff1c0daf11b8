# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views, pack, unpack, copy."""
from __future__ import annotations

from . import _core, _libraries
from ._core import View
from ._streams import Stream, given, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def pack(x: Any, out: Any = None, stream: Stream = None) -> Any:
    """Packs an array into one without gaps, element after element, the last dimension fastest. Returns `out`.

    `out` is an array without gaps of as many bytes, of any type. Without it, one of the same shape, type, library and device is
    made, for use on `stream`; ValueError for libraries that have no arrays to write to. The arrays must not overlap.
    """
    source = view(x)
    if stream is not None:
        stream = given(stream)
    if out is None:
        out = _libraries.empty_like(source, stream)
    destination = named_view("out", out)
    _core.pack(source, destination, handle_of(stream, source, destination))
    return out


def unpack(packed: Any, x: Any, stream: Stream = None) -> None:
    """The reverse of pack(): writes the elements of `x`, and no byte between them.

    `packed` is an array without gaps of as many bytes, of any type. The arrays must not overlap.
    """
    source, destination = named_view("packed", packed), view(x)
    _core.unpack(source, destination, handle_of(stream, source, destination))


def copy(source: Any, destination: Any, stream: Stream = None) -> None:
    """Copies element after element, from layout to layout, with no buffer between. Shapes may differ if the elements are as many.

    ValueError if the types of elements differ: bytes are moved, never converted. Structs, strings and times are equal if both
    arrays say them in equal words. A type that only one side tells (bfloat16, which NumPy tells as bytes) is taken as equal to one
    that is as large. The arrays must not overlap.
    """
    from_, to = named_view("source", source), named_view("destination", destination)
    _core.copy(from_, to, handle_of(stream, from_, to))
