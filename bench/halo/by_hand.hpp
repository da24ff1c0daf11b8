// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "way.hpp"

/// What one writes without a library: each field and direction packed by itself, by whatever moves cells.
namespace typewarp::halo_bench {

/// Moves the cells of one span between an array and packed memory, or enqueues that.
using Mover = std::function<void(bool packs, double* array, double* packed)>;
/// Makes one; `length` is that of an edge of the array.
using MoverOf = std::function<Mover(const Span3& cells, std::int64_t length)>;

/// Has the packed memory of both sides, and gets the one to the other.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  virtual double* sent() = 0;
  /// Where run() has put what came last.
  virtual double* received() = 0;
  virtual void run() = 0;
};

/// What a rank has for itself is unpacked from where it was packed, and meets no wire.
Way by_hand(const Subject& subject, const MoverOf& mover, std::shared_ptr<Wire> wire);

/// Row by row, on the host.
MoverOf loops();
/// A message for each part, from host memory to host memory; waits for them.
void send_parts(const Pattern& pattern, MPI_Comm comm, const double* sent, double* received);
std::shared_ptr<Wire> messages_on_host(const Subject& subject);

}  // namespace typewarp::halo_bench
