// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/fields.hpp"
#include "support/expect_invalid.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo_disagreement.hpp>
#include <typewarp/halo_on_streams.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace typewarp::halo {
namespace {

constexpr int untouched = -1;

/// An array of numbers in the memory of this suite.
class Array {
 public:
  explicit Array(std::vector<Descriptor> descriptors, const Storage& storage = {})
      : descriptors_(std::move(descriptors)), storage_(storage), numbers_(size(), untouched) {
    memory_ = test::allocate_field(bytes());
  }

  Field field() const { return field(descriptors_); }
  /// The same memory, of which other indices are owned.
  Field field(const std::vector<Descriptor>& descriptors) const {
    return {reinterpret_cast<int*>(memory_->data()), descriptors, storage_};
  }
  /// Owned elements by their indices from the first owned one on; all others are untouched.
  void set(const std::function<int(const std::vector<std::int64_t>&)>& value) {
    const std::vector<std::int64_t> strides = field().strides();
    std::ranges::fill(numbers_, untouched);
    std::int64_t count = 1;
    for (const Descriptor& descriptor : descriptors_) count *= descriptor.length();
    for (std::int64_t i = 0; i < count; ++i) {
      std::vector<std::int64_t> index(descriptors_.size());
      std::int64_t rest = i;
      std::int64_t at = 0;
      for (std::size_t d = index.size(); d-- > 0; rest /= descriptors_[d].length()) {
        index[d] = rest % descriptors_[d].length();
        at += (descriptors_[d].begin + index[d]) * strides[d];
      }
      numbers_[static_cast<std::size_t>(at) / sizeof(int)] = value(index);
    }
  }
  void write() { memory_->write(std::as_bytes(std::span(numbers_))); }
  /// What is in the memory.
  std::vector<int> read() {
    std::vector<int> found(numbers_.size());
    memory_->read(std::as_writable_bytes(std::span(found)));
    return found;
  }
  const std::vector<int>& numbers() const { return numbers_; }

 private:
  std::size_t size() const {
    std::size_t size = 1;
    for (const Descriptor& descriptor : descriptors_)
      size *= static_cast<std::size_t>(descriptor.total_length);
    return size;
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(size() * sizeof(int)); }

  std::vector<Descriptor> descriptors_;
  Storage storage_;
  std::vector<int> numbers_;
  std::unique_ptr<test::Memory> memory_;
};

class HaloAllToAll : public test::Session {
 protected:
  void run(typewarp::Exchange& exchange) {
    exchange.start(test::field_stream());
    exchange.wait();
  }
};

/// Tiles of 13 with halos of 6, as in the GCL's own test, in the other order of storage than the whole.
TEST_F(HaloAllToAll, ScattersAnArrayAndGathersIt) {
  constexpr std::int64_t tile = 13, halo = 6;
  const ProcessGrid grid(comm_, {0, 0, 0});
  const auto value = [&](const std::vector<int>& process, const std::vector<std::int64_t>& index) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < 3; ++d)
      number = number * grid.sizes()[d] * tile + process[d] * tile + index[d];
    return static_cast<int>(number);
  };
  const std::vector<int> root(3, 0);
  Array mine(std::vector(3, with_halo(tile, halo)), Storage::fortran());
  std::vector<Descriptor> all;
  for (const int size : grid.sizes()) all.push_back(without_halo(size * tile));
  const bool at_root = grid.coordinates() == root;
  Array whole(at_root ? all : std::vector(3, without_halo(1)));
  std::vector<FieldBlock> tiles;
  for (int rank = 0; at_root && rank < ranks_; ++rank) {
    std::vector<int> process(3);
    MPI_Cart_coords(grid.comm(), rank, 3, process.data());
    std::vector<Descriptor> part = all;
    for (std::size_t d = 0; d < 3; ++d) {
      part[d].begin = process[d] * tile;
      part[d].end = part[d].begin + tile;
    }
    tiles.push_back({whole.field(part), process});
  }
  const std::vector<FieldBlock> own{{mine.field(), root}};

  typewarp::Exchange scatter = all_to_all(grid, tiles, own);
  whole.set([&](const auto& index) { return value(root, index); });
  whole.write();
  mine.write();
  run(scatter);
  mine.set([&](const auto& index) { return value(grid.coordinates(), index); });
  EXPECT_EQ(mine.read(), mine.numbers());

  typewarp::Exchange gather = all_to_all(grid, own, tiles);
  const std::vector<int> expected = at_root ? whole.numbers() : std::vector{untouched};
  whole.set([](const auto&) { return untouched; });
  whole.write();
  run(gather);
  EXPECT_EQ(whole.read(), expected);
}

/// From rows of a matrix to its columns: each process has a block for every other, itself included.
TEST_F(HaloAllToAll, DividesAnArrayInAnotherWay) {
  constexpr std::int64_t length = 5;
  const ProcessGrid grid(comm_, {ranks_});
  const std::int64_t edge = length * ranks_;
  const std::vector<Descriptor> lying{with_halo(length, 1), without_halo(edge)};
  const std::vector<Descriptor> standing{without_halo(edge), with_halo(length, 2)};
  Array rows(lying), columns(standing);
  std::vector<FieldBlock> to, from;
  for (int rank = 0; rank < ranks_; ++rank) {
    std::vector<Descriptor> sent = lying, received = standing;
    sent[1].begin = received[0].begin = rank * length;
    sent[1].end = received[0].end = (rank + 1) * length;
    to.push_back({rows.field(sent), {rank}});
    from.push_back({columns.field(received), {rank}});
  }
  typewarp::Exchange exchange = all_to_all(grid, to, from);
  const auto value = [&](std::int64_t row, std::int64_t column) {
    return static_cast<int>(row * edge + column);
  };
  for (int round = 0; round < 2; ++round) {
    rows.set([&](const auto& index) { return value(rank_ * length + index[0], index[1]) + round; });
    rows.write();
    columns.write();
    run(exchange);
    columns.set([&](const auto& index) { return value(index[0], rank_ * length + index[1]) + round; });
    EXPECT_EQ(columns.read(), columns.numbers());
  }
}

TEST_F(HaloAllToAll, MovesNothingBeyondASideThatIsNotPeriodic) {
  const ProcessGrid row(comm_, {ranks_, 1}, {false, true});
  Array sent({without_halo(4)}), received({without_halo(4)});
  const std::vector<FieldBlock> to{{sent.field(), {rank_ + 1, 3}}};
  const std::vector<FieldBlock> from{{received.field(), {rank_ - 1, -2}}};
  typewarp::Exchange exchange = all_to_all(row, to, from);
  sent.set([&](const auto& index) { return static_cast<int>(10 * rank_ + index[0]); });
  sent.write();
  received.write();
  run(exchange);
  if (rank_ > 0)
    received.set([&](const auto& index) { return static_cast<int>(10 * (rank_ - 1) + index[0]); });
  EXPECT_EQ(received.read(), received.numbers());
}

TEST_F(HaloAllToAll, NamesWhatIsWrong) {
  const ProcessGrid grid(comm_, {ranks_, 1});
  Array array({without_halo(4)});
  const FieldBlock right{array.field(), {0, 0}}, wrong{array.field(), {0}};
  const auto refused = [&](std::span<const FieldBlock> to, std::span<const FieldBlock> from) {
    return test::invalid_argument([&] {
      try {
        all_to_all(grid, to, from);
      } catch (const Disagreement&) {
        EXPECT_NE(rank_, 0);
        throw InvalidArgument("", "another rank's", "", "");
      }
    });
  };
  const std::vector<FieldBlock> two{right, rank_ == 0 ? wrong : right};
  EXPECT_EQ(refused(two, {}), rank_ == 0 ? "to[1].process" : "another rank's");
  EXPECT_EQ(refused({}, two), rank_ == 0 ? "from[1].process" : "another rank's");
}

/// Rank 0 expects less than is sent to it.
TEST_F(HaloAllToAll, RefusesFieldBlocksOfDifferentSizes) {
  const ProcessGrid grid(comm_, {ranks_});
  Array four({without_halo(4)}), three({without_halo(3)});
  const std::vector<FieldBlock> to{{four.field(), {0}}};
  std::vector<FieldBlock> from;
  for (int rank = 0; rank_ == 0 && rank < ranks_; ++rank) from.push_back({three.field(), {rank}});
  EXPECT_THROW(all_to_all(grid, to, from), Error);
}

}  // namespace
}  // namespace typewarp::halo
