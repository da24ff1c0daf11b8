// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A stream of a GPU library, such as a cudaStream_t; null is the legacy default stream. Ignored if no
/// device is involved.
typedef void* tw_stream;
