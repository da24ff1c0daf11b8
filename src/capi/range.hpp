// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "capi/arguments.hpp"

/// The byte range of a call that has null for all bytes.
namespace typewarp::capi {

ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t count, const Plan& plan);
/// Of a copy, both sides of which hold equally many bytes if it is all.
ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t source_count,
                   const Plan& source_plan, std::int64_t destination_count, const Plan& destination_plan);

}  // namespace typewarp::capi
