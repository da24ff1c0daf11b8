// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/move.cuh"

namespace typewarp::cuda {

void launch_unpack(const Move& move, const StridedSide& destination, const ContiguousView& packed) {
  if (narrow(move)) return launch_views(move, view<std::uint32_t>(destination, move.word), packed);
  launch_views(move, view<std::uint64_t>(destination, move.word), packed);
}

void launch_unpack(const Move& move, const GenericView& destination, const ContiguousView& packed) {
  launch_views(move, destination, packed);
}

void load_unpack() {
  load_views<StridedView<std::uint32_t>, ContiguousView>();
  load_views<StridedView<std::uint64_t>, ContiguousView>();
  load_views<GenericView, ContiguousView>();
}

}  // namespace typewarp::cuda
