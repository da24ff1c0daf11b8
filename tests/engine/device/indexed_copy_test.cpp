// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/indexed_copy.hpp>
#include <typewarp/host.hpp>

#include "engine/calls.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

/// Copies of items by lists against the host engine, item by item.
namespace typewarp::test {
namespace {

/// Memory of items with gaps around them, and what it should hold.
class Items {
 public:
  /// `turned`: item 0 is the last one in memory.
  Items(Plan plan, std::int64_t count, std::int64_t shift, std::int64_t gap, bool turned, Source kind)
      : plan_(std::move(plan)), count_(count) {
    const Datatype& type = plan_.datatype();
    stride_ = type.true_ub() - type.true_lb() + gap;
    bytes_ = shift + count * stride_ + guard;
    origin_ = shift - type.true_lb() + (turned ? (count - 1) * stride_ : 0);
    if (turned) stride_ = -stride_;
    memory_ = allocate(kind, bytes_);
  }

  ItemArray array() const { return {memory_->data() + origin_, count_, stride_, plan_}; }
  void fill(std::uint32_t seed) {
    expected_ = noise(bytes_, seed);
    memory_->write(expected_);
  }
  std::vector<std::byte> packed(std::int64_t item) const {
    std::vector<std::byte> result(static_cast<std::size_t>(plan_.size()));
    host::pack(expected_.data() + origin_ + item * stride_, 1, plan_, result.data(), {0, plan_.size()});
    return result;
  }
  void expect(std::int64_t item, const std::vector<std::byte>& packed) {
    host::unpack(packed.data(), expected_.data() + origin_ + item * stride_, 1, plan_, {0, plan_.size()});
  }
  bool right() const { return contents(*memory_, bytes_) == expected_; }
  std::int64_t count() const { return count_; }

 private:
  static constexpr std::int64_t guard = 64;

  Plan plan_;
  std::int64_t count_, origin_, stride_, bytes_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::byte> expected_;
};

/// A list of indices in memory of some kind, or none.
class List {
 public:
  template <typename Random>
  List(Random& random, std::vector<std::int64_t> values, Source kind) : values_(std::move(values)) {
    const auto store = [&](const auto& all) {
      const auto bytes = std::as_bytes(std::span(all));
      memory_ = allocate(kind, std::ssize(bytes));
      memory_->write(bytes);
    };
    if (random() % 2 == 0) {
      store(std::vector<std::int32_t>(values_.begin(), values_.end()));
      list_.bytes = 4;
    } else {
      store(values_);
    }
    list_.values = memory_->data();
  }
  explicit List(std::size_t count) : values_(count) { std::iota(values_.begin(), values_.end(), 0); }

  const IndexList& list() const { return list_; }
  std::int64_t operator[](std::size_t k) const { return values_[k]; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::vector<std::int64_t> values_;
  std::unique_ptr<Memory> memory_;
  IndexList list_;
};

class RandomIndexed {
 public:
  RandomIndexed(std::uint64_t seed, Kinds kinds, std::size_t pairs) : random_(seed) {
    const std::int64_t sources = 1 + below(40), destinations = 1 + below(40);
    for (std::uint64_t k = 0; from_.size() < pairs; ++k) {
      const Datatype type = random_type(seed * 1000003 + k);
      if (type.size() == 0 || type.true_ub() - type.true_lb() > 4096) continue;
      const Datatype bytes = contiguous(type.size(), Named::byte);
      const std::int64_t which = below(3);
      from_.emplace_back(commit(which == 1 ? bytes : type), sources, below(20), below(3) * below(40),
                         below(4) == 0, kinds.user);
      to_.emplace_back(commit(which == 2 ? bytes : type), destinations, below(20), below(3) * below(40),
                       below(4) == 0, kinds.packed);
    }
  }

  void check(Source lists, Stream stream) {
    std::vector<ItemArray> from, to;
    for (const Items& items : from_) from.push_back(items.array());
    for (const Items& items : to_) to.push_back(items.array());
    IndexedCopy copy(from, to);
    for (std::uint32_t call = 0; call < 3; ++call) {
      for (std::size_t i = 0; i < from_.size(); ++i) from_[i].fill(7 * call + 1), to_[i].fill(7 * call + 2);
      ASSERT_CUDA(cudaDeviceSynchronize());
      const List read = drawn(from_.front().count(), true, lists),
                 written = drawn(to_.front().count(), false, lists);
      const std::int64_t count = std::min(read.size(), written.size());
      copy.copy(read.list(), written.list(), count, stream);
      expect(read, written, count);
      ASSERT_CUDA(cudaDeviceSynchronize());
      copy.check();
      for (std::size_t i = 0; i < from_.size(); ++i) {
        ASSERT_TRUE(from_[i].right()) << "source " << i << ", call " << call;
        ASSERT_TRUE(to_[i].right()) << "destination " << i << ", call " << call;
      }
    }
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  List drawn(std::int64_t items, bool may_repeat, Source kind) {
    const auto count = static_cast<std::size_t>(1 + below(items));
    if (below(4) == 0) return List(count);
    std::vector<std::int64_t> values(static_cast<std::size_t>(items));
    std::iota(values.begin(), values.end(), 0);
    std::shuffle(values.begin(), values.end(), random_);
    values.resize(count);
    if (may_repeat) {
      for (std::int64_t& value : values) value = below(items);
    }
    return List(random_, std::move(values), kind);
  }

  void expect(const List& read, const List& written, std::int64_t count) {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        to_[i].expect(written[k], from_[i].packed(read[k]));
    }
  }

  std::mt19937_64 random_;
  std::vector<Items> from_, to_;
};

class CudaIndexedCopy : public testing::TestWithParam<Kinds> {};

TEST_P(CudaIndexedCopy, EqualsOneCopyForEachItem) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const std::uint64_t cases = at_most_types(24);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    for (const Source lists : {Source::pageable, Source::pinned, Source::managed, Source::device}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", lists in memory of kind " << name(lists));
      RandomIndexed(seed, GetParam(), 1 + seed % 4).check(lists, stream.get());
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaIndexedCopy,
                         testing::Values(Kinds{Source::device, Source::device},
                                         Kinds{Source::pinned, Source::device},
                                         Kinds{Source::device, Source::managed}),
                         testing::PrintToStringParamName());

/// Rows of 32 bytes, from one array to another.
struct Rows {
  static constexpr std::int64_t count = 100, bytes = 32;

  Plan plan = commit(contiguous(bytes, Named::byte));
  std::unique_ptr<Memory> source = allocate(Source::device, count* bytes);
  std::unique_ptr<Memory> destination = allocate(Source::device, count* bytes);
  ItemArray from{source->data(), count, bytes, plan};
  ItemArray to{destination->data(), count, bytes, plan};

  static std::vector<std::byte> data(std::uint32_t seed) { return noise(count * bytes, seed); }
  /// Writes both arrays; what they hold then.
  std::pair<std::vector<std::byte>, std::vector<std::byte>> filled() const {
    std::pair both(data(1), data(2));
    source->write(both.first);
    destination->write(both.second);
    return both;
  }
  IndexedCopy copy() const { return IndexedCopy(std::span(&from, 1), std::span(&to, 1)); }
};

std::unique_ptr<Memory> on_device(const std::vector<std::int64_t>& values) {
  auto memory = allocate(Source::device, static_cast<std::int64_t>(values.size() * sizeof(std::int64_t)));
  memory->write(std::as_bytes(std::span(values)));
  return memory;
}

IndexList list(const Memory& memory) {
  return reinterpret_cast<const std::int64_t*>(const_cast<Memory&>(memory).data());
}

TEST(CudaIndexedCopies, LeaveOutWhatIsOutOfRangeAndNameItLater) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Rows rows;
  IndexedCopy copy = rows.copy();
  auto [source, expected] = rows.filled();
  const auto from = on_device({5, 6, 7, 8}), to = on_device({0, Rows::count, 2, 3});
  ASSERT_CUDA(cudaDeviceSynchronize());
  copy.check();
  copy.copy(list(*from), list(*to), 4, stream.get());
  stream.wait();
  for (const std::int64_t k : {0, 2, 3})
    std::copy_n(source.begin() + (5 + k) * Rows::bytes, Rows::bytes, expected.begin() + k * Rows::bytes);
  EXPECT_EQ(contents(*rows.destination, Rows::count * Rows::bytes), expected);
  EXPECT_EQ(message_of([&] { copy.check(); }),
            "typewarp::IndexedCopy::copy: to[1] = 100: must be at least 0 and less than 100");
  copy.check();

  const auto negative = on_device({1, -7});
  copy.copy(list(*negative), {}, 2, stream.get());
  stream.wait();
  EXPECT_EQ(message_of([&] { copy.copy({}, {}, 1, stream.get()); }),
            "typewarp::IndexedCopy::copy: from[1] = -7: must be at least 0 and less than 100");
  copy.copy({}, {}, 1, stream.get());
  stream.wait();
  copy.check();
}

// The lists are gone when the stream comes to the calls, and so is the object.
TEST(CudaIndexedCopies, FollowTheStreamAndReadListsOfTheHostAtOnce) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  const Rows rows;
  std::mt19937_64 random(1);
  const auto source = Rows::data(1);
  rows.source->write(source);
  for (const Source kind : {Source::pageable, Source::pinned}) {
    auto expected = Rows::data(2);
    rows.destination->write(expected);
    constexpr std::int64_t longest = 40'000;  // which takes more memory than there is at first
    const auto lists = allocate(kind, 2 * longest * 4);
    auto* const read = reinterpret_cast<std::int32_t*>(lists->data());
    auto* const written = read + longest;
    std::optional<IndexedCopy> copy = rows.copy();
    ASSERT_CUDA(cudaDeviceSynchronize());
    Gate gate(stream.get());
    for (const std::int64_t count : std::vector<std::int64_t>{2, longest, 100, 1, 7}) {
      std::iota(written, written + Rows::count, 0);
      std::shuffle(written, written + Rows::count, random);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t first = k % Rows::count;  // the same again
        read[k] = k < Rows::count ? static_cast<std::int32_t>(random() % Rows::count) : read[first];
        written[k] = written[first];
        std::copy_n(source.begin() + read[k] * Rows::bytes, Rows::bytes,
                    expected.begin() + written[k] * Rows::bytes);
      }
      copy->copy(read, written, count, stream.get());
    }
    std::fill_n(read, 2 * longest, 50);
    copy.reset();
    EXPECT_TRUE(gate.closed());
    gate.open();
    stream.wait();
    EXPECT_EQ(contents(*rows.destination, Rows::count * Rows::bytes), expected) << name(kind);
  }
}

// Of three sizes: each is a launch of its own, and more than a table holds of one.
TEST(CudaIndexedCopies, TakeManyPairs) {
  TYPEWARP_NEEDS_GPU();
  constexpr std::int64_t pairs = 300, count = 3, most = 48;
  const OwnStream stream;
  const auto source = allocate(Source::device, pairs * count * most);
  const auto destination = allocate(Source::device, pairs * count * most);
  auto data = noise(pairs * count * most, 1), expected = noise(pairs * count * most, 2);
  source->write(data);
  destination->write(expected);
  std::vector<ItemArray> from, to;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::int64_t bytes = i < 2 ? 16 + 32 * i : 32;
    const Plan item = commit(contiguous(bytes, Named::byte));
    from.push_back({source->data() + i * count * most, count, most, item});
    to.push_back({destination->data() + i * count * most, count, most, item});
    std::copy_n(data.begin() + (i * count + 2) * most, bytes, expected.begin() + i * count * most);
  }
  const std::int32_t last[] = {2};
  IndexedCopy copy(from, to);
  copy.copy(last, {}, 1, stream.get());
  stream.wait();
  EXPECT_EQ(contents(*destination, std::ssize(expected)), expected);
}

TEST(CudaIndexedCopies, TellOfEachStreamsWrongIndex) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream first, second;
  const Rows rows;
  IndexedCopy copy = rows.copy(), other = rows.copy();
  const auto wrong = on_device({Rows::count, 1}), right = on_device({1, 0});
  for (const OwnStream* stream : {&first, &second, &first}) {
    copy.copy(list(*wrong), {}, 2, stream->get());
    other.copy(list(*right), {}, 2, stream->get());
    stream->wait();
    EXPECT_EQ(message_of([&] { copy.check(); }),
              "typewarp::IndexedCopy::copy: from[0] = 100: must be at least 0 and less than 100");
    copy.check();
    other.check();
  }
  // Nobody gets the note of an object that is gone.
  copy.copy(list(*wrong), {}, 2, first.get());
  copy = rows.copy();
  first.wait();
  copy.check();
}

TEST(CudaIndexedCopies, AreCapturedWithListsOfTheDevice) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Rows rows;
  IndexedCopy copy = rows.copy();
  auto [source, expected] = rows.filled();
  const auto from = on_device({3, 4}), to = on_device({0, 1});
  const std::int32_t on_host[] = {0, 1};
  copy.copy({}, {}, 0, stream.get());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(message_of([&] { copy.copy(on_host, {}, 2, stream.get()); }),
            "typewarp::IndexedCopy::copy: from = host memory: must be memory of a device where the stream is "
            "captured");
  copy.copy(list(*from), list(*to), 2, stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&replay, graph, 0));
  // The lists are read at each replay.
  for (const std::int64_t first : {10, 20}) {
    const std::vector<std::int64_t> values{first, first + 1};
    from->write(std::as_bytes(std::span(values)));
    ASSERT_CUDA(cudaDeviceSynchronize());
    ASSERT_CUDA(cudaGraphLaunch(replay, stream.get()));
    stream.wait();
    std::copy_n(source.begin() + first * Rows::bytes, 2 * Rows::bytes, expected.begin());
    EXPECT_EQ(contents(*rows.destination, Rows::count * Rows::bytes), expected);
  }
  EXPECT_CUDA(cudaGraphExecDestroy(replay));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST(CudaIndexedCopies, RefusePageableArraysBesideThoseOfADevice) {
  TYPEWARP_NEEDS_GPU();
  const Rows rows;
  std::vector<std::byte> pageable(Rows::count * Rows::bytes);
  ItemArray on_host = rows.to;
  on_host.buffer = pageable.data();
  EXPECT_EQ(message_of([&] { IndexedCopy(std::span(&rows.from, 1), std::span(&on_host, 1)); }),
            "typewarp::IndexedCopy: destination[0].buffer = pageable host memory: must be memory that a GPU "
            "reaches, "
            "because the other side is a device's");
}

TEST(CudaIndexedCopies, RefuseItemsOfMoreThanAGibibyte) {
  TYPEWARP_NEEDS_GPU();
  Rows rows;
  rows.from.plan = rows.to.plan = commit(contiguous((std::int64_t{1} << 30) + 1, Named::byte));
  EXPECT_EQ(message_of([&] { rows.copy(); }),
            "typewarp::IndexedCopy: source[0].plan = 1073741825: must have at most 1 GiB");
}

TEST(CudaIndexedCopies, ReachOtherDevicesButNotByTheirStreams) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const OwnStream stream;
  Rows rows;
  ASSERT_CUDA(cudaSetDevice(1));
  const auto there = allocate(Source::device, Rows::count * Rows::bytes);
  auto source = Rows::data(1), expected = Rows::data(2);
  there->write(expected);
  const OwnStream of_other;
  ASSERT_CUDA(cudaSetDevice(0));
  rows.source->write(source);
  rows.to.buffer = there->data();
  const auto from = on_device({5, 6});
  IndexedCopy copy = rows.copy();
  EXPECT_EQ(message_of([&] { copy.copy({}, {}, 1, of_other.get()); }),
            "typewarp::IndexedCopy::copy: stream = one of device 1: must be one of device 0, which moves the "
            "items");
  copy.copy(list(*from), {}, 2, stream.get());
  stream.wait();
  std::copy_n(source.begin() + 5 * Rows::bytes, 2 * Rows::bytes, expected.begin());
  EXPECT_EQ(contents(*there, Rows::count * Rows::bytes), expected);
}

}  // namespace
}  // namespace typewarp::test
