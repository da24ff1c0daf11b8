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
  movq %rdi, 0(%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movq %r10, 56(%rsp)
  movq %r11, 64(%rsp)
  movaps %xmm0, 80(%rsp)
  movaps %xmm1, 96(%rsp)
  movaps %xmm2, 112(%rsp)
  movaps %xmm3, 128(%rsp)
  movaps %xmm4, 144(%rsp)
  movaps %xmm5, 160(%rsp)
  movaps %xmm6, 176(%rsp)
  movaps %xmm7, 192(%rsp)
  call typewarp_resolve
  movq 0(%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movq 56(%rsp), %r10
  movq 64(%rsp), %r11
  movaps 80(%rsp), %xmm0
  movaps 96(%rsp), %xmm1
  movaps 112(%rsp), %xmm2
  movaps 128(%rsp), %xmm3
  movaps 144(%rsp), %xmm4
  movaps 160(%rsp), %xmm5
  movaps 176(%rsp), %xmm6
  movaps 192(%rsp), %xmm7
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
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x16, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  bl typewarp_resolve
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x16, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
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
