// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/run_definition.hpp"
#include "common/halo/pack.hpp"

namespace apps::gpu {

template void run(const Pack&, std::int64_t, typewarp::Stream);
template void run(const Unpack&, std::int64_t, typewarp::Stream);
template void run(const Wrap&, std::int64_t, typewarp::Stream);

}  // namespace apps::gpu
