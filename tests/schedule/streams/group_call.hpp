// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory_kinds.hpp"
#include "support/random.hpp"

#include <typewarp/device_group.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

namespace typewarp::test {

enum class GroupCallKind : std::uint8_t {
  allreduce,
  reduce,
  reduce_scatter,
  scan,
  exscan,
  broadcast,
  allgather,
  allgatherv,
  alltoall
};
constexpr int group_call_kinds = 9;

/// A call of a DeviceGroup: the same in all ranks.
struct GroupCall {
  GroupCallKind kind;
  Named type;
  Operation operation;
  std::int64_t count;
  int root;
  bool in_place;
  std::uint32_t seed;                     ///< of the numbers
  std::vector<std::int64_t> counts = {};  ///< of each rank; equal where the call takes one

  /// Of an odd count, up to `most`.
  static GroupCall drawn(Random& random, GroupCallKind kind, Named type, Operation operation,
                         std::int64_t most, int ranks);
  /// Of so many numbers, which should be too many for one step. Ranks have different counts where they may:
  /// the first one what is left of an even number for the last one.
  static GroupCall many(Random& random, GroupCallKind kind, Named type, Operation operation, int ranks,
                        std::int64_t count);

  std::int64_t number() const { return Datatype(type).extent(); }
  std::int64_t bytes() const { return count * number(); }

  friend std::ostream& operator<<(std::ostream& out, const GroupCall& call);
};

/// Such a call of one rank, with memory of its own, `offset` bytes behind the first aligned address, at
/// most 128.
class MadeGroupCall {
 public:
  /// `of_device`: all memory is that of devices; otherwise some is managed or page-locked.
  MadeGroupCall(const GroupCall& call, int rank, int ranks, std::int64_t offset, bool of_device = false);

  /// Where the memories of `in` and of `out` begin, or the one of both, and how long each is.
  std::vector<std::byte*> memories() const;
  std::int64_t memory_bytes() const;

  void start(DeviceGroup& group, Stream stream) const;
  /// Compares all bytes of the result's memory with what the host engine makes of the numbers, also those
  /// around and between the numbers. To be called once.
  void expect_result();

 private:
  bool is_in_place() const { return call_.in_place || call_.kind == GroupCallKind::broadcast; }
  Memory& result() const { return is_in_place() ? *in_ : *out_; }
  std::int64_t place() const;
  std::int64_t first_own() const;
  bool gathers() const {
    return call_.kind == GroupCallKind::allgather || call_.kind == GroupCallKind::allgatherv;
  }
  /// Where this rank's share lies on a side that has all of them.
  std::int64_t own_part() const { return call_.in_place ? first_own() * call_.number() : 0; }
  std::vector<std::byte> around(const std::vector<std::byte>& bytes) const;
  std::vector<std::byte> wanted() const;

  GroupCall call_;
  int rank_, ranks_;
  std::int64_t offset_;
  std::unique_ptr<Memory> in_, out_;
};

}  // namespace typewarp::test
