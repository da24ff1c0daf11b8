# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Objects that ranks create together and close together."""
from __future__ import annotations

from numbers import Real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Made = TypeVar("Made", bound="MadeTogether")


def check_seconds(time_limit: Any) -> None:
    """What a `time_limit` must be, before C++ sees its value."""
    if not isinstance(time_limit, Real):
        raise TypeError(f"time_limit: {type(time_limit).__name__} is not a number of seconds")


def together(agree: Callable[[bool], bool], make: Callable[[], T]) -> T:
    """Returns what `make` returns. If it raises in one rank, all raise; ranks without an error of their own raise RuntimeError. `agree`
    is collective and tells whether all is well in all ranks."""
    failure, made = None, None
    try:
        made = make()
    except Exception as error:  # noqa: BLE001: goes on below
        failure = error
    if not agree(failure is None):
        raise failure or RuntimeError("the arguments of another rank were refused")
    return made


class MadeTogether:
    """An object that ranks create together and close() together.

    A `with` block that raises does not close it: other ranks may never get there, and the error would be hidden. Whatever is still open
    is closed before MPI is finalized.
    """

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: Made) -> Made:
        return self

    def __exit__(self, error: Any, *_: Any) -> None:
        if error is None:
            self.close()
