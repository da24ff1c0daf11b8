// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "workloads.hpp"

namespace typewarp::bench {

/// Pageable memory, written once so that it is mapped.
std::shared_ptr<std::byte> allocate_host(std::int64_t bytes);

}  // namespace typewarp::bench
