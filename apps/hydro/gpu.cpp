// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/run_definition.hpp"
#include "hydro/work.hpp"

namespace apps::gpu {

template void run(const hydro::ToPrimitive&, std::int64_t, typewarp::Stream);
template void run(const hydro::FastestWave&, std::int64_t, typewarp::Stream);
template void run(const hydro::Flux&, std::int64_t, typewarp::Stream);
template void run(const hydro::Update&, std::int64_t, typewarp::Stream);

}  // namespace apps::gpu
