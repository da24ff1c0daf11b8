# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waiting while other tasks of asyncio run."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


async def completed(operation: Any) -> Any:
    """For asyncio: `await tw.completed(request)` is `request.wait()`, but lets other tasks run meanwhile. Works with anything that has
    done() and wait(): a Request, an Exchange, a halo exchange, a persistent operation.

    It polls, at first in each turn of the event loop, later every 50 microseconds. `await request` does the same.
    """
    import asyncio  # here, since it takes as long to import as all of this package

    asked = 0
    while not operation.done():
        asked += 1
        await asyncio.sleep(0 if asked < 100 else 50e-6)
    return operation.wait()
