// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What becomes of an exchange where a call of the MPI fails.

#include "transport/memory/host_buffer.hpp"
#include "transport/mpi/mpi_calls.hpp"
#include "transport/protocol_fixture.hpp"

#include <typewarp/halo.hpp>

#include <algorithm>
#include <chrono>

namespace typewarp::test {
namespace {

constexpr std::int64_t width = 10'000;
constexpr std::int64_t message_bytes = width * static_cast<std::int64_t>(sizeof(double));
constexpr SessionOptions impatient{.eager_bytes = 600,
                                   .chunk_bytes = 1024,
                                   .pool_bytes = std::int64_t{1} << 20,
                                   .time_limit = std::chrono::milliseconds(50)};

/// Two neighbours, of which the second has started its exchange before the first does.
class HaloFailingMpi : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    MPI_Comm_split(comm_, rank_ / 2, rank_, &pair_);
  }
  void TearDown() override {
    MPI_Comm_free(&pair_);
    ProtocolTest::TearDown();
  }

  halo::Field field() {
    return {memory_.data(), {halo::Descriptor{width, width, width, 2 * width, 3 * width}}};
  }

  // The first waits for what the second has announced, gives that up, and uses its own memory again.
  void fail(halo::Exchange exchange) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, tag, pair_, MPI_STATUS_IGNORE);
    const FailingMpi failing(Posting::receive, 1);
    EXPECT_THROW(exchange.exchange(nullptr), MpiError);
    EXPECT_TRUE(failing.happened());
  }
  void stall(halo::Exchange exchange) {
    exchange.pack(nullptr);
    exchange.start_exchange(nullptr);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, pair_);
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, pair_, MPI_STATUS_IGNORE);
    EXPECT_THROW(exchange.wait(), Error);
  }

  MPI_Comm pair_ = MPI_COMM_NULL;
  std::vector<double> memory_ = std::vector<double>(3 * width, 1);
};

TEST_F(HaloFailingMpi, WhatAStalledNeighbourSendsGoesToNobodysMemory) {
  TYPEWARP_NEEDS_RANKS(2);
  if (transport::current()) GTEST_SKIP() << "needs a session of its own";
  start(impatient);
  if (has_thread_) GTEST_SKIP() << "needs a session without a progress thread";
  if (rank_ != partner()) {
    const halo::ProcessGrid grid(pair_, {2}, {false});
    halo::Exchange exchange(grid, {field()}, {.packing = halo::Packing::manual});
    if (rank_ % 2 == 0) {
      fail(std::move(exchange));
      std::vector<transport::HostBuffer> reused(4);
      for (transport::HostBuffer& buffer : reused) {
        buffer = transport::HostBuffer(message_bytes);
        std::fill_n(buffer.data(), message_bytes, std::byte{77});
      }
      MPI_Send(nullptr, 0, MPI_BYTE, 1, tag, pair_);
      while (state_->progress.active() != 0) progress();
      for (const transport::HostBuffer& buffer : reused) {
        EXPECT_EQ(std::count(buffer.data(), buffer.data() + message_bytes, std::byte{77}), message_bytes);
      }
    } else {
      stall(std::move(exchange));
    }
  }
  settle();
}

}  // namespace
}  // namespace typewarp::test
