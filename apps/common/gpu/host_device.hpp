// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Before a function that kernels call as well as the host.
#ifdef __CUDACC__
#define APPS_HOST_DEVICE __host__ __device__
#else
#define APPS_HOST_DEVICE
#endif
