// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/buffer.hpp"
#include "halo/places.hpp"

namespace typewarp::halo {

/// What is settled when an exchange is made, with the neighbours where they have to know.
struct Setup {
  /// Collective. Throws what Exchange's constructor throws.
  Setup(const ProcessGrid& of, std::span<const Field> fields, const Options& asked);
  /// The same for one other stage, which is packed into a buffer of its own.
  Setup(const Setup& other, std::span<const Field> fields, Stage stage);

  /// Whether messages are packed into the buffer, for the transport to take them from there.
  bool packs() const noexcept { return options.packing != Packing::datatype; }
  /// Whether the transport finds packed bytes in page-locked memory.
  bool pins() const noexcept { return packs() && device >= 0 && options.buffers == Buffers::pinned; }
  /// Whether a field is in memory of that kind.
  bool has(MemoryKind kind) const noexcept;
  /// Whether all fields are in memory of one kind.
  bool uniform() const noexcept;

  /// Throws InvalidArgument that names "data[f]" for fields in other memory than those this was made with.
  void check_bound(std::span<const Field> fields) const;

  ProcessGrid grid;                 ///< with a communicator of the exchange's own
  Plan byte = commit(Named::byte);  ///< of what is packed
  Options options;                  ///< without anything automatic
  std::vector<PointerInfo> memory;  ///< of each field
  int device = -1;                  ///< of the fields; -1: of none
  std::vector<Stage> stages;        ///< of full width, with the order of each sender
  Buffer buffer;                    ///< of messages
  Buffer own;     ///< of what stays in the process: where the fields are, so that it does not leave a device
  Buffer poison;  ///< as long as what one transfer brings

 private:
  std::vector<int> other_ranks() const;
  bool suits_in_place(std::span<const Field> fields, const Stage& stage, const End& end) const;
  void choose_packing(std::span<const Field> fields);
  void allocate(std::span<const Field> fields);
};

}  // namespace typewarp::halo
