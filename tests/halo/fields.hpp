// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <typewarp/engine.hpp>

/// Where the fields of a suite are, and the stream that it uses: in pageable memory and none
/// (host_fields.cpp), or with a GPU (gpu_fields.cpp), whichever is linked.
namespace typewarp::test {

std::unique_ptr<Memory> allocate_field(std::int64_t bytes);
Stream field_stream();

}  // namespace typewarp::test
