// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/pieces.cuh"
#include "engine/cuda/staged.cuh"
#include "engine/cuda/words.cuh"

namespace typewarp::cuda {
namespace {

using Kernel = void (*)(std::byte*, View, Span);

template <Lookup lookup, bool deep>
constexpr std::array<Kernel, words> by_word{pack_words<0, lookup, deep>, pack_words<1, lookup, deep>,
                                            pack_words<2, lookup, deep>, pack_words<3, lookup, deep>,
                                            pack_words<4, lookup, deep>};
template <Lookup lookup>
constexpr std::array<Kernel, staged_words> by_staged{pack_staged<0, lookup>, pack_staged<1, lookup>};
template <Lookup lookup>
constexpr std::array<Kernel, staged_words> by_piece{pack_pieces<0, lookup>, pack_pieces<1, lookup>};

template <bool deep>
constexpr std::array word_kernels{by_word<Lookup::none, deep>, by_word<Lookup::list, deep>,
                                  by_word<Lookup::rank, deep>, by_word<Lookup::search, deep>,
                                  by_word<Lookup::generic, deep>};
constexpr std::array staged_kernels{by_staged<Lookup::none>, by_staged<Lookup::list>, by_staged<Lookup::rank>,
                                    by_staged<Lookup::search>, by_staged<Lookup::generic>};
constexpr std::array piece_kernels{by_piece<Lookup::none>, by_piece<Lookup::list>, by_piece<Lookup::rank>,
                                   by_piece<Lookup::search>, by_piece<Lookup::generic>};

Kernel kernel(Grain grain, Lookup lookup, int word_log2) {
  const auto which = static_cast<std::size_t>(lookup);
  const auto width = static_cast<std::size_t>(word_log2);
  switch (grain) {
    case Grain::staged:
      return staged_kernels[which].at(width);
    case Grain::pieces:
      return piece_kernels[which].at(width);
    case Grain::words:
      return word_kernels<false>[which].at(width);
    case Grain::deep_words:
      break;
  }
  return word_kernels<true>[which].at(width);
}

}  // namespace

void launch_pack(const Launch& launch, std::byte* packed, View source, Lookup lookup, Span span,
                 int word_log2) {
  void* arguments[] = {&packed, &source, &span};
  const int depth = launch.grain == Grain::deep_words ? words_in_flight(word_log2) : 1;
  enqueue(launch, kernel(launch.grain, lookup, word_log2), span, depth, arguments);
}

void load_pack() {
  load_table(word_kernels<false>);
  load_table(word_kernels<true>);
  load_table(staged_kernels);
  load_table(piece_kernels);
}

}  // namespace typewarp::cuda
