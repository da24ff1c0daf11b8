# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views that no slice can describe."""
from __future__ import annotations

import array

from . import _core, _libraries
from ._core import View
from ._engine import named_view, view
from ._streams import handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def layout(x: Any, index: Any = None, lengths: Any = None) -> View:
    """A view of any rows of an array, or of several arrays as one. No element of `x` is copied or read.

    layout(x, [7, 0, 3])       the rows x[7], x[0], x[3] in that order, like NumPy's x[[7, 0, 3]]; negative indices count from the end
    layout(x, mask)            the rows where the mask is true, like x[mask]; it has the shape of x, or of the first dimensions of x
    layout(x, index, lengths)  lengths[i] rows beginning with row index[i], for each i: ragged rows, if x is flat
    layout([x, y, z])          all elements of x, then those of y, then those of z, in one dimension; as bytes if their types differ

    A row is x[i]. `index` and `lengths` are lists, or arrays of any library. They are read once: later changes have no effect. GPU arrays
    are copied to the host for that, ordered by the current stream of their library, and the call waits for the copy. The arrays in a list
    must be in one kind of memory, on one device and, on GPUs, of one library. Each may be a view, including one made by this function.

    The view has a shape, but no strides unless its elements are contiguous. pack, unpack, copy, batches, messages and exchanges take it.
    Create it once: it holds 16 bytes of host memory for each block of consecutive rows, and up to five times that after its first use.
    Rows that an index names twice, and overlapping arrays in a list, can be read but not written. The view has the hints of `x`; for
    several arrays, those that all of them share.

    Raises IndexError for rows outside of x, ValueError for a mask of another shape or arrays that do not fit, TypeError for anything but
    arrays.
    """
    if index is None:
        if lengths is not None:
            raise ValueError("lengths: need an index, the first rows")
        if not isinstance(x, (list, tuple)):
            raise TypeError(f"x: must be a list of arrays where no index is given, not {type(x).__name__}")
        return _joined([named_view(f"x[{i}]", part) for i, part in enumerate(x)])
    whole, rows = view(x), _numbers("index", index)
    if rows.dtype == "bool":
        if lengths is not None:
            raise ValueError("lengths: a mask has none")
        return _core.of_mask(whole, rows, handle_of(None, rows))
    many = None if lengths is None else _numbers("lengths", lengths)
    return _core.of_ranges(whole, rows, handle_of(None, rows), many, 0 if many is None else handle_of(None, many))


def _joined(parts: list[View]) -> View:
    libraries = [_libraries.of_view(part) if part._on_gpu and part.size else None for part in parts]
    known = next((library for library in libraries if library is not None), None)
    for i, library in enumerate(libraries):
        if library not in (None, known):
            raise ValueError(f"x[{i}]: is of {library}, others of {known}, which have streams of their own")
    return _core.joined(parts)


def _numbers(argument: str, values: Any) -> View:
    """A view of an array, or of a list of integers or booleans."""
    if not isinstance(values, (list, tuple, range)):
        return named_view(argument, values)
    truths = [type(value).__name__ in ("bool", "bool_") for value in values]
    if truths and all(truths):
        return View(memoryview(bytes(map(bool, values))).cast("?"))
    try:
        if any(truths):
            raise TypeError("it holds both")
        return View(array.array("q", values))
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{argument}: must hold integers of 64 bits, or True and False alone: {error}") from None
