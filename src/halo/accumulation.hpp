// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/pattern.hpp"
#include "schedule/messages/message_step.hpp"

#include <optional>

namespace typewarp::halo {

/// The transfers of an exchange the other way round.
Transfers reversed(Transfers transfers);

/// Sends what halos hold to the owners of these elements, which combine it with what they have.
class Accumulation {
 public:
  /// Of the parts of reversed() transfers. `on_device`: where packed messages lie. Communicates with nobody.
  Accumulation(const ProcessGrid& grid, std::span<const Field> fields, const schedule::Schedule& schedule,
               bool on_device, schedule::StreamOrder& order);

  /// Throws InvalidArgument that names "fields[i].element" for what `operation` does not combine.
  void check(Operation operation) const;
  /// Nothing of these is unpacked.
  schedule::MessageStep& messages() noexcept { return messages_; }
  schedule::MessageMemory& memory() noexcept { return memory_; }
  /// Enqueues what comes when they have come.
  void combine(Operation operation, Stream stream);

 private:
  /// Of what types the numbers of a field's elements may be.
  struct Type {
    Datatype element;
    std::vector<Named> numbers;
    /// The first that is reducible(); nothing if none is.
    std::optional<Named> of(Operation operation) const;
  };
  /// A part of a field: what was sent, and what is here, packed.
  struct Numbers {
    std::size_t field;
    std::int64_t bytes;
    std::byte *sent, *own;
  };
  /// What one process sends of one side, and the elements here that it is combined with.
  struct Contribution {
    Batch own;
    std::vector<Numbers> numbers;
  };

  /// Of those parts of a schedule that lie packed at these places.
  void add(const schedule::Schedule& schedule, const std::vector<std::size_t>& parts,
           const schedule::PackedLayout& layout);

  schedule::MessageMemory memory_;
  schedule::MessageStep messages_;
  schedule::Buffer own_;  ///< for the elements of one contribution, packed
  std::vector<Type> types_;
  std::vector<Contribution> contributions_;
};

}  // namespace typewarp::halo
