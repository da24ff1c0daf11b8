// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"

#include <optional>
#include <vector>

namespace apps {

/// The one of a program's ways that was asked for, else all that work on the memory: without the preload
/// library the MPI cannot read GPU memory.
template <typename By>
std::vector<By> choose_ways(std::optional<By> asked, std::vector<By> all, typewarp::MemoryKind memory) {
  if (asked) return {*asked};
  if (computed_by_gpu(memory)) std::erase(all, By::mpi);
  return all;
}

}  // namespace apps
