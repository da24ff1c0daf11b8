// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/batch.hpp>

#include "engine/runtime/memory_kinds.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"

#include <array>
#include <random>

/// Batches against one call for each piece.
namespace typewarp::test {
namespace {

/// Pieces of random types and counts in one buffer, each in a region of its own, packed with gaps between.
class RandomBatch {
 public:
  RandomBatch(std::uint64_t seed, std::size_t pieces, Source user, Source packed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> origins;
    for (std::uint64_t k = 0; plans_.size() < pieces; ++k) {
      const Datatype type = random_type(seed * 1000003 + k);
      // Items may not overlap where they are unpacked.
      const bool apart = type.extent() >= type.true_ub() - type.true_lb();
      const std::int64_t count = apart ? static_cast<std::int64_t>(random() % 4) + 1 : 1;
      const std::int64_t low = std::min<std::int64_t>(0, (count - 1) * type.extent()) + type.true_lb();
      const std::int64_t high = std::max<std::int64_t>(0, (count - 1) * type.extent()) + type.true_ub();
      if (type.size() == 0 || high - low > 1 << 16) continue;
      plans_.push_back(commit(type));
      counts_.push_back(count);
      const auto shift = static_cast<std::int64_t>(random() % 24);
      origins.push_back(extent_ + shift - low);
      extent_ += shift + high - low;
      places_.push_back(size_ + static_cast<std::int64_t>(random() % 5));
      size_ = places_.back() + count * plans_.back().size();
    }
    user_ = allocate(user, extent_);
    packed_ = allocate(packed, size_);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      pieces_.push_back({user_->data() + origins[i], counts_[i], plans_[i], places_[i]});
    }
  }

  void check(Stream stream) {
    Batch batch(pieces_, packed_->data());
    const auto user_before = noise(extent_, 1), packed_before = noise(size_, 2);
    check_equal(user_before, packed_before, [&] { batch.pack(stream); }, [&] { one_by_one(true, stream); });
    check_equal(
        user_before, packed_before, [&] { batch.unpack(stream); }, [&] { one_by_one(false, stream); });
    check_equal(
        user_before, packed_before, [&] { pack(pieces_, packed_->data(), stream); },
        [&] { one_by_one(true, stream); });
    check_equal(
        user_before, packed_before, [&] { unpack(packed_->data(), pieces_, stream); },
        [&] { one_by_one(false, stream); });
  }

 private:
  template <typename Batched, typename Single>
  void check_equal(const std::vector<std::byte>& user, const std::vector<std::byte>& packed, Batched batched,
                   Single single) {
    const auto run = [&](auto operation) {
      user_->write(user);
      packed_->write(packed);
      ASSERT_CUDA(cudaDeviceSynchronize());
      operation();
      ASSERT_CUDA(cudaDeviceSynchronize());
    };
    run(single);
    const auto user_after = contents(*user_, extent_), packed_after = contents(*packed_, size_);
    run(batched);
    ASSERT_EQ(contents(*packed_, size_), packed_after);
    ASSERT_EQ(contents(*user_, extent_), user_after);
  }

  void one_by_one(bool packs, Stream stream) {
    for (const Piece& piece : pieces_) {
      std::byte* const at = packed_->data() + piece.place;
      packs ? pack(piece.buffer, piece.count, piece.plan, at, stream)
            : unpack(at, piece.buffer, piece.count, piece.plan, stream);
    }
  }

  std::vector<Plan> plans_;
  std::vector<std::int64_t> counts_, places_;
  std::int64_t extent_ = 0, size_ = 0;
  std::unique_ptr<Memory> user_, packed_;
  std::vector<Piece> pieces_;
};

class CudaBatch : public testing::TestWithParam<Kinds> {};

TEST_P(CudaBatch, EqualsOneCallForEachPiece) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  constexpr std::array<std::size_t, 5> sizes{1, 3, 20, 150, 500};
  const std::uint64_t cases = at_most_types(4 * sizes.size());
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::size_t pieces = sizes[i % sizes.size()];
    const std::uint64_t seed = 1 + i / sizes.size();
    SCOPED_TRACE(testing::Message() << pieces << " pieces, seed " << seed);
    RandomBatch(seed, pieces, GetParam().user, GetParam().packed).check(stream.get());
    if (testing::Test::HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaBatch,
                         testing::Values(Kinds{Source::device, Source::device},
                                         Kinds{Source::device, Source::pinned},
                                         Kinds{Source::pinned, Source::device},
                                         Kinds{Source::managed, Source::managed},
                                         Kinds{Source::device, Source::pageable}),
                         testing::PrintToStringParamName());

// As many pieces as a halo exchange has of 24 fields, the most that the GCL takes, with 26 neighbours.
TEST(CudaBatches, AreOneKernelForAllFieldsAndNeighboursOfTheGcl) {
  TYPEWARP_NEEDS_GPU();
  constexpr std::int64_t count = 24 * 26;
  const OwnStream stream;
  const Plan plan = commit(subarray({8, 8, 8}, {2, 3, 4}, {1, 1, 1}, Order::c, Named::double_));
  const auto user = allocate(Source::device, count * plan.extent());
  const auto packed = allocate(Source::device, count * plan.size());
  std::vector<Piece> pieces;
  for (std::int64_t i = 0; i < count; ++i) {
    pieces.push_back({user->data() + i * plan.extent(), 1, plan, i * plan.size()});
  }
  Batch batch(pieces, packed->data());
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  batch.pack(stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  std::size_t nodes = 0;
  ASSERT_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 1u);
  EXPECT_CUDA(cudaGraphDestroy(graph));

  user->write(test::pattern(count * plan.extent(), 1));
  batch.pack(stream.get());
  const auto expected = allocate(Source::device, count * plan.size());
  pack(user->data(), count, plan, expected->data(), stream.get());
  ASSERT_CUDA(cudaStreamSynchronize(stream.get()));
  Bytes found(static_cast<std::size_t>(count * plan.size())), right(found.size());
  packed->read(found);
  expected->read(right);
  EXPECT_EQ(found, right);
}

TEST(CudaBatches, FollowTheStream) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  const Plan plan = commit(vector(100, 1, 2, Named::int_));
  const auto user = allocate(Source::device, plan.extent());
  const auto packed = allocate(Source::pinned, plan.size());
  Batch batch(std::vector<Piece>{{user->data(), 1, plan, 0}}, packed->data());
  batch.pack(stream.get());
  stream.wait();
  // Read as the host sees it: contents() would wait for the device.
  const auto seen = [&] { return std::vector<std::byte>(packed->data(), packed->data() + plan.size()); };
  const std::vector<std::byte> blank(static_cast<std::size_t>(plan.size()), std::byte{0x5a});
  packed->write(blank);
  user->write(std::vector<std::byte>(static_cast<std::size_t>(plan.extent()), std::byte{1}));
  Gate gate(stream.get());
  batch.pack(stream.get());
  EXPECT_TRUE(gate.closed());
  EXPECT_EQ(seen(), blank);
  gate.open();
  stream.wait();
  EXPECT_EQ(seen(), std::vector<std::byte>(blank.size(), std::byte{1}));
}

}  // namespace
}  // namespace typewarp::test
