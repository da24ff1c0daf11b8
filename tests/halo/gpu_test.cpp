// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What only a GPU shows: how many kernels an exchange takes, and several devices.

#include "support/expect_invalid.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "halo/patches.hpp"

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

class HaloGpu : public HaloThreePatches {
 protected:
  bool host_packs() const { return pointer_info(fields_[0].data()).kind == MemoryKind::pinned; }
};

/// Of what `enqueue` gives the stream.
template <typename Enqueue>
std::vector<cudaGraphNodeType> nodes_of(Enqueue enqueue) {
  cudaGraph_t graph = nullptr;
  std::size_t count = 0;
  EXPECT_CUDA(cudaStreamBeginCapture(field_stream(), cudaStreamCaptureModeThreadLocal));
  enqueue();
  EXPECT_CUDA(cudaStreamEndCapture(field_stream(), &graph));
  EXPECT_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  EXPECT_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::vector<cudaGraphNodeType> types(count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_CUDA(cudaGraphNodeGetType(nodes[i], &types[i]));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  return types;
}

// All 26 directions, some of which lead here, of three fields of different elements and layouts.
TEST_F(HaloGpu, PacksByOneKernelAndUnpacksByOne) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());  // what plans need on the device is there then
  expect_right();
  EXPECT_EQ(nodes_of([&] { exchange.pack(field_stream()); }), std::vector{cudaGraphNodeTypeKernel});
  EXPECT_EQ(nodes_of([&] { exchange.unpack(field_stream()); }), std::vector{cudaGraphNodeTypeKernel});
}

TEST_F(HaloGpu, FieldsOfTwoDevicesAreRefused) {
  int devices = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two GPUs";
  int here = 0;
  ASSERT_CUDA(cudaGetDevice(&here));
  ASSERT_CUDA(cudaSetDevice(here == 0 ? 1 : 0));
  const auto there = allocate(Source::device, std::ssize(patches_[1].initial()));
  ASSERT_CUDA(cudaSetDevice(here));
  const auto memory = allocate(Source::device, std::ssize(patches_[0].initial()));
  std::vector<halo::Field> mixed = fields_;
  mixed[0].rebind(memory->data());
  mixed[1].rebind(there->data());
  EXPECT_EQ(invalid_argument([&] { const Exchange exchange(*grid_, mixed); }), "fields[1].data");
}

}  // namespace
}  // namespace typewarp::test
