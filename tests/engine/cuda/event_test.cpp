// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/memory_kinds.hpp"

namespace typewarp::test {
namespace {

TEST(Event, IsDoneWhenItsStreamGotThere) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  Gate gate(stream.get());
  const cuda::Event event(0, stream.get());
  EXPECT_FALSE(event.done());
  EXPECT_TRUE(gate.closed());
  gate.open();
  event.wait();
  EXPECT_TRUE(event.done());
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST(Event, WaitsForNothingThatComesLater) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const cuda::Event event(0, stream.get());
  Gate gate(stream.get());
  event.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  stream.wait();
}

TEST(Event, IsReusedSafelyWhileRecorded) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream held;
  const OwnStream idle;
  Gate gate(held.get());
  { const cuda::Event dropped(0, held.get()); }
  const cuda::Event reused(0, idle.get());
  reused.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  held.wait();
}

TEST(Event, NamesADeviceThatIsNotThere) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_THROW(cuda::Event(1000, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace typewarp::test
