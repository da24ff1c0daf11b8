// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

namespace typewarp::explanation {

/// The rates that `options` ask for. Throws InvalidArgument.
GpuRates rates_of(const ExplainOptions& options);

TransferFloor floor_of(const GpuRates& rates, const Layout& layout, bool packs, MemoryKind packed);

}  // namespace typewarp::explanation
