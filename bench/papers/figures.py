# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures and tables of the papers: what each says, and which benchmark measures it. docs/internals/measuring.md
says which they are."""

import addresses
import halos
import messages
import packing
import programs

FIGURES = [
    *packing.FIGURES,
    *addresses.FIGURES,
    *messages.FIGURES,
    *programs.FIGURES,
    *halos.FIGURES,
]
