// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/fields.hpp"
#include "support/host_memory.hpp"

namespace typewarp::test {

std::unique_ptr<Memory> allocate_field(std::int64_t bytes) { return std::make_unique<HostMemory>(bytes); }
Stream field_stream() { return nullptr; }

}  // namespace typewarp::test
