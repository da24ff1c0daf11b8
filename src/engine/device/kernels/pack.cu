// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/kernel_table.cuh"
#include "engine/device/kernels/pieces.cuh"
#include "engine/device/kernels/words.cuh"

namespace typewarp::gpu {
namespace {

struct PackKernels {
  using Kernel = void (*)(std::byte*, View, Span);
  template <int word_log2, Lookup lookup, bool deep>
  static constexpr Kernel words = pack_words<word_log2, lookup, deep>;
  template <int word_log2, Lookup lookup>
  static constexpr Kernel pieces = pack_pieces<word_log2, lookup>;
};

const KernelLoader loader(load_family<PackKernels>);

}  // namespace

void launch_pack(const Launch& launch, std::byte* packed, View source, Lookup lookup, Span span,
                 int word_log2) {
  void* arguments[] = {&packed, &source, &span};
  launch_family<PackKernels>(launch, lookup, span, word_log2, arguments);
}

}  // namespace typewarp::gpu
