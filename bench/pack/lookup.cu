// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lookup.hpp"

#include "hand/hand.cuh"

#include "engine/device/layout/operand.hpp"

#include <bit>

namespace typewarp::bench {
namespace {

using gpu::Lookup;

template <Lookup lookup>
__global__ void lookup_kernel(std::byte* sink, const __grid_constant__ gpu::View view, std::uint32_t words,
                              int word_log2) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words && view.template at<lookup>(i, word_log2) == nullptr) *sink = std::byte{1};
}

auto* kernel_of(Lookup lookup) {
  switch (lookup) {
    case Lookup::list:
      return lookup_kernel<Lookup::list>;
    case Lookup::rank:
      return lookup_kernel<Lookup::rank>;
    case Lookup::search:
      return lookup_kernel<Lookup::search>;
    case Lookup::generic:
      return lookup_kernel<Lookup::generic>;
    case Lookup::none:
      break;
  }
  return lookup_kernel<Lookup::none>;
}

}  // namespace

Traversal library_traversal(const Placed& placed) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const ByteRange all{0, placed.bytes()};
  const gpu::Operand operand({&placed.plan, placed.count, placed.buffer, MemoryKind::device, device}, all,
                             gpu::device(device));
  const int word_log2 = std::countr_zero(static_cast<std::uint64_t>(operand.alignment() | 16));
  Lookup lookup = Lookup::none;
  const gpu::View view = operand.view(all, word_log2, lookup);
  const std::int64_t words = placed.bytes() >> word_log2;
  // The plan has the lists that the view looks into.
  return [=, plan = placed.plan, kernel = kernel_of(lookup)](std::byte* sink, cudaStream_t stream) {
    kernel<<<hand_blocks(words), hand_threads, 0, stream>>>(sink, view, static_cast<std::uint32_t>(words),
                                                            word_log2);
  };
}

}  // namespace typewarp::bench
