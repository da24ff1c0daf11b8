// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

/// One suite for every engine, memory kind and direction: random types by seed and a table of edge cases,
/// against the type-map oracle, with guard bytes around and between the blocks. Of every case the whole
/// packed stream moves, and random ranges of it; of short streams both sides of every cut, as far as
/// ConformanceOptions say.
namespace typewarp::test {

/// A piece of memory of some kind that the test can fill and read back from the host.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;
  virtual std::byte* data() = 0;
  virtual void write(std::span<const std::byte> bytes) = 0;  ///< to the start; waits for earlier work
  virtual void read(std::span<std::byte> bytes) = 0;         ///< from the start; waits for earlier work
};

/// What is tested: an engine with a kind of memory for the user's buffers and one for the packed bytes.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;
  virtual std::unique_ptr<Memory> user_memory(std::int64_t bytes) = 0;
  virtual std::unique_ptr<Memory> packed_memory(std::int64_t bytes) = 0;
  virtual void pack(const void* buffer, std::int64_t count, const Plan&, void* packed, ByteRange) = 0;
  virtual void unpack(const void* packed, void* buffer, std::int64_t count, const Plan&, ByteRange) = 0;
  virtual void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
                    std::int64_t destination_count, const Plan& destination_plan, ByteRange) = 0;
};

struct ConformanceOptions {
  std::uint64_t first_seed = 1;
  int types = 2000;  ///< random cases that move data; those without are met on the way and not counted
  /// Every edge case and each random case whose seed is divisible by this moves every [0, k) and [k, size) if
  /// its stream has at most `longest_cut` bytes, else both sides of 16 more random cuts. 0: none does.
  int cut_every_nth = 1;
  std::int64_t longest_cut = 256;
};

/// Each runs its direction over the edge cases and the random types, and reports failures with the seed, the
/// tree and the first differing byte through GoogleTest. TYPEWARP_TEST_SEED and TYPEWARP_TEST_TYPES in the
/// environment override first_seed and types, to replay one failure or to run longer. Where
/// TYPEWARP_TEST_TYPES asks for fewer types than there are edge cases (some 400), it bounds these as well: so
/// many run, spread evenly over the table, and cuts are made of each `cut_every_nth` of them only. This is
/// for tools that slow a program down a hundred times.
void check_pack(Backend& backend, ConformanceOptions options = {});
void check_unpack(Backend& backend, ConformanceOptions options = {});
void check_copy(Backend& backend, ConformanceOptions options = {});

}  // namespace typewarp::test
