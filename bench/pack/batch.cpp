// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include "transfer.hpp"

#include <typewarp/batch.hpp>

#include <optional>

/// All 26 halo directions of 8 fields in one call, against one call each, and one call for a struct of all.
namespace typewarp::bench {

namespace {

constexpr std::int64_t fields = 8;
constexpr std::int64_t interior = 128;
constexpr std::int64_t width = 2;
constexpr std::int64_t edge = interior + 2 * width;
constexpr std::int64_t field_bytes = 8 * edge * edge * edge;

/// The layer on side -1, 0 (all of the interior) or +1 of a dimension: what is sent, or the halo behind it.
struct Slab {
  std::int64_t size, start;
};
Slab slab(int side, bool sent) {
  if (side == 0) return {interior, width};
  const std::int64_t inner = side < 0 ? width : interior;
  const std::int64_t outer = side < 0 ? 0 : interior + width;
  return {width, sent ? inner : outer};
}

std::vector<Datatype> regions(bool sent) {
  std::vector<Datatype> result;
  for (int direction = 0; direction < 27; ++direction) {
    const Slab z = slab(direction / 9 - 1, sent);
    const Slab y = slab(direction / 3 % 3 - 1, sent);
    const Slab x = slab(direction % 3 - 1, sent);
    if (x.size == interior && y.size == interior && z.size == interior) continue;
    result.push_back(subarray({edge, edge, edge}, {z.size, y.size, x.size}, {z.start, y.start, x.start},
                              Order::c, Named::double_));
  }
  return result;
}

/// All pieces as one datatype, in the order in which they are packed.
Datatype as_struct(const std::vector<Datatype>& regions) {
  std::vector<std::int64_t> displacements;
  std::vector<Datatype> members;
  for (std::int64_t field = 0; field < fields; ++field) {
    for (const Datatype& region : regions) {
      displacements.push_back(field * field_bytes);
      members.push_back(region);
    }
  }
  return structure(std::vector<std::int64_t>(members.size(), 1), displacements, members);
}

class Halo {
 public:
  Halo(Bench& bench, Direction direction, MemoryKind memory)
      : bench_(bench),
        direction_(direction),
        memory_(memory),
        regions_(regions(direction == Direction::pack)),
        whole_(place(bench.pool.layout, as_struct(regions_), 1)),
        packed_(memory == MemoryKind::device ? bench.pool.packed.reserve(whole_.bytes())
                                             : bench.pool.pinned.reserve(whole_.bytes())) {
    for (const Datatype& region : regions_) plans_.push_back(commit(region));
    std::int64_t at = 0;
    for (std::int64_t field = 0; field < fields; ++field) {
      for (const Plan& plan : plans_) {
        pieces_.push_back({whole_.buffer + field * field_bytes, 1, &plan, at});
        at += plan.size();
      }
    }
    batch_.emplace(pieces_, packed_);
  }

  Row row() const {
    Row row{"batch",
            "halo-26x8-128^3-w2",
            std::string(name(direction_)),
            std::string(name(memory_)),
            bench_.method,
            whole_.bytes(),
            {},
            {},
            {},
            {},
            true};
    row.sample = timed([&] { prepared(); });
    row.floor_us = floor_us(bench_.rates, transfer(), direction_);
    row.baselines_us["unprepared"] = timed([&] { batch(); }).median_us;
    row.baselines_us["one_call_each"] = timed([&] { one_by_one(); }).median_us;
    row.baselines_us["struct_of_all"] =
        timed([&] { transfer().run(direction_, bench_.queue.get()); }).median_us;
    return row;
  }

  /// Of all ways to move the same.
  void verify() const {
    bench::verify(bench_, transfer(), direction_,
                  {{"a Batch", [&](cudaStream_t) { prepared(); }},
                   {"a batch", [&](cudaStream_t) { batch(); }},
                   {"one call each", [&](cudaStream_t) { one_by_one(); }},
                   {"a struct of all", [&](cudaStream_t stream) { transfer().run(direction_, stream); }}});
  }

 private:
  Transfer transfer() const { return {problem_, whole_, packed_, memory_}; }

  void prepared() const {
    direction_ == Direction::pack ? batch_->pack(bench_.queue.get()) : batch_->unpack(bench_.queue.get());
  }
  void batch() const {
    direction_ == Direction::pack ? pack(pieces_, packed_, bench_.queue.get())
                                  : unpack(packed_, pieces_, bench_.queue.get());
  }
  void one_by_one() const {
    for (const Piece& piece : pieces_) {
      std::byte* const at = packed_ + piece.place;
      direction_ == Direction::pack ? pack(piece.buffer, piece.count, *piece.plan, at, bench_.queue.get())
                                    : unpack(at, piece.buffer, piece.count, *piece.plan, bench_.queue.get());
    }
  }

  Sample timed(const std::function<void()>& enqueue) const {
    return measure(
        [&] {
          enqueue();
          bench_.queue.wait();
        },
        bench_.effort);
  }

  Bench& bench_;
  Direction direction_;
  MemoryKind memory_;
  Problem problem_;
  std::vector<Datatype> regions_;
  std::vector<Plan> plans_;
  Placed whole_;
  std::byte* packed_;
  std::vector<Piece> pieces_;
  mutable std::optional<Batch> batch_;
};

}  // namespace

std::vector<Case> batch_cases() {
  return {{"batch", "halo-26x8-128^3-w2", [](Bench& bench) {
             for (const MemoryKind memory : {MemoryKind::device, MemoryKind::pinned}) {
               for (const Direction direction : {Direction::pack, Direction::unpack}) {
                 const Halo halo(bench, direction, memory);
                 halo.verify();
                 bench.report.row(halo.row());
               }
             }
           }}};
}

}  // namespace typewarp::bench
