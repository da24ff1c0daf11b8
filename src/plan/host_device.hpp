// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Marks functions that are compiled for the host, and for a GPU where nvcc compiles.
#ifdef __CUDACC__
#define TYPEWARP_HD __host__ __device__
#else
#define TYPEWARP_HD
#endif

/// The same, for what is called from many places of a GPU's kernel and is never to become part of it.
#ifdef __CUDACC__
#define TYPEWARP_CALLED __host__ __device__ __noinline__
#else
#define TYPEWARP_CALLED
#endif
