// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/run_definition.hpp"
#include "dycore/work.hpp"

namespace apps::gpu {

template void run(const dycore::Diffuse&, std::int64_t, typewarp::Stream);
template void run(const dycore::Tendency&, std::int64_t, typewarp::Stream);
template void run(const dycore::Advance&, std::int64_t, typewarp::Stream);
template void run(const dycore::SolveColumn&, std::int64_t, typewarp::Stream);

}  // namespace apps::gpu
