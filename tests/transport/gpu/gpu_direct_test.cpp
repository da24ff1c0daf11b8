// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages of device memory that the receiver's device reads where they lie.

#include "engine/device/gpu.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"
#include "transport/channel/counting_sharing.hpp"
#include "transport/gpu/gpu_everywhere.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/tuning/policy.hpp"

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace typewarp {
namespace {

using test::Counting;
using test::Gate;
using test::Memory;
using test::OwnStream;
using test::ProtocolTest;
using test::Source;
using test::UserBuffer;

Datatype column(std::int64_t bytes) { return vector(bytes / 8, 1, 2, Named::double_); }

/// Memory of cudaMallocAsync.
class Pooled {
 public:
  Pooled(std::int64_t bytes, Stream stream) : stream_(stream) {
    EXPECT_CUDA(cudaMallocAsync(&data_, static_cast<std::size_t>(bytes), stream));
  }
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;
  ~Pooled() { EXPECT_CUDA(cudaFreeAsync(data_, stream_)); }

  void* data() const noexcept { return data_; }

 private:
  Stream stream_;
  void* data_ = nullptr;
};

class GpuDirect : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    test::warm_up();
    begin(small_fragments);
    int device = 0;
    ASSERT_CUDA(cudaGetDevice(&device));
    int other = 0;
    MPI_Sendrecv(&device, 1, MPI_INT, partner(), 0, &other, 1, MPI_INT, partner(), 0, comm_,
                 MPI_STATUS_IGNORE);
    if (!gpu::can_reach(device, other)) GTEST_SKIP() << "needs two GPUs that reach each other";
  }

  void TearDown() override {
    EXPECT_EQ(gpu::imports().held, 0);
    ProtocolTest::TearDown();
    EXPECT_EQ(gpu::imports().open, 0);
    if (gpu_present()) {
      EXPECT_CUDA(cudaGetLastError());
    }
  }

  void begin(const SessionOptions& options) {
    stop();
    start(options);
    state_->share_by(sharing_);
  }

  std::unique_ptr<Memory> placed(UserBuffer& image, Source source = Source::device) {
    auto memory = test::allocate(source, static_cast<std::int64_t>(image.bytes().size()));
    memory->write(image.bytes());
    return memory;
  }
  static void* origin(Memory& memory, UserBuffer& image) {
    return cuda_address(memory.data(), reinterpret_cast<std::intptr_t>(image.origin()) -
                                           reinterpret_cast<std::intptr_t>(image.bytes().data()));
  }

  void exchange(const Datatype& sent, std::int64_t count, const Datatype& received, Stream stream,
                std::uint64_t seed = 0, Source from = Source::device, Source to = Source::device) {
    UserBuffer mine(sent, count, 10 * seed + static_cast<std::uint64_t>(rank_));
    UserBuffer theirs(sent, count, 10 * seed + static_cast<std::uint64_t>(partner()));
    UserBuffer expected(received, 1, 99);
    const auto source = placed(mine, from);
    const auto target = placed(expected, to);
    const Status status =
        sendrecv(origin(*source, mine), count, commit(sent), partner(), tag, origin(*target, expected), 1,
                 commit(received), partner(), tag, comm_, stream);
    EXPECT_EQ(status.bytes, sent.size() * count);
    scatter(gathered(theirs, sent, count), expected, received, 1);
    EXPECT_EQ(test::contents(*target, std::ssize(expected.bytes())), expected.bytes())
        << "seed " << seed << "\n"
        << sent << "to\n"
        << received;
  }

  int mapped() { return sharing_.mapped.exchange(0); }
  int in_fragments() { return sharing_.in_fragments.exchange(0); }

  Counting sharing_;

 private:
  static void* cuda_address(std::byte* data, std::intptr_t offset) {
    return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(data) + offset);
  }
};

TEST_F(GpuDirect, MovesEveryLength) {
  const OwnStream stream;
  for (const std::int64_t bytes : {512, 1024, 65'536, 1 << 20, 5 << 20}) {
    exchange(column(bytes), 1, contiguous(bytes, Named::byte), stream.get());
    exchange(contiguous(bytes, Named::byte), 1, column(bytes), nullptr);
    exchange(column(bytes), 1, vector(bytes / 8, 1, 3, Named::double_), stream.get());
    exchange(contiguous(bytes, Named::byte), 1, contiguous(bytes, Named::byte), stream.get());
    EXPECT_EQ(mapped() + in_fragments(), 4) << bytes;
  }
  const Datatype whole = contiguous(20 << 20, Named::byte);
  exchange(whole, 1, whole, stream.get());  // by DMA
  EXPECT_EQ(mapped(), 1);
  EXPECT_EQ(state_->host_pools.incoming.taken(), 0U);
}

TEST_F(GpuDirect, MovesRandomTypes) {
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 4096});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, test::scattered_like(type, count, seed), stream.get(), seed);
  }
  EXPECT_GT(mapped(), 30);
}

// Of devices of their own all are mapped, and under MPS the long ones.
TEST_F(GpuDirect, GoesByCopyEnginesWhereProcessesShareADevice) {
  TYPEWARP_NEEDS_RANKS(2);
  sharing_.turns = true;
  const OwnStream stream;
  exchange(column(512), 1, column(512), stream.get());  // tells of the other process, if both use one device
  static_cast<void>(mapped());
  int device = 0;
  ASSERT_CUDA(cudaGetDevice(&device));
  const gpu::Sharing found = gpu::sharing(device);
  for (const std::int64_t bytes : {16 << 10, 32 << 10, 200 << 10, 1 << 20}) {
    exchange(column(bytes), 1, vector(bytes / 8, 1, 3, Named::double_), stream.get());
    exchange(contiguous(bytes, Named::byte), 1, column(bytes), nullptr);
    const bool by_engines = transport::engines_come_first(found, bytes) && bytes / 8 <= 32768;
    EXPECT_EQ(mapped() + in_fragments(), by_engines ? 0 : 2) << bytes;
  }
}

// The wire of the sender's plan fits no descriptor.
TEST_F(GpuDirect, MovesIrregularTypes) {
  const OwnStream stream;
  std::vector<std::int64_t> lengths, places;
  std::int64_t doubles = 0;
  for (std::int64_t i = 0; i < 3000; ++i) {
    lengths.push_back(1 + i * i % 7);
    places.push_back(i * 20 + i * i % 11);
    doubles += lengths.back();
  }
  const Datatype irregular = indexed(lengths, places, Named::double_);
  for (int i = 0; i < 3; ++i) exchange(irregular, 1, column(8 * doubles), stream.get());
  EXPECT_EQ(transport::KnownPlans::of(*state_).plans.kept(), 1U);
  exchange(column(8 * doubles), 1, irregular, stream.get());
  exchange(irregular, 1, irregular, stream.get());
  EXPECT_EQ(mapped(), 5);
}

TEST_F(GpuDirect, MovesInSharedChunks) {
  const OwnStream stream;
  sharing_.far = true;
  state_->profile.direct.fragments_from = 1001;
  state_->profile.direct.fragment_cost = 0;
  state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
  state_->profile.direct.fragment_bytes = 512 << 10;
  for (const std::int64_t bytes : {1024, 65'536, 1 << 20, 5 << 20}) {
    exchange(column(bytes), 1, contiguous(bytes, Named::byte), stream.get());
    exchange(contiguous(bytes, Named::byte), 1, column(bytes), nullptr);
    exchange(column(bytes), 1, vector(bytes / 8, 1, 3, Named::double_), stream.get());
    EXPECT_EQ(in_fragments(), 3) << bytes;
  }
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 4096});
    exchange(type, 2, test::scattered_like(type, 2, seed), stream.get(), seed);
  }
  EXPECT_GT(in_fragments(), 0);
  EXPECT_EQ(state_->host_pools.incoming.taken(), 0U);
}

TEST_F(GpuDirect, MemoryThatCannotBeMappedGoesAsBefore) {
  const OwnStream stream;
  exchange(column(4096), 1, column(4096), stream.get(), 1, Source::managed, Source::device);
  EXPECT_EQ(mapped(), 0);
  EXPECT_EQ(in_fragments(), 1);
  for (const Source from : {Source::pinned, Source::pageable}) {
    exchange(column(4096), 1, column(4096), stream.get(), 1, from, Source::device);
  }
  EXPECT_EQ(mapped(), 0);
  EXPECT_EQ(in_fragments(), 0);
  for (const Source to : {Source::pinned, Source::pageable}) {
    exchange(column(4096), 1, column(4096), stream.get(), 1, Source::device, to);
  }
  EXPECT_EQ(mapped(), 0);
  exchange(column(4096), 1, column(4096), stream.get(), 1, Source::device, Source::managed);
  EXPECT_EQ(mapped(), 1);
}

TEST_F(GpuDirect, PooledMemoryGoesInSharedChunks) {
  const OwnStream stream;
  const Plan plan = commit(column(4096));
  {
    const Pooled sent(plan.extent(), stream.get());
    const Pooled received(plan.extent(), stream.get());
    const auto data = test::noise(plan.extent(), 1);
    ASSERT_CUDA(cudaMemcpyAsync(sent.data(), data.data(), data.size(), cudaMemcpyHostToDevice, stream.get()));
    sendrecv(sent.data(), 1, plan, partner(), tag, received.data(), 1, plan, partner(), tag, comm_,
             stream.get());
    std::vector<std::byte> found(data.size());
    ASSERT_CUDA(
        cudaMemcpyAsync(found.data(), received.data(), found.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
    EXPECT_EQ(test::packed_on_host(found.data(), 1, plan), test::packed_on_host(data.data(), 1, plan));
    EXPECT_EQ(mapped(), 0);
    EXPECT_EQ(in_fragments(), 1);
  }
}

// The old mapping would show the old bytes, or end the process.
TEST_F(GpuDirect, MemoryAllocatedAnewIsMappedAnew) {
  // Runs that are long enough for one kernel, whatever lies between.
  const Datatype large = vector((std::int64_t{3} << 20) / 128, 16, 32, Named::double_);
  for (const Datatype& type : {column(4096), large}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) exchange(type, 1, type, nullptr, seed);
    EXPECT_EQ(mapped(), 20) << type;
  }
}

// The sender's stream has not come to the message when the receiver takes it.
TEST_F(GpuDirect, SenderThatIsLateIsWaitedFor) {
  constexpr std::int64_t bytes = 4096;
  const Plan plan = commit(column(bytes));
  const OwnStream stream;
  const auto sent = test::allocate(Source::device, plan.extent());
  const auto received = test::allocate(Source::device, plan.extent());
  sent->write(std::vector<std::byte>(static_cast<std::size_t>(plan.extent()), std::byte{1}));
  Gate gate(stream.get());
  ASSERT_CUDA(cudaMemsetAsync(sent->data(), 2, static_cast<std::size_t>(plan.extent()), stream.get()));
  Request receive = irecv(received->data(), 1, plan, partner(), tag, comm_, nullptr);
  Request sending = isend(sent->data(), 1, plan, partner(), tag, comm_, stream.get());
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50)) {
    EXPECT_FALSE(receive.ready());
    EXPECT_FALSE(sending.ready());
  }
  EXPECT_TRUE(gate.closed());
  MPI_Barrier(comm_);  // so that no gate of another rank is waited for
  gate.open();
  std::array requests{std::move(receive), std::move(sending)};
  wait_all(requests);
  const auto found = test::contents(*received, plan.extent());
  EXPECT_EQ(test::packed_on_host(found.data(), 1, plan),
            std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{2}));
  EXPECT_EQ(mapped(), 1);
}

TEST_F(GpuDirect, LateSenderThatGivesUpTellsItsReceiver) {
  SessionOptions options = small_fragments;
  options.time_limit = std::chrono::milliseconds(100);
  begin(options);
  const Plan plan = commit(column(4096));
  const OwnStream stream;
  const auto sent = test::allocate(Source::device, plan.extent());
  const auto received = test::allocate(Source::device, plan.extent());
  const auto before = test::contents(*received, plan.extent());
  Gate gate(stream.get());
  Request sending = isend(sent->data(), 1, plan, partner(), tag, comm_, stream.get());
  EXPECT_THROW(sending.wait(), TimeLimitExceeded);
  MPI_Barrier(comm_);
  gate.open();
  EXPECT_THROW(recv(received->data(), 1, plan, partner(), tag, comm_, nullptr), Error);
  EXPECT_EQ(test::contents(*received, plan.extent()), before);
  while (state_->progress.active() != 0) progress();
  MPI_Barrier(comm_);
  stream.wait();
}

TEST_F(GpuDirect, TruncatedIsNotRead) {
  const Plan plan = commit(column(4096));
  const auto sent = test::allocate(Source::device, plan.extent());
  const auto received = test::allocate(Source::device, 1000);
  const auto before = test::contents(*received, 1000);
  Request receive = irecv(received->data(), 1000, commit(Named::byte), partner(), tag, comm_, nullptr);
  Request sending = isend(sent->data(), 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), MpiError);
  EXPECT_EQ(sending.wait().bytes, 4096);
  EXPECT_EQ(test::contents(*received, 1000), before);
  EXPECT_EQ(mapped(), 0);
}

TEST_F(GpuDirect, PersistentRequestsAreStartedAgainAndAgain) {
  const OwnStream stream;
  const Plan plan = commit(column(65'536));
  UserBuffer mine(column(65'536), 1, static_cast<std::uint64_t>(rank_));
  UserBuffer theirs(column(65'536), 1, static_cast<std::uint64_t>(partner()));
  UserBuffer blank(column(65'536), 1, 99);
  const auto sent = placed(mine);
  const auto received = placed(blank);
  std::array requests{recv_init(origin(*received, blank), 1, plan, partner(), tag, comm_, stream.get()),
                      send_init(origin(*sent, mine), 1, plan, partner(), tag, comm_, stream.get())};
  for (int i = 0; i < 20; ++i) {
    received->write(blank.bytes());
    start_all(requests);
    wait_all(requests);
    UserBuffer expected(column(65'536), 1, 99);
    scatter(gathered(theirs, column(65'536), 1), expected, column(65'536), 1);
    ASSERT_EQ(test::contents(*received, std::ssize(expected.bytes())), expected.bytes()) << i;
  }
  EXPECT_EQ(mapped(), 20);
}

// Device memory that was freed stays in use for as long as another process has it mapped. Other programs on
// the GPU have memory, too, but give it back at some time.
TEST_F(GpuDirect, LeavesNothingMapped) {
  constexpr std::int64_t allocation = std::int64_t{256} << 20;
  constexpr int rounds = 8;
  constexpr std::chrono::seconds patience{20};
  const auto free_bytes = [] {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_CUDA(cudaMemGetInfo(&free, &total));
    return static_cast<std::int64_t>(free);
  };
  const Plan plan = commit(column(4096));
  const std::int64_t before = free_bytes();
  MPI_Barrier(comm_);
  for (int i = 0; i < rounds; ++i) {
    begin(small_fragments);
    const auto sent = test::allocate(Source::device, allocation);
    const auto received = test::allocate(Source::device, allocation);
    sendrecv(sent->data(), 1, plan, partner(), tag, received->data(), 1, plan, partner(), tag, comm_,
             nullptr);
    EXPECT_EQ(mapped(), 1);
  }
  stop();
  EXPECT_EQ(gpu::imports().open, 0);
  MPI_Barrier(comm_);
  const auto start = std::chrono::steady_clock::now();
  while (free_bytes() + rounds / 2 * allocation < before &&
         std::chrono::steady_clock::now() - start < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_GE(free_bytes() + rounds / 2 * allocation, before);
}

}  // namespace
}  // namespace typewarp
