// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>
#include <typewarp/element.hpp>
#include <typewarp/halo_descriptor.hpp>

#include <span>
#include <vector>

namespace typewarp::halo {

/// How the elements of an array are arranged in memory. A dimension may be padded, and its elements may be
/// any distance apart, forwards or backwards.
class Storage {
 public:
  /// C order: the last dimension fastest.
  Storage() = default;
  /// The first dimension fastest.
  static Storage fortran();
  /// The GCL's layout map: dimension d has the map[d]-th largest stride; 0 is the largest. Dimension d is
  /// stored as if it had padding[d] elements more than its total length; empty: none.
  static Storage permuted(std::vector<int> map, std::vector<std::int64_t> padding = {});
  /// The distance from one index of dimension d to the next, in elements.
  static Storage strided(std::vector<std::int64_t> strides);
  /// The same in bytes.
  static Storage byte_strided(std::vector<std::int64_t> strides);

  /// Bytes from one index to the next in each dimension, for elements that are `extent` bytes apart. Throws
  /// InvalidArgument that names the entry unless lists have one entry per dimension, the map is a
  /// permutation, padding is not negative, elements do not overlap, and bytes fit 64 bits.
  std::vector<std::int64_t> strides(std::span<const Descriptor> descriptors, std::int64_t extent) const;

 private:
  enum class Kind : std::uint8_t { c, fortran, permuted, elements, bytes };
  std::vector<std::int64_t> dense(std::span<const Descriptor> descriptors, std::int64_t extent) const;

  Kind kind_ = Kind::c;
  std::vector<int> map_;
  std::vector<std::int64_t> values_;  ///< padding or strides
};

/// An array with a halo: its address, its elements and their arrangement, and which of its dimensions are
/// divided among processes. A value; the memory is the caller's.
class Field {
 public:
  /// `data` is the element whose indices are 0, even if strides are negative; it may be null until there is
  /// memory. Dimension d of the array lies along dimension along[d] of the process grid, or along none if
  /// that is `undivided`; empty: along d. Throws InvalidArgument that names "descriptors[d]...", "along[d]",
  /// "element" if it is null or has no bytes, and what Storage::strides() throws.
  Field(void* data, Datatype element, std::vector<Descriptor> descriptors, const Storage& storage = {},
        std::vector<int> along = {});
  template <typename T>
  Field(T* data, std::vector<Descriptor> descriptors, const Storage& storage = {},
        std::vector<int> along = {})
      : Field(static_cast<void*>(data), element_of<T>(), std::move(descriptors), storage, std::move(along)) {}

  static constexpr int undivided = -1;

  void* data() const noexcept { return data_; }
  void rebind(void* data) noexcept { data_ = data; }
  const Datatype& element() const noexcept { return element_; }
  const std::vector<Descriptor>& descriptors() const noexcept { return descriptors_; }
  /// In bytes.
  const std::vector<std::int64_t>& strides() const noexcept { return strides_; }

  const std::vector<int>& along() const noexcept { return along_; }
  std::size_t dimensions() const noexcept { return descriptors_.size(); }

  /// Dimensions from the largest stride to the smallest: the best order to walk the memory in.
  std::vector<int> order() const;
  /// Step of a direction of the process grid along dimension `d` of the array.
  int step(const Direction& direction, std::size_t d) const noexcept;
  /// The elements of `box`, a range per dimension, with displacements from data(). `order` lists dimensions
  /// from the slowest to the fastest in the packed stream.
  Datatype part(std::span<const Range> box, std::span<const int> order) const;

 private:
  void* data_;
  Datatype element_;
  std::vector<Descriptor> descriptors_;
  std::vector<std::int64_t> strides_;
  std::vector<int> along_;
};

}  // namespace typewarp::halo
