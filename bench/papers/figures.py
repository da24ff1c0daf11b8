# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures and tables of the papers: what each says, and which benchmark measures it. docs/internals/measuring.md
says which they are."""

import halos
import messages
import packing
import programs
from figure import Figure

NOT_BUILT = (
    (
        "000-fig7-types",
        "000 figure 7: all types, by the library's own lookup",
        "bench/pack finds addresses of vectors and subarrays only, by hand",
    ),
    ("004-all-to-all", "004: the GCL's all_to_all_halo", "the halo layer has none"),
    (
        "004-openacc",
        "004: OpenACC with device pointers in MPI calls, I and II",
        "no client by OpenACC is built",
    ),
)
FIGURES = [
    *packing.FIGURES,
    *messages.FIGURES,
    *programs.FIGURES,
    *halos.FIGURES,
    *(Figure(name, title, [], missing=missing) for name, title, missing in NOT_BUILT),
]
