// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Many copies by one launch, against the type map.

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "plan/state.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

namespace typewarp::test {
namespace {

/// Buffers one after the other in one piece of memory, each at an odd place.
class Arena {
 public:
  /// Returns where the image begins.
  std::int64_t add(const Bytes& image, std::uint64_t random) {
    constexpr std::uint64_t shifts = 24;
    const auto begin = static_cast<std::int64_t>(image_.size() + random % shifts);
    image_.resize(static_cast<std::size_t>(begin), std::byte{0x5a});
    image_.insert(image_.end(), image.begin(), image.end());
    return begin;
  }
  void upload(Source kind) {
    memory_ = allocate(kind, std::ssize(image_));
    memory_->write(image_);
  }
  void replace(std::int64_t begin, const Bytes& image) { std::ranges::copy(image, image_.begin() + begin); }
  std::byte* data() const { return memory_->data(); }
  const Bytes& image() const { return image_; }
  Bytes now() { return contents(*memory_, std::ssize(image_)); }

 private:
  Bytes image_;
  std::unique_ptr<Memory> memory_;
};

/// A side of a copy, in host memory at first.
struct End {
  End(const Datatype& of, std::int64_t items, bool as_packed, std::uint64_t seed)
      : type(of), count(items), plan(commit(of)), packed(as_packed), buffer(of, items, seed) {}

  gpu::Side in(const Arena& arena) {
    std::byte* const address =
        arena.data() + begin + (static_cast<std::byte*>(buffer.origin()) - buffer.bytes().data());
    if (packed) return {nullptr, type.size() * count, address};
    return {&plan, count, address};
  }

  Datatype type;
  std::int64_t count;
  Plan plan;
  bool packed;  ///< told as bytes, of which the type then is a row
  UserBuffer buffer;
  std::int64_t begin = 0;  ///< in its arena
};

Datatype row(std::int64_t bytes) { return contiguous(bytes, Named::byte); }

/// Runs of any length, up to four times as far apart.
Datatype runs_with_holes(std::mt19937_64& random) {
  constexpr std::uint64_t longest = 40, most = 300;
  const auto run = static_cast<std::int64_t>(1 + random() % longest);
  const std::int64_t stride =
      run + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(3 * run));
  const auto runs = static_cast<std::int64_t>(1 + random() % most);
  return resized(hvector(runs, run, stride, Named::byte), 0, runs * stride);
}

/// From random types to others of the same signature; some to or from packed bytes, some not to the end. Some
/// from runs with holes to the same ones.
class RandomCopies {
 public:
  RandomCopies(std::uint64_t seed, std::size_t copies, Source from, Source to) {
    std::mt19937_64 random(seed);
    for (std::uint64_t k = 0; bytes_.size() < copies; ++k) {
      const std::uint64_t kind = random() % 5;
      const bool alike = kind == 2;
      const Datatype type = alike ? runs_with_holes(random) : random_type(seed * 1000003 + k);
      const auto count = static_cast<std::int64_t>(random() % 3) + 1;
      const std::int64_t size = type.size() * count;
      if (size == 0 || size > most) continue;
      const Datatype other = alike ? contiguous(count, type) : scattered_like(type, count, k);
      if (type.true_extent() * count > most || other.true_extent() > most) continue;
      sources_.emplace_back(kind == 0 ? row(size) : type, kind == 0 ? 1 : count, kind == 0, 2 * k);
      destinations_.emplace_back(kind == 1 ? row(size) : other, 1, kind == 1, 2 * k + 1);
      const auto part = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
      bytes_.push_back(random() % 8 == 0 ? 1 + part : size);
      sources_.back().begin = from_.add(sources_.back().buffer.bytes(), random());
      destinations_.back().begin = to_.add(destinations_.back().buffer.bytes(), random());
    }
    from_.upload(from);
    to_.upload(to);
  }

  /// Leaves every `nth` out, if that is not 0.
  void check(Stream stream, std::size_t nth) {
    gpu::CopyBatch batch(0);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      End& source = sources_[i];
      End& destination = destinations_[i];
      if (!batch.add(destination.in(to_), source.in(from_), bytes_[i])) {
        ASSERT_GT(batch.size(), 20);
        batch.launch({0, stream});
        batch.clear();
        ASSERT_TRUE(batch.add(destination.in(to_), source.in(from_), bytes_[i]));
      }
      if (nth != 0 && i % nth == 0) {
        batch.remove(batch.size() - 1);
        continue;
      }
      Bytes packed = gathered(source.buffer, source.type, source.count);
      packed.resize(static_cast<std::size_t>(bytes_[i]));
      scatter(packed, destination.buffer, destination.type, destination.count);
      to_.replace(destination.begin, destination.buffer.bytes());
    }
    batch.launch({0, stream});
    ASSERT_CUDA(cudaDeviceSynchronize());
    ASSERT_EQ(to_.now(), to_.image());
    ASSERT_EQ(from_.now(), from_.image());
  }

 private:
  static constexpr std::int64_t most = 1 << 16;

  std::deque<End> sources_, destinations_;
  std::vector<std::int64_t> bytes_;
  Arena from_, to_;
};

class CudaCopyBatch : public testing::TestWithParam<Kinds> {};

TEST_P(CudaCopyBatch, CopiesWhatTheTypeMapSays) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  constexpr std::array<std::size_t, 5> sizes{1, 3, 20, 150, 500};
  const std::uint64_t cases = at_most_types(6 * sizes.size());
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::size_t copies = sizes[i % sizes.size()];
    const std::uint64_t seed = 1 + i / sizes.size();
    SCOPED_TRACE(testing::Message() << copies << " copies, seed " << seed);
    RandomCopies(seed, copies, GetParam().user, GetParam().packed).check(stream.get(), i % 2 == 0 ? 0 : 5);
    if (testing::Test::HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaCopyBatch,
                         testing::Values(Kinds{Source::device, Source::device},
                                         Kinds{Source::pinned, Source::device},
                                         Kinds{Source::device, Source::pinned},
                                         Kinds{Source::managed, Source::device}),
                         testing::PrintToStringParamName());

/// Faces, edges and corners of fields: all of them regular.
/// What engines have kept with a plan so far.
std::vector<const plan::Attachment*> attachments(const Plan& plan) {
  std::vector<const plan::Attachment*> all;
  for (const auto& one : plan::state_of(plan).attachments) all.push_back(one.load());
  return all;
}

TEST(CudaCopyBatches, NeedNothingMoreOfPlansThatArePrepared) {
  TYPEWARP_NEEDS_GPU();
  const auto memory = allocate(Source::device, 1);
  const std::uint64_t types = at_most_types(60);
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Plan plan = commit(random_type(seed, {.max_size = 2048}));
    if (plan.size() == 0) continue;
    const gpu::Side side{&plan, 2, memory->data()};
    const auto untouched = attachments(plan);
    gpu::prepare(side, 0);
    const auto prepared = attachments(plan);
    EXPECT_NE(prepared, untouched) << "seed " << seed;
    gpu::CopyBatch batch(0);
    EXPECT_TRUE(batch.add({nullptr, 2 * plan.size(), memory->data()}, side, 2 * plan.size()));
    EXPECT_EQ(attachments(plan), prepared) << "seed " << seed;
  }
  gpu::prepare({nullptr, 1, memory->data()}, 0);  // packed bytes have no plan
}

TEST(CudaCopyBatches, TakeOneLaunchForAHalo) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(subarray({12, 12, 12}, {2, 8, 2}, {2, 2, 2}, Order::c, Named::double_));
  constexpr int copies = 208;
  const auto from = allocate(Source::device, copies * plan.extent());
  const auto to = allocate(Source::device, copies * plan.extent());
  gpu::CopyBatch batch(0);
  const std::uint64_t before = gpu::launches();
  for (int i = 0; i < copies; ++i) {
    const gpu::Side source{&plan, 1, from->data() + i * plan.extent()};
    const gpu::Side destination{&plan, 1, to->data() + i * plan.extent()};
    if (batch.add(destination, source, plan.size())) continue;
    batch.launch({0, stream.get()});
    batch.clear();
    ASSERT_TRUE(batch.add(destination, source, plan.size()));
  }
  batch.launch({0, stream.get()});
  EXPECT_EQ(gpu::launches() - before, 1U);
  stream.wait();
}

}  // namespace
}  // namespace typewarp::test
