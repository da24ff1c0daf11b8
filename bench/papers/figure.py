# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a figure is: what the paper says of it, which benchmark measures it, and how its rows are drawn."""

import dataclasses
import sys
from collections.abc import Callable

from recording import Piece
from running import ROOT

MIB = 1 << 20


@dataclasses.dataclass
class Figure:
    """`panel`, `x` and `line` place a row in the plot, which shows its `value`, in some `unit`; or `lines` gives
    several of a row. What `counts` only reads the sources. `seconds` is what it takes. `needs` is a program that a
    build may lack. `targets` are this project's own, as reporting.summary() has them."""

    name: str
    title: str
    claims: list
    script: str
    options: tuple = ()
    seconds: float = 60
    gpus: int = 0
    panel: Callable = lambda row: f"{row['direction']}, {row['memory']}"
    x: Callable = lambda row: row["packed_bytes"]
    x_label: str = "packed bytes"
    line: Callable | None = None
    lines: Callable | None = None
    value: str = "median_us"
    unit: str = "us"
    is_shown: Callable = lambda row: True
    resume: tuple = ()
    counts: bool = False
    needs: str = ""
    targets: tuple = ()

    def piece(self, folder):
        command = [sys.executable, ROOT / "bench" / self.script, "--output", "{output}"]
        measured = [] if self.counts else ["--bin", folder, "--seconds", "{seconds}"]
        needs = [str(next(folder.glob(f"{self.needs}_*"), self.needs))] if self.needs else []
        return Piece(
            self.name,
            [*command, *measured, *self.options],
            self.seconds,
            gpus=self.gpus,
            needs=needs,
            resume=self.resume,
        )
