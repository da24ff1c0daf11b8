// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/group_call.hpp"

#include <typewarp/reduce.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace typewarp::test {
namespace {

using Kind = GroupCallKind;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t guard = 24;
constexpr std::int64_t most_offset = 128;
constexpr std::int64_t room_around = 2 * guard + most_offset;
constexpr std::byte before{0x55}, outside{0x33};

/// No floating-point number is a NaN or infinite without the highest bits.
Bytes numbers_of(const GroupCall& call, int rank) {
  Bytes made = noise(call.bytes(), call.seed + static_cast<std::uint32_t>(rank));
  for (std::byte& byte : made) byte &= std::byte{0x3f};
  return made;
}

/// What the numbers of ranks 0 to `last` make, in their order.
Bytes combined(const GroupCall& call, int last) {
  Bytes all = numbers_of(call, 0);
  for (int rank = 1; rank <= last; ++rank) {
    Bytes next = numbers_of(call, rank);
    reduce_local(all.data(), next.data(), call.count, call.type, call.operation);
    all = std::move(next);
  }
  return all;
}

/// Where the share of a rank begins, in numbers.
std::int64_t first_of(const GroupCall& call, int rank) {
  return std::accumulate(call.counts.begin(), call.counts.begin() + rank, std::int64_t{0});
}

/// What the rank gets where nothing is combined.
Bytes moved(const GroupCall& call, int rank) {
  Bytes all;
  for (int from = 0; from < std::ssize(call.counts); ++from) {
    const Bytes given = numbers_of(call, from);
    const bool goes_to_all = call.kind != Kind::alltoall;
    const bool is_in_place = call.in_place || !goes_to_all;
    const std::int64_t first = is_in_place ? first_of(call, goes_to_all ? from : rank) * call.number() : 0;
    const std::int64_t bytes = call.counts[static_cast<std::size_t>(from)] * call.number();
    all.insert(all.end(), given.begin() + first, given.begin() + first + bytes);
  }
  return all;
}

/// Half of it a device's.
Source source(std::uint32_t random) {
  constexpr Source sources[] = {Source::device, Source::device, Source::managed, Source::pinned};
  return sources[random % 4];
}

}  // namespace

GroupCall GroupCall::drawn(Random& random, GroupCallKind kind, Named type, Operation operation,
                           std::int64_t most, int ranks) {
  GroupCall call{kind,
                 type,
                 operation,
                 random.range(1, most) | 1,
                 static_cast<int>(random.range(0, ranks - 1)),
                 random.one_in(3),
                 static_cast<std::uint32_t>(random.range(1, 1 << 20))};
  std::int64_t left = call.count;
  for (int rank = 1; rank < ranks; ++rank) {
    call.counts.push_back(random.one_in(4) ? 0 : random.range(0, left));
    left -= call.counts.back();
  }
  call.counts.push_back(left);
  if (kind == Kind::allgather || kind == Kind::alltoall) {
    call.counts.assign(static_cast<std::size_t>(ranks), (call.count + ranks - 1) / ranks);
    call.count = ranks * call.counts.front();
  }
  return call;
}

GroupCall GroupCall::many(Random& random, GroupCallKind kind, Named type, Operation operation, int ranks,
                          std::int64_t count) {
  GroupCall call = drawn(random, kind, type, operation, 1, ranks);
  call.count = count;
  if (call.kind == Kind::allgather || call.kind == Kind::alltoall) {
    call.counts.assign(static_cast<std::size_t>(ranks), count);
    call.count *= ranks;
  } else {
    call.counts.assign(static_cast<std::size_t>(ranks), 0);
    call.counts.back() = count / 3 * 2 / 16 * 16;
    call.counts.front() += count - call.counts.back();
  }
  return call;
}

std::ostream& operator<<(std::ostream& out, const GroupCall& call) {
  return out << "call " << static_cast<int>(call.kind) << " of " << call.count << " " << name(call.type)
             << " by " << name(call.operation) << ", root " << call.root
             << (call.in_place ? ", in place" : "");
}

MadeGroupCall::MadeGroupCall(const GroupCall& call, int rank, int ranks, std::int64_t offset, bool of_device)
    : call_(call),
      rank_(rank),
      ranks_(ranks),
      offset_(offset),
      in_(allocate(of_device ? Source::device : source(call.seed + static_cast<std::uint32_t>(rank)),
                   memory_bytes())),
      out_(allocate(of_device ? Source::device : source(call.seed / 7), memory_bytes())) {
  if (offset > most_offset) throw std::invalid_argument("MadeGroupCall: the offset has no room");
  in_->write(around(numbers_of(call, rank)));
  out_->write(around(Bytes(static_cast<std::size_t>(call.bytes()), before)));
}

std::vector<std::byte*> MadeGroupCall::memories() const {
  if (is_in_place()) return {in_->data()};
  return {in_->data(), out_->data()};
}

std::int64_t MadeGroupCall::memory_bytes() const { return call_.bytes() + room_around; }

void MadeGroupCall::start(DeviceGroup& group, Stream stream) const {
  const std::byte* const in = in_->data() + place() + (gathers() ? own_part() : 0);
  std::byte* const out = result().data() + place() + (gathers() ? 0 : own_part());
  const auto& [kind, type, operation, count, root, in_place, seed, counts] = call_;
  switch (kind) {
    case Kind::allreduce:
      return group.allreduce(in, out, count, type, operation, stream);
    case Kind::reduce:
      return group.reduce(in, rank_ == root ? out : nullptr, count, type, operation, root, stream);
    case Kind::reduce_scatter:
      return group.reduce_scatter(in, out, counts, type, operation, stream);
    case Kind::scan:
      return group.scan(in, out, count, type, operation, stream);
    case Kind::exscan:
      return group.exscan(in, out, count, type, operation, stream);
    case Kind::broadcast:
      return group.broadcast(out, call_.bytes(), root, stream);
    case Kind::allgather:
      return group.allgather(in, out, counts.front() * call_.number(), stream);
    case Kind::allgatherv: {
      std::vector<std::int64_t> bytes = counts;
      for (std::int64_t& count_of_rank : bytes) count_of_rank *= call_.number();
      return group.allgatherv(in, out, bytes, stream);
    }
    case Kind::alltoall:
      return group.alltoall(in, out, counts.front() * call_.number(), stream);
  }
}

void MadeGroupCall::expect_result() {
  const Bytes right = wanted();
  const Bytes found = contents(result(), std::ssize(right));
  EXPECT_EQ(std::ranges::mismatch(found, right).in1 - found.begin(), std::ssize(right))
      << call_ << ", at " << place();
}

std::int64_t MadeGroupCall::place() const { return guard + offset_; }

std::int64_t MadeGroupCall::first_own() const {
  return call_.kind == Kind::reduce_scatter || gathers() ? first_of(call_, rank_) : 0;
}

Bytes MadeGroupCall::around(const Bytes& bytes) const {
  Bytes all(bytes.size() + room_around, outside);
  std::ranges::copy(bytes, all.begin() + place());
  return all;
}

Bytes MadeGroupCall::wanted() const {
  Bytes all = around(is_in_place() ? numbers_of(call_, rank_)
                                   : Bytes(static_cast<std::size_t>(call_.bytes()), before));
  if (call_.kind == Kind::broadcast) return around(numbers_of(call_, call_.root));
  if (gathers() || call_.kind == Kind::alltoall) return around(moved(call_, rank_));
  const bool gets =
      call_.kind == Kind::reduce ? rank_ == call_.root : call_.kind != Kind::exscan || rank_ > 0;
  if (!gets) return all;
  const int last = call_.kind == Kind::scan ? rank_ : call_.kind == Kind::exscan ? rank_ - 1 : ranks_ - 1;
  const std::int64_t count =
      call_.kind == Kind::reduce_scatter ? call_.counts[static_cast<std::size_t>(rank_)] : call_.count;
  const Bytes made = combined(call_, last);
  const Plan numbers = commit(call_.type);  // without what lies between them
  copy(made.data() + first_own() * call_.number(), count, numbers, all.data() + place() + own_part(), count,
       numbers);
  return all;
}

}  // namespace typewarp::test
