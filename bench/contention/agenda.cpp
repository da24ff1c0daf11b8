// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "agenda.hpp"

#include <algorithm>
#include <random>

namespace typewarp::contention {
namespace {

constexpr std::int64_t kibi = 1 << 10;
constexpr std::int64_t mebi = 1 << 20;

Case rows_of(const std::string& name, const Rows& rows) {
  return {name, hvector(rows.height, 1, rows.pitch, contiguous(rows.width, Named::byte)), rows};
}

/// Runs of 1 to 7 doubles with gaps of 1 to 4, the same in every run.
Case irregular(const std::string& name, std::int64_t packed) {
  std::mt19937_64 random(2012);
  const auto from_to = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (std::int64_t left = packed / 8; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, from_to(1, 7)));
    displacements.push_back(at);
    at += lengths.back() + from_to(1, 4);
  }
  return {name, indexed(lengths, displacements, Named::double_), {}};
}

/// Of paper 000, section IV-E: what everything is measured of.
constexpr Rows vector_of_000{8, 262144, 64};
/// The same blocks, so many that launches do not count.
constexpr Rows long_vector{8, 8388608, 64};
constexpr Rows long_rows{4 * kibi, 4 * kibi, 8 * kibi};

using Methods = std::vector<Method>;

Method hinted(const std::string& hints) { return {hints, Way::library, hints}; }
const Method by_default{"default", Way::library, ""};
const Method high = hinted("priority=high");
const Method four_blocks = hinted("max_blocks=4");
const Method sixteen_blocks = hinted("max_blocks=16");
const Method high_four = hinted("priority=high, max_blocks=4");
const Method high_sixteen = hinted("priority=high, max_blocks=16");
/// One for each multiprocessor of the GPUs that this was written for.
const Method high_many = hinted("priority=high, max_blocks=132");
const Method no_multiprocessors = hinted("avoid=multiprocessors");
const Method high_stream{"high stream", Way::high_stream, ""};
const Method staged{"staged", Way::staged, ""};
const Method high_staged{"staged, priority=high", Way::staged, "priority=high"};
const Method memcpy2d{"memcpy2d", Way::memcpy2d, ""};
const Method through_host{"through host", Way::through_host, ""};
const Method extent{"extent", Way::extent, ""};
const Method blocks{"a memcpy each", Way::blocks, ""};
const Method batch{"memcpy batch", Way::batch, ""};

/// What is measured of a case.
struct Entry {
  Case subject;
  Methods pack;                            ///< to either memory
  Methods pack_to_device, pack_to_pinned;  ///< and to one only
  Methods unpack;
  Methods of_two_processes;
};

std::vector<Entry> every_entry() {
  const Methods few{by_default, high, four_blocks, high_four, high_sixteen};
  return {{rows_of("vector", vector_of_000),
           {by_default, high, four_blocks, sixteen_blocks, high_four, high_sixteen, high_many,
            no_multiprocessors, high_stream, memcpy2d, blocks, batch},
           {through_host},
           {staged, high_staged, extent},
           {by_default, high, high_sixteen, high_many, no_multiprocessors},
           {by_default, high, four_blocks, high_sixteen, no_multiprocessors}},
          {rows_of("long vector", long_vector),
           {by_default, high, four_blocks, sixteen_blocks, high_four, high_sixteen, high_many},
           {},
           {staged, high_staged},
           {by_default, high, high_sixteen, high_many},
           few},
          {rows_of("rows", long_rows),
           {by_default, high, high_sixteen, high_many, no_multiprocessors, memcpy2d, blocks, batch},
           {through_host},
           {extent},
           {by_default, no_multiprocessors},
           {}},
          {irregular("indexed", 16 * mebi),
           {by_default, high, sixteen_blocks, high_sixteen, high_many, no_multiprocessors},
           {},
           {staged, high_staged, extent},
           {by_default, high, high_sixteen, high_many},
           {}}};
}

/// The rows that copies one by one are measured of: each takes 2 to 5 us.
Case shortened(const Case& subject) {
  Rows rows = subject.rows;
  rows.height = std::min(rows.height, most_blocks);
  return rows_of(subject.name, rows);
}

bool one_by_one(Way way) { return way == Way::blocks || way == Way::batch; }

class Adder {
 public:
  void add(Work work, const Entry& entry, bool packs, Place place, const Methods& methods) {
    for (const Method& method : methods) {
      const Case& whole = entry.subject;
      items_.push_back({static_cast<std::int64_t>(items_.size()), work,
                        one_by_one(method.way) ? shortened(whole) : whole, packs, place, method});
    }
  }
  std::vector<Item> take() { return std::move(items_); }

 private:
  std::vector<Item> items_;
};

bool in_two_processes(Work work) {
  return work == Work::add || work == Work::arithmetic || work == Work::to_host;
}

}  // namespace

const char* name(Place place) noexcept { return place == Place::device ? "device" : "pinned"; }

std::string Item::text() const { return std::string(contention::name(work)) + "/" + move_text(); }

std::string Item::move_text() const {
  return subject.name + "/" + contention::name(place) + "/" + (packs ? "pack" : "unpack") + "/" + method.name;
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (Entry& entry : every_entry()) cases.push_back(std::move(entry.subject));
  return cases;
}

std::vector<Item> agenda(bool two_processes) {
  Adder adder;
  for (const Entry& entry : every_entry()) {
    for (const Work work : every_work) {
      if (two_processes && !in_two_processes(work)) continue;
      for (const Place place : {Place::device, Place::pinned}) {
        if (two_processes) {
          adder.add(work, entry, true, place, entry.of_two_processes);
          continue;
        }
        adder.add(work, entry, true, place, entry.pack);
        adder.add(work, entry, true, place,
                  place == Place::device ? entry.pack_to_device : entry.pack_to_pinned);
        adder.add(work, entry, false, place, entry.unpack);
      }
    }
  }
  return adder.take();
}

double application_us(double move_alone_us) noexcept {
  // Four times as long, so that the move ends within, whatever delays it. At least so long that what the host
  // takes to enqueue the second of both, some 10 us, does not count; at most so long that all is measured in
  // minutes.
  return std::clamp(4 * move_alone_us, 200.0, 4000.0);
}

}  // namespace typewarp::contention
