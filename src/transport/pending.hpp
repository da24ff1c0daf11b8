// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/descriptor.hpp"

#include <mpi.h>

#include <list>
#include <optional>
#include <utility>

namespace typewarp::transport {

/// A message that a probe took out of the MPI. Of a descriptor's length: received. Else the MPI still has to
/// hand it over.
struct Pending {
  int source;
  int tag;
  std::int64_t bytes;  ///< of the message as its receiver sees it
  std::optional<Descriptor> descriptor;
  std::optional<DescriptorBytes> data;     ///< if it was received
  MPI_Message message = MPI_MESSAGE_NULL;  ///< if it was not
};

/// Messages that were taken out of a communicator, in the order of their arrival. All messages of a source
/// that are here precede those that the MPI still has: whoever looks here first, then into the MPI, sees
/// MPI's order.
class PendingMessages {
 public:
  void add(Pending message) { messages_.push_back(std::move(message)); }
  /// The first that matches, wildcards included; null if none does.
  const Pending* find(int source, int tag) const;
  std::optional<Pending> take(int source, int tag);
  bool empty() const noexcept { return messages_.empty(); }

 private:
  std::list<Pending> messages_;
};

}  // namespace typewarp::transport
