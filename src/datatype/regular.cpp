// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The constructors whose arguments are numbers: contiguous, vector, hvector, resized, dup.

#include "datatype/calculus.hpp"
#include "datatype/make.hpp"

namespace typewarp {

using namespace datatype;  // NOLINT(google-build-using-namespace): these are that namespace's constructors

namespace {

/// `count` blocks of `blocklength` children, `stride` bytes from block to block.
Attributes blocks(const Attributes& child, const Argument& count, const Argument& blocklength,
                  std::int64_t stride, const Argument& blame_stride) {
  require_not_negative(count);
  require_not_negative(blocklength);
  if (child.size == 0 || count.value == 0 || blocklength.value == 0) return {};
  const Attributes block = repeated(child, blocklength.value, extent_of(child), blocklength, blocklength);
  return finished(repeated(block, count.value, stride, count, blame_stride), blame_stride);
}

}  // namespace

Datatype contiguous(std::int64_t count, const Datatype& child) {
  constexpr std::string_view call = "typewarp::contiguous";
  const Argument blame{call, "count", count};
  const Attributes& attributes = attributes_of(call, child);
  require_not_negative(blame);
  if (attributes.size == 0) return make(Contiguous{count, child}, {});
  return make(Contiguous{count, child},
              finished(repeated(attributes, count, extent_of(attributes), blame, blame), blame));
}

Datatype vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Datatype& child) {
  constexpr std::string_view call = "typewarp::vector";
  const Argument blame{call, "stride", stride};
  const Attributes& attributes = attributes_of(call, child);
  // With one block or none the stride is not looked at, and may be anything.
  const std::int64_t bytes =
      count > 1 ? checked_multiply(stride, extent_of(attributes), blame, "the stride in bytes") : 0;
  return make(Vector{count, blocklength, stride, child},
              blocks(attributes, {call, "count", count}, {call, "blocklength", blocklength}, bytes, blame));
}

Datatype hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Datatype& child) {
  constexpr std::string_view call = "typewarp::hvector";
  return make(Hvector{count, blocklength, stride, child},
              blocks(attributes_of(call, child), {call, "count", count}, {call, "blocklength", blocklength},
                     stride, {call, "stride", stride}));
}

Datatype resized(const Datatype& child, std::int64_t lb, std::int64_t extent) {
  constexpr std::string_view call = "typewarp::resized";
  return make(Resized{lb, extent, child},
              bounded(attributes_of(call, child), lb, extent, {call, "extent", extent}));
}

Datatype dup(const Datatype& child) { return make(Dup{child}, attributes_of("typewarp::dup", child)); }

}  // namespace typewarp
