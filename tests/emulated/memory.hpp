// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "calls.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace emulated {

/// What the driver knows of memory.
struct Allocation {
  std::byte* base;
  std::size_t bytes;
  cudaMemoryType type;
  int device;
  CUctx_st* context;
  std::uint64_t number;  ///< no other one has it, ever
  enum class Origin { plain, pool, host, registered, imported } origin;

  bool is_device() const { return type == cudaMemoryTypeDevice; }
};

/// That in which an address lies.
std::optional<Allocation> allocation_of(const void* address);
/// As a context takes its memory with it.
void free_all_of(CUctx_st* context);

}  // namespace emulated
