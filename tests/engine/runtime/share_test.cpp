// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/runtime/peer_process.hpp"
#include "plan/wire.hpp"
#include "support/expect_invalid.hpp"

#include <typewarp/host.hpp>

#include <limits>
#include <set>
#include <thread>

namespace typewarp::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Leaves nothing mapped behind.
class Sharing : public testing::Test {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }
  void TearDown() override {
    EXPECT_EQ(gpu::imports().held, 0);
    gpu::close_imports();
    EXPECT_EQ(gpu::imports().open, 0);
    if (!gpu_present()) return;
    EXPECT_CUDA(cudaGetLastError());
  }
};

/// `bytes` bytes of what a process exported, by way of a mapping for `device`.
Bytes seen(const gpu::SharedMemory& memory, std::int64_t bytes, int device = 0) {
  std::string reason;
  const auto imported = gpu::import_memory(memory, device, &reason);
  EXPECT_TRUE(imported) << reason;
  Bytes result(static_cast<std::size_t>(bytes));
  if (!imported) return {};
  EXPECT_CUDA(cudaMemcpy(result.data(), imported->address(), result.size(), cudaMemcpyDefault));
  return result;
}

/// What another rank would have of this plan.
Plan sent(const Plan& plan) {
  return plan::from_wire(plan::to_wire(plan, std::numeric_limits<std::int64_t>::max()).value());
}

struct Move {
  Plan theirs, mine;
};

/// Both sides noncontiguous and of the same size, by every lookup.
std::vector<Move> moves() {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::int64_t doubles = 0;
  for (std::int64_t i = 0; i < 3000; ++i) {
    lengths.push_back(1 + i * i % 7);
    displacements.push_back(i * 20 + i * i % 11);
    doubles += lengths.back();
  }
  const Datatype irregular = indexed(lengths, displacements, Named::double_);
  const Datatype strided = vector(doubles, 1, 8, Named::double_);
  const Datatype item = resized(structure({1, 2, 1}, {0, 8, 21}, {Named::double_, Named::int_, Named::char_}),
                                0, 32);  // 17 bytes
  const Datatype odd = hvector(17 * 500, 1, 3, Named::byte);
  const Datatype transposed = hvector(64, 1, 8, vector(100, 1, 64, Named::double_));
  return {{commit(vector(512, 1, 8, Named::double_)), commit(vector(64, 8, 16, Named::double_))},
          {commit(irregular), commit(strided)},
          {commit(strided), commit(irregular)},
          {commit(contiguous(500, item)), commit(odd)},
          {commit(transposed), commit(vector(6400, 1, 2, Named::double_))},
          {commit(contiguous(6400, Named::double_)), commit(transposed)}};
}

/// What a buffer holding `before` holds after the bytes of `from` were moved into it.
Bytes after(Bytes before, const Plan& to, const Bytes& from, const Plan& plan) {
  const Bytes packed = packed_on_host(from.data(), 1, plan);
  host::unpack(packed.data(), before.data(), 1, to, {0, to.size()});
  return before;
}

/// Moves by one kernel from layout to layout, between this process and one with memory on `owner`.
void check_moves(int owner, int device) {
  constexpr std::int64_t offset = 48;
  PeerProcess peer;
  std::uint32_t seed = 1;
  for (const Move& move : moves()) {
    SCOPED_TRACE(move.theirs.layout().to_string() + " and " + move.mine.layout().to_string());
    const Plan theirs = sent(move.theirs);
    ASSERT_EQ(theirs.size(), move.mine.size());
    const std::int64_t room = theirs.extent();
    const std::int64_t slot = peer.allocate(offset + room, owner);
    const auto memory = peer.share(slot, offset, room);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->offset, offset);
    const auto imported = gpu::import_memory(*memory, device);
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->device(), owner);

    ASSERT_CUDA(cudaSetDevice(device));
    const OwnStream stream;
    const auto local = allocate(Source::device, move.mine.extent());
    const gpu::Side remote{&theirs, 1, imported->address(), MemoryKind::device, imported->device()};
    const gpu::Side own{&move.mine, 1, local->data(), MemoryKind::device, device};

    Bytes remote_bytes = noise(offset + room, seed++);
    Bytes local_bytes = noise(move.mine.extent(), seed++);
    peer.fill(slot, remote_bytes);
    local->write(local_bytes);
    gpu::copy(own, remote, {0, theirs.size()}, {device, stream.get()});
    stream.wait();
    const Bytes source(remote_bytes.begin() + offset, remote_bytes.end());
    EXPECT_EQ(contents(*local, move.mine.extent()), after(local_bytes, move.mine, source, theirs));

    local_bytes = noise(move.mine.extent(), seed++);
    local->write(local_bytes);
    gpu::copy(remote, own, {0, theirs.size()}, {device, stream.get()});
    stream.wait();
    Bytes expected(remote_bytes.begin(), remote_bytes.begin() + offset);
    for (const std::byte byte : after(source, theirs, local_bytes, move.mine)) expected.push_back(byte);
    EXPECT_EQ(peer.read(slot, offset + room), expected);
  }
  ASSERT_CUDA(cudaSetDevice(0));
}

TEST_F(Sharing, MovesBetweenProcessesOnOneDevice) { check_moves(0, 0); }

TEST_F(Sharing, MovesBetweenProcessesOnTwoDevices) {
  TYPEWARP_NEEDS_TWO_GPUS();
  int possible = 0;
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&possible, 0, 1));  // gpu::can_reach() would open the way itself
  if (possible == 0) GTEST_SKIP() << "needs two GPUs that reach each other";
  check_moves(0, 1);
  check_moves(1, 0);
}

TEST_F(Sharing, MapsAnAllocationOnce) {
  PeerProcess peer;
  const std::int64_t slot = peer.allocate(1 << 20);
  const auto begin = peer.share(slot, 0, 1 << 20);
  const auto inside = peer.share(slot, 4096, 16);
  ASSERT_TRUE(begin && inside);
  EXPECT_EQ(begin->allocation, inside->allocation);
  std::byte* address = nullptr;
  {
    const auto first = gpu::import_memory(*begin, 0);
    auto second = gpu::import_memory(*inside, 0);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->address() + 4096, second->address());
    EXPECT_EQ(gpu::imports().open, 1);
    const gpu::ImportedMemory moved = *std::move(second);
    EXPECT_EQ(moved.address(), first->address() + 4096);
    EXPECT_EQ(gpu::imports().held, 1);
    address = first->address();
    gpu::close_imports();
    EXPECT_EQ(gpu::imports().open, 1);
  }
  EXPECT_EQ(gpu::imports().open, 1);
  EXPECT_EQ(gpu::imports().held, 0);
  EXPECT_EQ(gpu::import_memory(*begin, 0)->address(), address);
}

/// The old mapping would show the old bytes, or end the process.
TEST_F(Sharing, SeesWhatWasAllocatedAnewAtTheSameAddress) {
  PeerProcess peer;
  for (const std::int64_t bytes : {std::int64_t{4096}, std::int64_t{64} << 20}) {
    SCOPED_TRACE(bytes);
    std::set<std::uint64_t> bases;
    bool again = false;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      const std::int64_t slot = peer.allocate(bytes);
      const Bytes data = noise(bytes, seed);
      peer.fill(slot, data);
      const auto memory = peer.share(slot, 0, bytes);
      ASSERT_TRUE(memory);
      again = !bases.insert(memory->base).second || again;
      ASSERT_TRUE(seen(*memory, bytes) == data) << "allocation " << seed;
      peer.free(slot);
    }
    EXPECT_TRUE(again) << "no address was used again, so nothing was tested";
    EXPECT_LE(gpu::imports().open, std::ssize(bases));
    gpu::close_imports();
  }
}

/// Small allocations are parts of one page of the device.
TEST_F(Sharing, MapsSmallAllocationsSideBySide) {
  PeerProcess peer;
  std::vector<gpu::ImportedMemory> held;
  constexpr std::int64_t bytes = 300;
  constexpr std::uint32_t allocations = 8;
  for (std::uint32_t seed = 0; seed < allocations; ++seed) {
    const std::int64_t slot = peer.allocate(bytes);
    peer.fill(slot, noise(bytes, seed));
    std::string reason;
    auto imported = gpu::import_memory(peer.share(slot, 0, bytes).value(), 0, &reason);
    ASSERT_TRUE(imported) << reason;
    held.push_back(*std::move(imported));
  }
  for (std::uint32_t seed = 0; seed < allocations; ++seed) {
    Bytes found(bytes);
    ASSERT_CUDA(cudaMemcpy(found.data(), held[seed].address(), found.size(), cudaMemcpyDefault));
    EXPECT_EQ(found, noise(bytes, seed));
  }
}

TEST_F(Sharing, KeepsABoundedNumberOfMappings) {
  PeerProcess peer;
  constexpr std::int64_t allocations = 300;
  constexpr std::int64_t most = 256;
  constexpr std::int64_t bytes = 4096;
  for (std::int64_t i = 0; i < allocations; ++i) {
    const std::int64_t slot = peer.allocate(bytes);
    peer.fill(slot, noise(bytes, static_cast<std::uint32_t>(i)));
  }
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t slot = 0; slot < allocations; ++slot) {
      ASSERT_EQ(seen(peer.share(slot, 0, bytes).value(), bytes),
                noise(bytes, static_cast<std::uint32_t>(slot)));
    }
    EXPECT_EQ(gpu::imports().open, most);
  }
}

TEST_F(Sharing, ServesThreads) {
  PeerProcess peer;
  constexpr std::int64_t bytes = 4096;
  std::vector<gpu::SharedMemory> memories;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const std::int64_t slot = peer.allocate(bytes);
    peer.fill(slot, noise(bytes, seed));
    memories.push_back(peer.share(slot, 0, bytes).value());
  }
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&memories, thread] {
      for (std::uint32_t i = 0; i < 100; ++i) {
        const std::uint32_t which = (i + thread) % 4;
        EXPECT_EQ(seen(memories[which], bytes), noise(bytes, which));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gpu::imports().open, 4);
}

TEST_F(Sharing, OutlivesTheOtherProcess) {
  auto peer = std::make_unique<PeerProcess>();
  // So large that they are not parts of one block of memory, which would stay mapped.
  constexpr std::int64_t bytes = 8 << 20;
  const auto used = peer->share(peer->allocate(bytes), 0, bytes);
  const auto unused = peer->share(peer->allocate(bytes), 0, bytes);
  ASSERT_TRUE(used && unused);
  ASSERT_TRUE(gpu::import_memory(*used, 0));
  peer.reset();
  std::string reason;
  EXPECT_FALSE(gpu::import_memory(*unused, 0, &reason));
  EXPECT_NE(reason, "");
  gpu::close_imports();
  warm_up();
}

TEST_F(Sharing, KnowsItsOwnMemory) {
  const auto memory = allocate(Source::device, 4096);
  const auto shared = gpu::export_memory(memory->data() + 100, 10);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->offset, 100);
  EXPECT_GE(shared->size, 4096);
  const auto imported = gpu::import_memory(*shared, 0);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->address(), memory->data() + 100);
  EXPECT_EQ(imported->device(), 0);
  EXPECT_EQ(gpu::imports().open, 0);
}

std::string obstacle(const void* address, std::int64_t bytes) {
  std::string reason;
  EXPECT_FALSE(gpu::export_memory(address, bytes, &reason));
  EXPECT_FALSE(gpu::export_memory(address, bytes));
  return reason;
}

TEST_F(Sharing, SaysWhatCannotBeExported) {
  for (const Source source : {Source::pageable, Source::pinned, Source::registered}) {
    EXPECT_EQ(obstacle(allocate(source, 64)->data(), 64), "it is not memory of a device") << name(source);
  }
  EXPECT_EQ(obstacle(nullptr, 0), "it is not memory of a device");
  EXPECT_EQ(obstacle(allocate(Source::managed, 64)->data(), 64),
            "it is managed memory, which belongs to one process");
  const auto memory = allocate(Source::device, 4096);
  const std::int64_t size = gpu::export_memory(memory->data(), 4096).value().size;
  EXPECT_TRUE(gpu::export_memory(memory->data() + 1, size - 1));
  EXPECT_EQ(obstacle(memory->data() + 1, size), "it ends outside of the allocation in which it begins");
  EXPECT_THROW(gpu::export_memory(memory->data(), -1), InvalidArgument);
  int pools = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
  if (pools == 0) return;
  void* pooled = nullptr;
  const OwnStream stream;
  ASSERT_CUDA(cudaMallocAsync(&pooled, 4096, stream.get()));
  EXPECT_EQ(obstacle(pooled, 4096), "it is of a memory pool");
  EXPECT_CUDA(cudaFreeAsync(pooled, stream.get()));
  stream.wait();
}

TEST_F(Sharing, RefusesWhatNobodyExported) {
  const auto memory = allocate(Source::device, 4096);
  const gpu::SharedMemory right = gpu::export_memory(memory->data(), 4096).value();
  const auto argument = [](const gpu::SharedMemory& wrong, int device = 0) {
    return invalid_argument([&] { gpu::import_memory(wrong, device); });
  };
  gpu::SharedMemory wrong = right;
  wrong.kind = {};
  EXPECT_EQ(argument(wrong), "memory.kind");
  wrong = right;
  wrong.size = 0;
  EXPECT_EQ(argument(wrong), "memory.size");
  for (const std::int64_t offset : {std::int64_t{-1}, right.size + 1}) {
    wrong = right;
    wrong.offset = offset;
    EXPECT_EQ(argument(wrong), "memory.offset");
  }
  EXPECT_EQ(argument(right, 99), "device");
  wrong = right;
  wrong.process[0] ^= 1;
  wrong.handle.fill(std::byte{0x5a});
  std::string reason;
  EXPECT_FALSE(gpu::import_memory(wrong, 0, &reason));
  EXPECT_NE(reason, "");
  EXPECT_EQ(gpu::imports().open, 0);
}

}  // namespace
}  // namespace typewarp::test
