// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages of a GPU that lie in several allocations.

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/memory_kinds.hpp"
#include "support/user_buffer.hpp"
#include "transport/gpu_everywhere.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/traffic.hpp"

#include <memory>
#include <vector>

namespace typewarp::test {
namespace {

constexpr std::size_t fields = 5;

/// Fields of an allocation each, of which messages have a part of every one.
class Fields {
 public:
  Fields(std::int64_t bytes, std::uint64_t seed) {
    for (std::size_t f = 0; f < fields; ++f) {
      images_.push_back(pattern(bytes, seed + f));
      memory_.push_back(allocate(Source::device, bytes));
      memory_.back()->write(images_.back());
    }
  }

  std::byte* data() { return memory_.front()->data(); }
  /// `part` of every field.
  Plan together(const Datatype& part) {
    std::vector<std::int64_t> places;
    for (const auto& one : memory_) {
      places.push_back(reinterpret_cast<std::intptr_t>(one->data()) -
                       reinterpret_cast<std::intptr_t>(data()));
    }
    return commit(
        structure(std::vector<std::int64_t>(fields, 1), places, std::vector<Datatype>(fields, part)));
  }
  /// What comes of `part` of `sent`, each at its place.
  void expect(const Fields& sent, const Plan& from, const Plan& to) {
    for (std::size_t f = 0; f < fields; ++f) {
      Bytes packed(static_cast<std::size_t>(from.size()));
      pack(sent.images_[f].data(), 1, from, packed.data(), nullptr);
      unpack(packed.data(), images_[f].data(), 1, to, nullptr);
      EXPECT_EQ(contents(*memory_[f], std::ssize(images_[f])), images_[f]) << "field " << f;
    }
  }

 private:
  std::vector<Bytes> images_;
  std::vector<std::unique_ptr<Memory>> memory_;
};

class GpuPackedWhole : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    warm_up();
    start(TransportOptions());
    transport::traffic.counted = true;
  }

  std::int64_t packed_messages() const {
    return transport::traffic.sums[static_cast<std::size_t>(transport::Carriage::shared_chunks)].messages;
  }

  /// So many messages at once, of blocks that lie one behind another in the fields. Returns the launches.
  std::uint64_t exchange(int messages, std::int64_t blocks, std::uint64_t seed) {
    const Datatype odd = vector(blocks, 1, 2, Named::double_);
    const Datatype row = contiguous(blocks, Named::double_);
    const std::int64_t bytes = 16 * blocks * messages;
    Fields mine(bytes, seed + static_cast<std::uint64_t>(rank_));
    const Fields theirs(bytes, seed + static_cast<std::uint64_t>(partner()));
    Fields received(bytes, seed + 77);
    const Plan from = mine.together(odd);
    const Plan to = received.together(row);
    MPI_Barrier(comm_);
    const std::uint64_t before = cuda::launches();
    std::vector<Request> requests;
    for (int i = 0; i < messages; ++i) {
      requests.push_back(irecv(received.data() + 16 * blocks * i, 1, to, partner(), i, comm_, nullptr));
    }
    for (int i = 0; i < messages; ++i) {
      requests.push_back(isend(mine.data() + 16 * blocks * i, 1, from, partner(), i, comm_, nullptr));
    }
    MPI_Barrier(comm_);
    wait_all(requests);
    const std::uint64_t launched = cuda::launches() - before;
    const Datatype every = resized(odd, 0, 16 * blocks);
    const Datatype every_row = resized(row, 0, 16 * blocks);
    received.expect(theirs, commit(contiguous(messages, every)), commit(contiguous(messages, every_row)));
    MPI_Barrier(comm_);
    return launched;
  }
};

TEST_F(GpuPackedWhole, AreOneLaunchToPackAndOneToRead) {
  exchange(18, 1000, 1);  // maps memory, and loads what CUDA loads lazily
  const std::int64_t before = packed_messages();
  const std::uint64_t launched = exchange(18, 1000, 200);
  EXPECT_EQ(packed_messages() - before, 18);
  if (!has_thread_) {
    EXPECT_LE(launched, 2U);
  }
}

TEST_F(GpuPackedWhole, ArriveWhateverTheirLength) {
  for (const std::int64_t blocks : {13, 100, 5000, 100'000, 200'000}) {
    exchange(3, blocks, static_cast<std::uint64_t>(blocks));
  }
}

// 4 MB a message: two of them have room, and others go another way, by launches of their own.
TEST_F(GpuPackedWhole, ArriveWhereThereIsNoRoomForAll) {
  core_->policy.packed_pool_bytes = 9'000'000;
  EXPECT_GT(exchange(4, 100'000, 5), 2U);
}

}  // namespace
}  // namespace typewarp::test
