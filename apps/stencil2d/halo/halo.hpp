// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"
#include "stencil2d/phases.hpp"

#include <cstddef>
#include <cstdint>

namespace stencil2d {

/// Fills the halo of a local array from its neighbours, corners included; what lies beyond the border of the
/// field stays as it is.
class Halo {
 public:
  Halo() = default;
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  virtual ~Halo() = default;

  /// Collective. Starts after what `stream` holds; the halo is in place when it returns. Adds the time that
  /// it took to `times`.
  virtual void exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) = 0;

  /// That this rank sends in one exchange.
  virtual std::int64_t bytes_sent() const noexcept = 0;
};

}  // namespace stencil2d
