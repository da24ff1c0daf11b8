// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/step.hpp"

namespace typewarp::host {

enum class Way { pack, unpack };

/// Moves bytes [begin, end) of the packed stream of one instance of `step`, for any 0 <= begin <= end <=
/// step.size: a partial child at either end by descending into it, all whole children between by the kernel.
/// `user` is the instance's first byte, `packed` points to byte `begin`.
void move(Way way, const Step& step, std::byte* user, std::byte* packed, std::int64_t begin,
          std::int64_t end);

}  // namespace typewarp::host
