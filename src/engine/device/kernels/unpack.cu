// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/kernel_table.cuh"
#include "engine/device/kernels/pieces.cuh"
#include "engine/device/kernels/words.cuh"

namespace typewarp::gpu {
namespace {

struct Unpacking {
  using Kernel = void (*)(View, const std::byte*, Span);
  template <int word_log2, Lookup lookup, bool deep>
  static constexpr Kernel words = unpack_words<word_log2, lookup, deep>;
  template <int word_log2, Lookup lookup>
  static constexpr Kernel pieces = unpack_pieces<word_log2, lookup>;
};

const KernelLoader loader(load_family<Unpacking>);

}  // namespace

void launch_unpack(const Launch& launch, View destination, Lookup lookup, const std::byte* packed, Span span,
                   int word_log2) {
  void* arguments[] = {&destination, &packed, &span};
  launch_family<Unpacking>(launch, lookup, span, word_log2, arguments);
}

}  // namespace typewarp::gpu
