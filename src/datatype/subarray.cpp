// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/calculus.hpp"
#include "datatype/make.hpp"

namespace typewarp {

using namespace datatype;  // NOLINT(google-build-using-namespace): these are that namespace's constructors

namespace {

constexpr std::string_view call = "typewarp::subarray";
using Integers = std::vector<std::int64_t>;

void check(const Subarray& array) {
  if (array.sizes.empty()) throw InvalidArgument(call, "sizes", "0 entries", "must have one a dimension");
  require_entries(call, "subsizes", array.subsizes.size(), "sizes", array.sizes.size());
  require_entries(call, "starts", array.starts.size(), "sizes", array.sizes.size());
  for (std::size_t i = 0; i < array.sizes.size(); ++i) {
    const Argument subsize = entry(call, "subsizes", array.subsizes, i);
    const Argument start = entry(call, "starts", array.starts, i);
    require_not_negative(entry(call, "sizes", array.sizes, i));
    require_not_negative(subsize);
    require_not_negative(start);
    const std::string bound = "sizes[" + std::to_string(i) + "], which is " + std::to_string(array.sizes[i]);
    if (subsize.value > array.sizes[i]) throw_invalid(subsize, "must not exceed " + bound);
    if (start.value > array.sizes[i] - subsize.value) {
      throw_invalid(start, "together with subsizes[" + std::to_string(i) + "], which is " +
                               std::to_string(subsize.value) + ", must not exceed " + bound);
    }
  }
}

/// From the fastest dimension to the slowest: repeat what is selected, then move it to its start.
Attributes attributes(const Subarray& array, const Attributes& child) {
  Attributes selected = child;
  std::int64_t stride = extent_of(child);
  const std::size_t dimensions = array.sizes.size();
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t i = array.order == Order::fortran ? k : dimensions - 1 - k;
    const Argument subsize = entry(call, "subsizes", array.subsizes, i);
    const Argument start = entry(call, "starts", array.starts, i);
    selected = repeated(selected, subsize.value, stride, subsize, subsize);
    selected = shifted(selected, checked_multiply(start.value, stride, start, "the start in bytes"), start);
    stride =
        checked_multiply(stride, array.sizes[i], entry(call, "sizes", array.sizes, i), "the extent in bytes");
  }
  const Argument blame = entry(call, "sizes", array.sizes, 0);
  // The bounds are those of the whole array, at offset 0 whatever the child's lower bound.
  return bounded(finished(selected, blame), 0, stride, blame);
}

}  // namespace

Datatype subarray(Integers sizes, Integers subsizes, Integers starts, Order order, const Datatype& child) {
  const Attributes& of_child = attributes_of(call, child);
  Subarray array{std::move(sizes), std::move(subsizes), std::move(starts), order, child};
  check(array);
  const Attributes result = attributes(array, of_child);
  return make(std::move(array), result);
}

}  // namespace typewarp
