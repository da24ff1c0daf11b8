// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace typewarp::test {

/// Memory of the kind that the program was linked for, all zeros; null where there is none.
std::shared_ptr<std::byte> zeros(std::int64_t bytes);
/// Makes device `rank` the current one of this thread. False where there is none, or no kind of a device's.
bool take_device(int rank);

}  // namespace typewarp::test
