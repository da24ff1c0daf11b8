# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures and tables of the papers: what each says, and which benchmark measures it. docs/internals/measuring.md
says which they are."""

import addresses
import halos
import messages
import packing
import programs
from figure import Figure

NOT_BUILT = (
    ("004-all-to-all", "004: the GCL's all_to_all_halo", "halo::all_to_all is tested, and not measured"),
    (
        "004-openacc",
        "004: OpenACC with device pointers in MPI calls, I and II",
        "no compiler of OpenACC for GPUs is carried; examples/openacc.c is tested in memory of the host",
    ),
)
FIGURES = [
    *packing.FIGURES,
    *addresses.FIGURES,
    *messages.FIGURES,
    *programs.FIGURES,
    *halos.FIGURES,
    *(Figure(name, title, [], missing=missing) for name, title, missing in NOT_BUILT),
]
