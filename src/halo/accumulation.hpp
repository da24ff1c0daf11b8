// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/prepared.hpp"

#include <optional>

namespace typewarp::halo {

/// Sends what halos hold to the owners of these elements, which combine it with what they have.
class Accumulation {
 public:
  /// Of fields of an exchange, in given width; communicates with nobody.
  Accumulation(const Setup& exchange, std::span<const Field> fields, std::int64_t width);

  /// Throws InvalidArgument that names "fields[i].element" for what `operation` does not combine.
  void check(Operation operation) const;
  /// The only stage, of which nothing is unpacked.
  std::span<Prepared> messages() noexcept { return {&messages_, 1}; }
  /// Enqueues what comes when these have.
  void combine(Operation operation, Stream stream);

  /// Of messages.
  Buffer& buffer() noexcept { return setup_.buffer; }

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
    std::int64_t bytes;
    std::byte *sent, *own;
  };
  /// What one process sends of one side, and the elements here that it is combined with.
  struct Contribution {
    Batch own;
    std::vector<Numbers> numbers;  ///< of each field
  };

  static Stage reversed(const Setup& exchange, std::span<const Field> fields, std::int64_t width);
  /// The part of each field was sent to its place in `buffer`.
  void add(std::span<const Field> fields, const Transfer& transfer, std::byte* buffer,
           const std::vector<std::int64_t>& places);

  Setup setup_;
  Prepared messages_;
  Buffer own_;  ///< for the elements of one contribution, packed
  std::vector<Type> types_;
  std::vector<Contribution> contributions_;
};

}  // namespace typewarp::halo
