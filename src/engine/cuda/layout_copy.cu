// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/move.cuh"

namespace typewarp::cuda {

void launch_copy(const Move& move, const StridedSide& destination, const StridedSide& source) {
  if (narrow(move)) {
    return launch_views(move, view<std::uint32_t>(destination, move.word),
                        view<std::uint32_t>(source, move.word));
  }
  launch_views(move, view<std::uint64_t>(destination, move.word), view<std::uint64_t>(source, move.word));
}

void launch_copy(const Move& move, const GenericView& destination, const GenericView& source) {
  launch_views(move, destination, source);
}

void load_copy() {
  load_views<StridedView<std::uint32_t>, StridedView<std::uint32_t>>();
  load_views<StridedView<std::uint64_t>, StridedView<std::uint64_t>>();
  load_views<GenericView, GenericView>();
}

}  // namespace typewarp::cuda
