// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"
#include "support/user_buffer.hpp"

#include <typewarp/halo.hpp>

#include <memory>
#include <optional>
#include <string>

/// The oracle of halo exchanges: what each byte of a field's memory must be, from its global coordinates
/// alone.
namespace typewarp::test {

/// One dimension of a field, on all processes.
struct Axis {
  std::vector<std::int64_t> lengths;  ///< owned by the processes of each coordinate; one entry if undivided
  std::int64_t minus = 0, plus = 0;
  std::int64_t before = 0, after = 0;  ///< padding within the total length
  int along = halo::Field::undivided;
};

/// A field, on all processes.
struct Whole {
  Datatype element;
  std::vector<Axis> axes;
  halo::Storage storage;
};

/// What one process has of a field: owned elements hold values that their global coordinates determine; all
/// other bytes hold a pattern, and are expected to keep it unless an exchange fills them.
class Patch {
 public:
  /// `number` makes values differ from those of other fields.
  Patch(const halo::ProcessGrid& grid, const Whole& whole, std::uint64_t number);

  halo::Field field() const;
  /// Writes everything anew.
  void fill() { write(initial_); }
  void write(const Bytes& bytes) { memory_->write(bytes); }
  /// After an exchange in these directions (empty: all), of that width: the first byte that is not as it must
  /// be, in words.
  std::optional<std::string> difference(const std::vector<halo::Direction>& sides = {},
                                        std::int64_t width = halo::full_width);
  Bytes contents();
  /// The bytes of one element.
  Bytes element(const std::vector<std::int64_t>& at);
  /// Its memory: contents().size() bytes.
  std::byte* memory() { return memory_->data(); }
  /// Before an exchange.
  const Bytes& initial() const { return initial_; }

 private:
  void initialise();
  /// Calls visit(indices, offset of the element) for each element, padding included.
  template <typename Visit>
  void for_each(Visit visit) const;
  bool is_owned(const std::vector<std::int64_t>& at) const;
  bool is_filled(const std::vector<std::int64_t>& at, const std::vector<halo::Direction>& sides,
                 std::int64_t width) const;
  void put(Bytes& bytes, std::int64_t offset, const std::vector<std::int64_t>& at) const;
  std::int64_t global(std::size_t d, std::int64_t index) const;

  const halo::ProcessGrid grid_;
  Whole whole_;
  std::uint64_t number_;
  std::vector<halo::Descriptor> descriptors_;
  std::vector<std::int64_t> origins_, totals_;  ///< of what is owned, in the whole
  std::vector<std::int64_t> element_bytes_;     ///< displacements of an element's bytes
  std::int64_t first_ = 0;                      ///< offset of the element of indices 0
  Bytes initial_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace typewarp::test
