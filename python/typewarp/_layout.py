# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views of what no slice can say."""
import array
from typing import Any

from . import _core
from ._core import View
from ._engine import named_view, view
from ._streams import handle_of


def layout(x: Any, index: Any = None, lengths: Any = None) -> View:
    """A view of rows of an array that are anywhere in it, or of several arrays as one. No element is copied or read.

    layout(x, [7, 0, 3])          the rows x[7], x[0], x[3], in that order, as x[[7, 0, 3]] of NumPy; negative ones from the end
    layout(x, mask)               the rows of which a mask is true, as x[mask]; its shape is that of x or of its first dimensions
    layout(x, starts, lengths)    lengths[i] rows from row starts[i] on, for each i; ragged rows, if x is flat
    layout([x, y, z])             all elements of x, then those of y, then those of z, in one dimension

    A row is x[i]: what is left without the first dimension. `index` and `lengths` are lists, or arrays of any library. Those of a
    GPU are copied to the host behind what the current stream of their library holds, and waited for. They are read once: later
    changes are not seen. The arrays in a list are of equal type and in memory of one kind and device; a view stands for an array,
    also one that this function made.

    The view has a shape, and no strides. Whatever takes a view takes it, but the fields of a halo. It costs 16 bytes of host memory
    a block of rows that follow each other, and is best made once. Elements that several rows share can be read, not written.

    Raises IndexError for rows that are not in x, ValueError for a mask of another shape and arrays that do not fit, TypeError for
    what is no array.
    """
    if index is None:
        if lengths is not None:
            raise ValueError("lengths: need an index, the first rows")
        if not isinstance(x, (list, tuple)):
            raise TypeError(f"x: must be a list of arrays where no index is given, not {type(x).__name__}")
        return _core.joined([named_view(f"x[{i}]", part) for i, part in enumerate(x)])
    whole, rows = view(x), _numbers("index", index)
    if _core.is_mask(rows):
        if lengths is not None:
            raise ValueError("lengths: a mask has none")
        return _core.of_mask(whole, rows, handle_of(None, rows))
    many = None if lengths is None else _numbers("lengths", lengths)
    return _core.of_ranges(whole, rows, many, handle_of(None, rows) if many is None else handle_of(None, rows, many))


def _numbers(argument: str, values: Any) -> View:
    """Of an array, or of a list of integers or truth values."""
    if not isinstance(values, (list, tuple, range)):
        return named_view(argument, values)
    if values and all(isinstance(value, bool) for value in values):
        return View(memoryview(bytes(values)).cast("?"))
    try:
        return View(array.array("q", values))
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{argument}: must hold integers of 64 bits, or True and False alone: {error}") from None
