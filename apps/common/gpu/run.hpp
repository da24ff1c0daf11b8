// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/stream.hpp>

#include <cstdint>

namespace apps::gpu {

/// Enqueues work(i) for i from 0 to `count`, a thread each. A build without CUDA throws typewarp::Error. Each
/// program instantiates it for its kinds of work, in sources that include run_definition.hpp.
template <typename Work>
void run(const Work& work, std::int64_t count, typewarp::Stream stream);

}  // namespace apps::gpu
