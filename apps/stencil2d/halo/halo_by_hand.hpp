// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/halo/halo.hpp"

#include <mpi.h>

namespace stencil2d {

/// As SHOC does it, and 001 (section V-B) compares with: rows and columns are copied to host memory by
/// cudaMemcpy2D, sent by the MPI, and copied back. First whole rows go to the north and south, then whole
/// columns to the west and east, with the halo rows that have just arrived: so the corners are right without
/// messages to diagonal neighbours.
class HaloByHand final : public Halo {
 public:
  /// The host memory is page-locked where the field is CUDA's. Throws typewarp::Error if a message is longer
  /// than MPI_Isend takes, and what Buffer does.
  HaloByHand(const Domain& domain, std::int64_t element_bytes, typewarp::MemoryKind kind, MPI_Comm comm);

  void exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) override;
  std::int64_t bytes_sent() const noexcept override;

 private:
  /// Rows or columns of the array: `height` pieces of `width` bytes, a pitch apart.
  struct Strip {
    std::int64_t width, height;
    std::int64_t bytes() const noexcept { return width * height; }
  };
  /// A neighbour, where in the array that begins which it gets and which it sends, and the host's copies.
  struct Edge {
    Edge(Side side, typewarp::MemoryKind kind, const Strip& strip, int neighbour, std::int64_t outgoing,
         std::int64_t incoming);

    bool exists() const noexcept { return neighbour != MPI_PROC_NULL; }

    Side side;
    int neighbour;
    std::int64_t outgoing, incoming;
    apps::Buffer sent, received;
  };
  void trade(std::byte* field, const Strip& strip, const Edge& low, const Edge& high,
             const apps::OwnedStream& stream, PhaseTimes& times) const;
  void pack(const std::byte* field, const Strip& strip, const Edge& edge,
            const apps::OwnedStream& stream) const;
  void unpack(std::byte* field, const Strip& strip, const Edge& edge, const apps::OwnedStream& stream) const;

  MPI_Comm comm_;
  std::int64_t pitch_;
  Strip rows_, columns_;
  Edge north_, south_, west_, east_;
};

}  // namespace stencil2d
