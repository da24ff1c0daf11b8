// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/kernel_table.cuh"
#include "engine/cuda/pieces.cuh"
#include "engine/cuda/staged.cuh"
#include "engine/cuda/words.cuh"

namespace typewarp::cuda {
namespace {

struct Packing {
  using Kernel = void (*)(std::byte*, View, Span);
  template <int word_log2, Lookup lookup, bool deep>
  static constexpr Kernel words = pack_words<word_log2, lookup, deep>;
  template <int word_log2, Lookup lookup>
  static constexpr Kernel staged = pack_staged<word_log2, lookup>;
  template <int word_log2, Lookup lookup>
  static constexpr Kernel pieces = pack_pieces<word_log2, lookup>;
};

}  // namespace

void launch_pack(const Launch& launch, std::byte* packed, View source, Lookup lookup, Span span,
                 int word_log2) {
  void* arguments[] = {&packed, &source, &span};
  launch_family<Packing>(launch, lookup, span, word_log2, arguments);
}

void load_pack(int reservable) { load_family<Packing>(reservable); }

}  // namespace typewarp::cuda
