# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views, pack, unpack, copy."""
from typing import Any

from . import _core, _libraries
from ._core import View
from ._streams import Stream, handle_of


def view(x: Any) -> View:
    """The memory of an array; a View is returned as it is.

    No byte is copied, and nothing waits, but for arrays of JAX: it does not tell its streams, so they are waited for. The view
    keeps the memory alive. Make it once where it is used often: a view of a GPU's array costs about a microsecond.

    Raises TypeError for what is no array, and ValueError for an array of Python objects, or on a device that is neither the
    host nor a GPU.
    """
    return x if isinstance(x, View) else View(x)


def named_view(argument: str, x: Any) -> View:
    """The same for an argument of another name than x, which the errors tell."""
    try:
        return view(x)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise type(error)(argument + text[1:] if text.startswith("x: ") else text) from None


def pack(x: Any, out: Any = None, stream: Stream = None) -> Any:
    """Packs an array into one without gaps, element after element, the last dimension fastest. Returns `out`.

    `out` is an array without gaps of as many bytes, of any type. Without it, one of the same shape, type, library and device is
    made; ValueError for libraries that have no arrays to write to. The arrays must not overlap.
    """
    source = view(x)
    if out is None:
        out = _libraries.empty_like(source)
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

    ValueError if the types of elements differ: bytes are moved, never converted. Types that only one side knows (structs,
    bfloat16 of NumPy) are taken as equal if they are as large. The arrays must not overlap.
    """
    from_, to = named_view("source", source), named_view("destination", destination)
    _core.copy(from_, to, handle_of(stream, from_, to))
