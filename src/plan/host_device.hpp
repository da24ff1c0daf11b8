// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// TYPEWARP_HD marks functions that are compiled for the host, and for a GPU where its compiler compiles;
/// TYPEWARP_CALLED the same, for what is called from many places of a GPU's kernel and is never to become
/// part of it.
#if defined(__CUDACC__) || defined(__HIP__)
#define TYPEWARP_HD __host__ __device__
#define TYPEWARP_CALLED __host__ __device__ __noinline__
#else
#define TYPEWARP_HD
#define TYPEWARP_CALLED
#endif

/// Whether what is compiled now is code of a GPU.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TYPEWARP_ON_DEVICE
#endif
