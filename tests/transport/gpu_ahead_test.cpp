// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// First pieces that a GPU packs before the receiver, which has another one, has answered.

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/memory_kinds.hpp"
#include "support/user_buffer.hpp"
#include "transport/gpu_everywhere.hpp"
#include "transport/protocol_fixture.hpp"

#include <vector>

namespace typewarp::test {
namespace {

constexpr int tag = 4;
constexpr std::int64_t bytes = std::int64_t{8} << 20;  // a few pieces

class GpuAhead : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    warm_up();
    start(TransportOptions());
    plan_ = commit(vector(bytes / 8, 1, 2, Named::double_));
    image_ = pattern(plan_.extent(), static_cast<std::uint64_t>(rank_));
    source_ = allocate(Source::device, plan_.extent());
    source_->write(image_);
    const transport::SharedChunks* const shared = chunks();
    const bool apart = shared != nullptr && core_->shares_with(partner()) &&
                       core_->seems_elsewhere(partner(), shared->memory.name);
    const int can = apart && cuda::can_reach(source_device(), partners_device()) ? 1 : 0;
    int all_can = 0;
    MPI_Allreduce(&can, &all_can, 1, MPI_INT, MPI_MIN, comm_);
    if (all_can == 0) GTEST_SKIP() << "needs a GPU for each rank, which reach each other";
    exchange(Source::device);  // maps memory, and loads what CUDA loads lazily
  }

  transport::SharedChunks* chunks() {
    const transport::Side side({"test", "buffer", "count"}, source_->data(), 1, plan_, comm_, false, nullptr);
    return core_->shared_chunks(side);
  }
  std::size_t taken() { return chunks()->chunks.taken(); }

  Request start_send(Stream stream) {
    return isend(source_->data(), 1, plan_, partner(), tag, comm_, stream);
  }
  void receive(Source into) {
    const auto target = allocate(into, plan_.extent());
    Bytes expected = pattern(plan_.extent(), 77);
    target->write(expected);
    recv(target->data(), 1, plan_, partner(), tag, comm_, nullptr);
    const Bytes theirs = pattern(plan_.extent(), static_cast<std::uint64_t>(partner()));
    Bytes packed(static_cast<std::size_t>(bytes));
    pack(theirs.data(), 1, plan_, packed.data(), nullptr);
    unpack(packed.data(), expected.data(), 1, plan_, nullptr);
    EXPECT_EQ(contents(*target, plan_.extent()), expected);
  }
  void exchange(Source into) {
    Request sending = start_send(nullptr);
    receive(into);
    sending.wait();
    EXPECT_EQ(taken(), 0U);
    MPI_Barrier(comm_);
  }

  Plan plan_ = commit(Named::double_);
  Bytes image_;
  std::unique_ptr<Memory> source_;

 private:
  static int source_device() { return cuda::current_device(); }
  int partners_device() {
    const int device = cuda::current_device();
    int other = 0;
    MPI_Sendrecv(&device, 1, MPI_INT, partner(), 0, &other, 1, MPI_INT, partner(), 0, comm_,
                 MPI_STATUS_IGNORE);
    return other;
  }
};

TEST_F(GpuAhead, IsLaunchedInTheCall) {
  const OwnStream stream;
  const std::uint64_t before = cuda::launches();
  Request sending = start_send(stream.get());
  EXPECT_GT(cuda::launches(), before);
  EXPECT_EQ(taken(), 1U);
  MPI_Barrier(comm_);
  receive(Source::device);
  sending.wait();
  EXPECT_EQ(taken(), 0U);
}

TEST_F(GpuAhead, WaitsForItsTurn) {
  const OwnStream stream;
  Gate gate(stream.get());
  const std::uint64_t before = cuda::launches();
  Request sending = start_send(stream.get());
  EXPECT_EQ(cuda::launches(), before);
  EXPECT_TRUE(gate.closed());
  MPI_Barrier(comm_);
  gate.open();
  receive(Source::device);
  sending.wait();
}

TEST_F(GpuAhead, ChangesNothingWhereItIsOfNoUse) {
  exchange(Source::pageable);
  Request sending = start_send(nullptr);
  const auto target = allocate(Source::device, 1000);
  EXPECT_THROW(recv(target->data(), 1000, commit(Named::byte), partner(), tag, comm_, nullptr), MpiError);
  sending.wait();
  EXPECT_EQ(taken(), 0U);
  exchange(Source::device);
}

}  // namespace
}  // namespace typewarp::test
