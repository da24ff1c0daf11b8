// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/copy_long.hpp"
#include "engine/host/step.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#ifdef __x86_64__
#include <immintrin.h>

#define TYPEWARP_HOST_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace typewarp::host {
namespace {
#include "engine/host/kernels.ipp"
}  // namespace

void avx2::choose_kernels(Step& step) { choose(step); }
}  // namespace typewarp::host
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace typewarp::host {
bool avx2::supported() noexcept { return __builtin_cpu_supports("avx2") != 0; }
}  // namespace typewarp::host

#else

namespace typewarp::host {
bool avx2::supported() noexcept { return false; }
void avx2::choose_kernels(Step& step) { baseline::choose_kernels(step); }
}  // namespace typewarp::host

#endif
