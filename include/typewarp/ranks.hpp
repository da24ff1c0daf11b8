// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace typewarp {

namespace exchange {
class ExchangeGroup;
}

/// The processes that make an Exchange or a DeviceGroup together, and how they meet to do so. mpi::ranks()
/// (mpi_ranks.hpp) makes this of an MPI communicator. Without an MPI, any function that gathers bytes will
/// do.
class Ranks {
 public:
  /// Collective: returns the bytes of each rank, in the order of ranks; lengths may differ. Called by the
  /// thread that makes, rebinds or destroys one, in the same order on all ranks.
  using AllGather = std::function<std::vector<std::vector<std::byte>>(std::span<const std::byte> own)>;

  /// Rank `rank` of `size`. A peer of -1 is nobody. Parts that cannot go from GPU to GPU cannot be moved: the
  /// constructor of an Exchange throws if there are any. Throws InvalidArgument.
  Ranks(int rank, int size, AllGather all_gather);

  /// Makes the group for one exchange: collective.
  using Make = std::function<std::unique_ptr<exchange::ExchangeGroup>()>;
  explicit Ranks(Make make) : make_(std::move(make)) {}

  std::unique_ptr<exchange::ExchangeGroup> group() const;

 private:
  Make make_;
};

}  // namespace typewarp
