// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An exported MPI call is a jump through its slot. Every slot holds typewarp_resolver until the first call of any of them,
// which keeps all registers that may carry arguments, has the slots filled, and starts over: as lazy binding does.

// Where each trampoline is, in the order of the table, whatever else has its name in this process.
  .section .data.rel.ro.local, "aw"
  .balign 8
  .globl typewarp_trampolines
  .hidden typewarp_trampolines
typewarp_trampolines:

  .macro listed index
  .section .data.rel.ro.local, "aw"
  .quad .Ltrampoline\index
  .endm

#if defined(__x86_64__)

  .macro trampoline name index
  .text
  .balign 16
  .globl \name
  .type \name, @function
\name:
.Ltrampoline\index:
  .cfi_startproc
  endbr64
  leaq typewarp_slots+8*\index(%rip), %r11
  jmpq *(%r11)
  .cfi_endproc
  .size \name, .-\name
  listed \index
  .endm

  .macro save move register place
  \move %\register, \place(%rsp)
  .endm
  .macro load move register place
  \move \place(%rsp), %\register
  .endm
  // Registers that may carry arguments, by one of these macros.
  .macro each_argument act
  .set place, 0
  .irp register, rdi, rsi, rdx, rcx, r8, r9, rax, r10, r11
  \act movq \register place
  .set place, place + 8
  .endr
  .set place, 80
  .irp register, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7
  \act movaps \register place
  .set place, place + 16
  .endr
  .endm

  .text
  .balign 16
  .type typewarp_resolver, @function
typewarp_resolver:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $208, %rsp
  each_argument save
  call typewarp_resolve
  each_argument load
  leave
  .cfi_def_cfa %rsp, 8
  jmpq *(%r11)
  .cfi_endproc
  .size typewarp_resolver, .-typewarp_resolver

#elif defined(__aarch64__)

  .macro trampoline name index
  .text
  .balign 16
  .globl \name
  .type \name, %function
\name:
.Ltrampoline\index:
  .cfi_startproc
  hint #34  // bti c
  adrp x16, typewarp_slots+8*\index
  add x16, x16, :lo12:typewarp_slots+8*\index
  ldar x17, [x16]  // what the function reads was written before the slot was
  br x17
  .cfi_endproc
  .size \name, .-\name
  listed \index
  .endm

  // Registers that may carry arguments.
  .macro each_argument move
  \move x0, x1, [sp, #16]
  \move x2, x3, [sp, #32]
  \move x4, x5, [sp, #48]
  \move x6, x7, [sp, #64]
  \move x8, x16, [sp, #80]
  \move q0, q1, [sp, #96]
  \move q2, q3, [sp, #128]
  \move q4, q5, [sp, #160]
  \move q6, q7, [sp, #192]
  .endm

  .text
  .balign 16
  .type typewarp_resolver, %function
typewarp_resolver:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset x29, -224
  .cfi_offset x30, -216
  mov x29, sp
  each_argument stp
  bl typewarp_resolve
  each_argument ldp
  ldp x29, x30, [sp], #224
  .cfi_restore x29
  .cfi_restore x30
  .cfi_def_cfa_offset 0
  ldar x17, [x16]
  br x17
  .cfi_endproc
  .size typewarp_resolver, .-typewarp_resolver

#else
#error "no trampolines for this architecture"
#endif

#include "interpose/trampolines.inc"

  .data
  .balign 64
  .globl typewarp_slots
  .hidden typewarp_slots
typewarp_slots:
  .rept typewarp_calls
  .quad typewarp_resolver
  .endr
  .size typewarp_slots, .-typewarp_slots

  .section .note.GNU-stack, "", %progbits
