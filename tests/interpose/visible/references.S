// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Weak references to all calls of the table, in its order, as programs have them that look what an MPI has.
  .macro trampoline name index
  .weak \name
  .quad \name
  .endm

  .data
  .balign 8
  .globl references
references:
#include "interpose/trampolines.inc"

  .section .note.GNU-stack, "", %progbits
