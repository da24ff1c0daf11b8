# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What ranks make together, and end together."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Made = TypeVar("Made", bound="MadeTogether")


def together(agree: Callable[[bool], bool], make: Callable[[], T]) -> T:
    """What `make` makes. Where it raises in one rank, all raise: RuntimeError where nothing is wrong. `agree` is collective, and tells
    whether all is well everywhere."""
    failure, made = None, None
    try:
        made = make()
    except Exception as error:  # noqa: BLE001: goes on below
        failure = error
    if not agree(failure is None):
        raise failure or RuntimeError("the arguments of another rank were refused")
    return made


class MadeTogether:
    """What ranks make together, and close() together.

    A `with` block that raises closes nothing: other ranks may never come, and the error would not be seen. What is left ends before MPI is
    finalized.
    """

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: Made) -> Made:
        return self

    def __exit__(self, error: Any, *_: Any) -> None:
        if error is None:
            self.close()
