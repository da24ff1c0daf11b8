// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/move.cuh"

namespace typewarp::cuda {

void launch_pack(const Move& move, const ContiguousView& packed, const StridedSide& source) {
  if (narrow(move)) return launch_views(move, packed, view<std::uint32_t>(source, move.word));
  launch_views(move, packed, view<std::uint64_t>(source, move.word));
}

void launch_pack(const Move& move, const ContiguousView& packed, const GenericView& source) {
  launch_views(move, packed, source);
}

void load_pack() {
  load_views<ContiguousView, StridedView<std::uint32_t>>();
  load_views<ContiguousView, StridedView<std::uint64_t>>();
  load_views<ContiguousView, GenericView>();
}

}  // namespace typewarp::cuda
