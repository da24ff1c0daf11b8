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

/// Which processes make an Exchange together, and how they meet for that. Over an MPI it is what mpi::ranks()
/// (mpi_ranks.hpp) makes of a communicator. Without one, any function that gathers bytes will do.
class Ranks {
 public:
  /// Collective: returns what each rank gives, in the order of ranks; lengths differ. Called by the thread
  /// that makes, rebinds or destroys an exchange, by all ranks in one order.
  using AllGather = std::function<std::vector<std::vector<std::byte>>(std::span<const std::byte> own)>;

  /// Rank `rank` of `size`. A peer of -1 is nobody. Nothing carries parts that cannot go from GPU to GPU: the
  /// constructor of an Exchange throws where there are such. Throws InvalidArgument.
  Ranks(int rank, int size, AllGather all_gather);

  /// Makes the group for one exchange: collective.
  using Make = std::function<std::unique_ptr<exchange::ExchangeGroup>()>;
  explicit Ranks(Make make) : make_(std::move(make)) {}

  std::unique_ptr<exchange::ExchangeGroup> group() const;

 private:
  Make make_;
};

}  // namespace typewarp
