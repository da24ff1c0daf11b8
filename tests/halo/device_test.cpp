// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges of device memory: streams, graphs, and other memory beside it. The device may be a fake.

#include "support/expect_invalid.hpp"
#include "halo/contributions.hpp"
#include "halo/device.hpp"
#include "halo/moved_fields.hpp"
#include "halo/patches.hpp"
#include "support/host_memory.hpp"

#include <array>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

class HaloDevice : public HaloThreePatches {
 protected:
  /// Page-locked fields are packed by the host: in no graph.
  bool host_packs() const { return pointer_info(fields_[0].data()).kind == MemoryKind::pinned; }
};

/// What patches hold at first, from where the stream brings it to them, and places for what they hold then.
class Copies {
 public:
  explicit Copies(std::vector<Patch>& patches) : patches_(patches) {
    for (const Patch& patch : patches) {
      results_.push_back(allocate_pinned(std::ssize(patch.initial())));
      sources_.push_back(allocate_pinned(std::ssize(patch.initial())));
      sources_.back()->write(patch.initial());
    }
  }

  void clear_fields() {
    for (Patch& patch : patches_) patch.write(Bytes(patch.initial().size()));
  }
  void enqueue_fields() {
    for (std::size_t f = 0; f < patches_.size(); ++f) copy(patches_[f].memory(), sources_[f]->data(), f);
  }
  void enqueue_results() {
    for (std::size_t f = 0; f < patches_.size(); ++f) copy(results_[f]->data(), patches_[f].memory(), f);
  }
  std::vector<Bytes> results() {
    std::vector<Bytes> all;
    for (Patch& patch : patches_) all.push_back(patch.contents());  // when the stream is done
    for (std::size_t f = 0; f < patches_.size(); ++f) results_[f]->read(all[f]);
    return all;
  }

 private:
  void copy(std::byte* to, const std::byte* from, std::size_t f) {
    enqueue_copy(to, from, patches_[f].initial().size());
  }

  std::vector<Patch>& patches_;
  std::vector<std::unique_ptr<Memory>> sources_, results_;
};

std::vector<Bytes> contents(std::vector<Patch>& patches) {
  std::vector<Bytes> all;
  for (Patch& patch : patches) all.push_back(patch.contents());
  return all;
}

TEST_F(HaloDevice, FollowsTheStreamAndIsFollowedByIt) {
  Copies copies(patches_);
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    Exchange exchange(*grid_, fields_, {.packing = packing});
    for (const bool beside : {false, true}) {
      copies.clear_fields();
      for (int i = 0; i < 2; ++i) {  // one behind the other
        copies.enqueue_fields();
        beside ? exchange.overlap([] {}, field_stream()) : exchange.exchange(field_stream());
        copies.enqueue_results();
      }
      EXPECT_EQ(copies.results(), contents(patches_));
      expect_right();
    }
  }
}

TEST_F(HaloDevice, AccumulationFollowsTheStreamAndIsFollowedByIt) {
  Exchange exchange(*grid_, fields_);
  exchange.accumulate(Operation::min, field_stream());
  const std::vector<Bytes> expected = contents(patches_);
  EXPECT_NE(expected[0], patches_[0].initial());
  Copies copies(patches_);
  copies.clear_fields();
  copies.enqueue_fields();
  exchange.accumulate(Operation::min, field_stream());
  copies.enqueue_results();
  EXPECT_EQ(copies.results(), expected);
}

TEST_F(HaloDevice, AGraphStandsForTheCallsThatItHolds) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const DeviceGraph unpacking([&] { exchange.unpack(field_stream()); });
  EXPECT_THROW(exchange.start_exchange(field_stream()), Error);  // no graph packs
  fill();
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  exchange.wait();
  unpacking.replay();
  expect_right();

  const DeviceGraph packing([&] { exchange.pack(field_stream()); });
  EXPECT_THROW(exchange.tune(field_stream()), Error);  // it would give up what graphs use
  for (int i = 0; i < 2; ++i) {
    fill();
    packing.replay();
    exchange.start_exchange(field_stream());
    exchange.wait();
    unpacking.replay();
    expect_right();
  }
}

// It must be unpacked by a call where only packing was captured.
TEST_F(HaloDevice, AGraphThatPacksDoesNotStandForUnpacking) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const DeviceGraph packing([&] { exchange.pack(field_stream()); });
  packing.replay();
  exchange.start_exchange(field_stream());
  exchange.wait();
  EXPECT_THROW(exchange.pack(field_stream()), Error);
  exchange.unpack(field_stream());
  expect_right();
}

// Sets of other numbers each: a halo tells from which it was filled.
TEST_F(HaloDevice, GraphsStandForCallsAsLongAsTheirMemoryIsBound) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  std::vector<Patch> others = patches(10);
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const DeviceGraph packing([&] { exchange.pack(field_stream()); });
  const DeviceGraph unpacking([&] { exchange.unpack(field_stream()); });
  for (int i = 0; i < 2; ++i) {
    fill();
    packing.replay();
    exchange.start_exchange(field_stream());
    exchange.wait();
    unpacking.replay();
    expect_right();

    fill(others);
    exchange.bind(addresses(others));
    packing.replay();  // of what is not bound
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
    exchange.exchange(field_stream());
    expect_right(others);
    exchange.bind(addresses(patches_));
  }
  expect_right(others);
}

TEST_F(HaloDevice, MessagesAreNoPartOfAGraph) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.pack(field_stream());
  const DeviceGraph none([&] { EXPECT_THROW(exchange.start_exchange(field_stream()), InvalidArgument); });
  exchange.start_exchange(field_stream());
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right();
}

TEST_F(HaloDevice, WhatTheHostMovesIsNoPartOfAGraph) {
  for (const std::vector<Place>& places : {std::vector(3, Place::pinned),
                                           std::vector(3, Place::pageable),
                                           {Place::patch, Place::patch, Place::pageable}}) {
    const MovedFields moved(patches_, places);
    Exchange exchange(*grid_, moved.fields(), {.packing = Packing::manual, .buffers = halo::Buffers::device});
    exchange.exchange(field_stream());
    const DeviceGraph none([&] {
      EXPECT_THROW(exchange.pack(field_stream()), InvalidArgument);
      EXPECT_THROW(exchange.unpack(field_stream()), InvalidArgument);
    });
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);  // no graph packs
    exchange.exchange(field_stream());
  }
}

TEST_F(HaloDevice, FieldsInPageLockedMemoryFollowTheStream) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    MovedFields pinned(patches_, std::vector(3, Place::pinned));
    Exchange exchange(*grid_, pinned.fields(), {.packing = packing});
    pinned.fill();
    exchange.exchange(field_stream());
    pinned.give();
    expect_right();
  }
}

TEST_F(HaloDevice, FieldsMayBeInSeveralKindsOfMemory) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    for (const halo::Buffers buffers : {halo::Buffers::pinned, halo::Buffers::device}) {
      MovedFields mixed(patches_, {Place::patch, Place::pinned, Place::pageable});
      Exchange exchange(*grid_, mixed.fields(), {.packing = packing, .buffers = buffers});
      mixed.fill();
      exchange.exchange(field_stream());
      exchange.exchange(field_stream());  // whose packing is not to meet what the first still unpacks
      mixed.give();
      expect_right();
    }
  }
}

void expect_accumulated_in_all_kinds(const Contributions& contributions, Operation operation,
                                     const halo::Options& options) {
  const Contributions::Numbers initial = contributions.initial();
  const auto bytes = std::as_bytes(std::span(initial));
  const auto source = allocate_pinned(std::ssize(bytes));
  source->write(bytes);
  std::vector<std::unique_ptr<Memory>> memory;
  memory.push_back(allocate_field(std::ssize(bytes)));
  memory.push_back(allocate_pinned(std::ssize(bytes)));
  memory.push_back(std::make_unique<HostMemory>(std::ssize(bytes)));
  std::vector<halo::Field> fields;
  for (const auto& one : memory) {
    one->write(bytes);
    fields.emplace_back(one->data(), contiguous(contributions.numbers(), Named::int64),
                        Contributions::descriptors());
  }
  Exchange exchange(contributions.grid(), fields, options);
  memory[1]->write(Bytes(bytes.size()));
  enqueue_copy(memory[1]->data(), source->data(), bytes.size());
  exchange.accumulate(operation, field_stream());
  for (const auto& one : memory) {
    Contributions::Numbers found(initial.size());
    one->read(std::as_writable_bytes(std::span(found)));  // the first one when the stream is done
    EXPECT_EQ(found, contributions.expected(operation));
  }
}

TEST_F(HaloDevice, FieldsInSeveralKindsOfMemoryAreAccumulated) {
  using halo::Buffers;
  const halo::ProcessGrid grid(comm_, {0, 0}, {true, false});
  const Contributions contributions(grid, 2);
  for (const Operation operation : {Operation::sum, Operation::max}) {
    for (const Buffers buffers : {Buffers::pinned, Buffers::device}) {
      for (const Packing packing : {Packing::manual, Packing::datatype}) {
        SCOPED_TRACE(halo::name(packing));
        expect_accumulated_in_all_kinds(contributions, operation, {.packing = packing, .buffers = buffers});
      }
    }
  }
}

TEST_F(HaloDevice, IsBoundToMemoryOfTheSameKind) {
  Exchange exchange(*grid_, fields_);
  Bytes pageable(patches_[1].initial().size());
  const std::array data{fields_[0].data(), static_cast<void*>(pageable.data()), fields_[2].data()};
  EXPECT_EQ(invalid_argument([&] { exchange.bind(data); }), "data[1]");
  exchange.exchange(field_stream());
  expect_right();
}

}  // namespace
}  // namespace typewarp::test
