// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "halo.hpp"

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

class Halo {
 public:
  Halo(Bench& bench, Direction direction, MemoryKind memory)
      : bench_(bench),
        direction_(direction),
        memory_(memory),
        regions_(halo_regions(interior, width,
                              direction == Direction::pack ? HaloSide::sent : HaloSide::received)),
        whole_(place(bench.pool.layout, halo_of_fields(regions_, fields, field_bytes), 1)),
        packed_(memory == MemoryKind::device ? bench.pool.packed.reserve(whole_.bytes())
                                             : bench.pool.pinned.reserve(whole_.bytes())) {
    for (const Datatype& region : regions_) plans_.push_back(commit(region));
    std::int64_t at = 0;
    for (std::int64_t field = 0; field < fields; ++field) {
      for (const Plan& plan : plans_) {
        pieces_.push_back({whole_.buffer + field * field_bytes, 1, plan, at});
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
      direction_ == Direction::pack ? pack(piece.buffer, piece.count, piece.plan, at, bench_.queue.get())
                                    : unpack(at, piece.buffer, piece.count, piece.plan, bench_.queue.get());
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
