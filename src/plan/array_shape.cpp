// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/array_shape.hpp>

#include "datatype/of_thread.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace typewarp {
namespace {

constexpr std::string_view call = "typewarp::ArrayShape";

/// The strides of an array without gaps; those that no element needs may be beyond 64 bits, and wrap then.
std::array<std::int64_t, ArrayShape::max_rank> dense_strides(std::span<const std::int64_t> sizes) {
  std::array<std::int64_t, ArrayShape::max_rank> strides{};
  std::uint64_t stride = 1;
  for (std::size_t d = std::min(sizes.size(), strides.size()); d-- > 0;) {
    strides[d] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(sizes[d]);
  }
  return strides;
}

/// Plans of one thread, of the shapes that it came to last.
class RecentPlans {
 public:
  const Plan& of(const ArrayShape& shape, Named element) {
    for (std::size_t looks = 0; looks < entries_.size(); ++looks) {
      const std::optional<Entry>& entry = entries_[found_];
      if (entry && entry->element == element && entry->shape == shape) return entry->plan;
      found_ = (found_ + 1) % entries_.size();  // programs come to their shapes in the same order
    }
    found_ = oldest_;
    entries_[oldest_] = Entry{element, shape, commit(datatype_of(shape, element))};
    oldest_ = (oldest_ + 1) % entries_.size();
    return entries_[found_]->plan;
  }

 private:
  struct Entry {
    Named element;
    ArrayShape shape;
    Plan plan;
  };
  std::array<std::optional<Entry>, 16> entries_;
  std::size_t found_ = 0;
  std::size_t oldest_ = 0;
};

}  // namespace

ArrayShape::ArrayShape(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides)
    : rank_(sizes.size()) {
  if (rank_ > max_rank) {
    throw InvalidArgument(call, "sizes.size()", static_cast<long long>(rank_),
                          "must not exceed " + std::to_string(max_rank));
  }
  if (strides.size() != rank_) {
    throw InvalidArgument(call, "strides.size()", static_cast<long long>(strides.size()),
                          "must be " + std::to_string(rank_) + ", as that of sizes");
  }
  bool empty = false;
  for (std::size_t d = 0; d < rank_; ++d) {
    if (sizes[d] < 0) {
      throw InvalidArgument(call, "sizes[" + std::to_string(d) + "]", sizes[d], "must not be negative");
    }
    empty = empty || sizes[d] == 0;
    sizes_[d] = sizes[d];
    strides_[d] = strides[d];
  }
  if (empty) {
    elements_ = 0;
    return;
  }
  for (std::size_t d = rank_; d-- > 0;) {
    dense_ = dense_ && (sizes[d] == 1 || strides[d] == elements_);
    if (__builtin_mul_overflow(elements_, sizes[d], &elements_)) {
      throw InvalidArgument(call, "sizes", "more than 2^63 - 1 elements", "must fit 64 bits");
    }
  }
}

ArrayShape::ArrayShape(std::span<const std::int64_t> sizes)
    : ArrayShape(
          sizes,
          std::span<const std::int64_t>(dense_strides(sizes)).first(std::min(sizes.size(), max_rank))) {}

Datatype datatype_of(const ArrayShape& shape, Named element) {
  Datatype type = element;
  if (shape.dense()) return contiguous(shape.elements(), type);
  const std::int64_t bytes = type.extent();
  for (std::size_t d = shape.rank(); d-- > 0;) {
    std::int64_t stride = 0;
    if (__builtin_mul_overflow(shape.strides()[d], bytes, &stride)) {
      throw InvalidArgument("typewarp::datatype_of", "strides[" + std::to_string(d) + "]", shape.strides()[d],
                            "must fit 64 bits in bytes");
    }
    type = hvector(shape.sizes()[d], 1, stride, type);
  }
  return type;
}

Plan commit(const ArrayShape& shape, Named element) {
  return OfThread<RecentPlans>::get().of(shape, element);
}

}  // namespace typewarp
