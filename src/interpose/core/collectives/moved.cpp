// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/moved.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/collectives/whose_exchanges.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "mpi/large.hpp"
#include "transport/collective/exchange.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace typewarp::interpose::moved {
namespace {

/// Packed bytes of a block from which on messages between two GPUs take less time than copies for the MPI, by
/// far: two H100 broadcast 16 KiB in 16 us by copies, and 256 KiB in 58.
constexpr std::int64_t least = std::int64_t{32} << 10;

constexpr int no_root = 0;

/// One side of this rank: its buffer and datatype.
struct Side {
  const void* buffer;
  MPI_Datatype type;
};

/// The blocks of this rank.
class Part {
 public:
  explicit Part(MPI_Comm comm) noexcept : comm_(comm) {}

  // Throw Error where a block cannot be moved by us, or is the MPI's to refuse.
  void send(int rank, const Side& side, Place place) {
    add(edges_.destinations, outgoing_, rank, side, place);
  }
  void receive(int rank, const Side& side, Place place) { add(edges_.sources, incoming_, rank, side, place); }
  /// What is received replaces what is sent.
  void replace(int rank, const Side& side, Place place) {
    receive(rank, side, place);
    edges_.destinations = edges_.sources;
    replaces_ = true;
  }

  bool is_ours() const noexcept { return is_ours_; }
  std::int64_t longest() const noexcept { return longest_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  /// Waits for all. A rank without any has to be there for the others' first time.
  void exchange() {
    LongBlocks blocks(transport::EdgeExchange(comm_, std::move(edges_), transport::DupComm::of(comm_)), comm_,
                      stream_of(comm_), std::move(outgoing_), std::move(incoming_), replaces_);
    std::vector<Request> messages = blocks.begin();
    for (Request& message : messages) message.wait();
  }

 private:
  void add(std::vector<transport::Neighbours::Edge>& edges, std::vector<Data>& all, int rank,
           const Side& side, Place place) {
    if (place.count == 0) return;
    if (place.count < 0 || side.type == MPI_DATATYPE_NULL)
      throw InvalidArgument("typewarp", "count", place.count, "must be one of items of a datatype");
    MPI_Aint lb = 0;
    MPI_Aint extent = 0;
    mpi::check(PMPI_Type_get_extent(side.type, &lb, &extent), "MPI_Type_get_extent");
    const std::int64_t displacement = place.displacement * extent;
    Data data = data_needed(side.buffer, place.count, side.type, comm_, displacement);
    if (data.bytes() == 0) return;
    if (is_nowhere(data)) throw InvalidArgument("typewarp", "buffer", "null", "must have items");
    is_ours_ = is_ours_ || data_if_ours(side.buffer, place.count, side.type, comm_, displacement).has_value();
    longest_ = std::max(longest_, data.bytes());
    bytes_ += data.bytes();
    all.push_back(std::move(data));
    constexpr int only_tag = 0;
    edges.push_back({rank, only_tag});
  }

  MPI_Comm comm_;
  transport::Neighbours edges_;
  std::vector<Data> outgoing_, incoming_;
  bool replaces_ = false;
  bool is_ours_ = false;
  std::int64_t longest_ = 0;  ///< packed bytes of a block
  std::int64_t bytes_ = 0;    ///< of all blocks
};

/// Packed bytes of a block; 0 of what is the MPI's to refuse.
std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  try {
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(count, mpi::size(type), &bytes) ? 0 : bytes;
  } catch (const MpiError&) {
    return 0;
  }
}

/// Who takes part. Nobody between groups, or where there is only one, or the root is none of them.
struct Ranks {
  Ranks(MPI_Comm comm, int root) noexcept {
    Group group;
    try {
      group = all_of(comm);
    } catch (const MpiError&) {
      return;
    }
    const auto size = static_cast<int>(group.size);
    if (group.between_groups || size < 2 || root < 0 || root >= size) return;
    all = size;
    own = group.rank;
    is_root = own == root;
  }
  explicit operator bool() const noexcept { return all != 0; }

  int all = 0;
  int own = 0;
  bool is_root = false;
};

/// `find(part, ranks)` tells the blocks of this rank.
using Find = FunctionRef<void(Part&, const Ranks&)>;

std::optional<int> make(MPI_Comm comm, int root, LongestBlock longest, Find find) noexcept {
  const Ranks ranks(comm, root);
  if (!ranks) return std::nullopt;
  bool is_made = false;
  const int code = guarded(comm, [&] {
    Part part(comm);
    const auto own_part = [&] {
      bool can_be_moved = true;
      try {
        find(part, ranks);
      } catch (...) {  // others must hear of any
        can_be_moved = false;
      }
      return OwnPart{part.is_ours() && !mpi_takes_device_memory(), can_be_moved, part.longest()};
    };
    if (!everyone_moving(comm, longest, least, own_part)) return;
    is_made = true;
    get_ready();
    tell_taken(part.bytes());
    part.exchange();
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

/// Only the root may say in place.
void expect_root(const Ranks& ranks, bool in_place) {
  if (in_place && !ranks.is_root)
    throw InvalidArgument("typewarp", "buffer", "MPI_IN_PLACE", "is the root's");
}

/// Blocks of one count, one after the other.
auto even(std::int64_t count) noexcept {
  return [=](int rank) { return Place{count, rank * count}; };
}

/// A block that this rank has for itself goes from one place to another, which may not be one buffer.
void expect_two_buffers(const Side& from, const Side& to) {
  if (from.buffer == to.buffer && from.buffer != MPI_BOTTOM)
    throw InvalidArgument("typewarp", "recvbuf", "sendbuf", "must be another buffer");
}

void find_gathered(Part& part, const Ranks& ranks, int root, const Side& from, std::int64_t count,
                   const Side& to, Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  if (!in_place) part.send(root, from, {count, 0});
  if (!ranks.is_root) return;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) part.receive(rank, to, places(rank));
  }
}

void find_scattered(Part& part, const Ranks& ranks, int root, const Side& from, Places places, const Side& to,
                    std::int64_t count) {
  const bool in_place = to.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  if (!in_place) part.receive(root, to, {count, 0});
  if (!ranks.is_root) return;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) part.send(rank, from, places(rank));
  }
}

void find_gathered_by_all(Part& part, const Ranks& ranks, const Side& from, std::int64_t count,
                          const Side& to, Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank == ranks.own && in_place) continue;
    in_place ? part.send(rank, to, places(ranks.own)) : part.send(rank, from, {count, 0});
    part.receive(rank, to, places(rank));
  }
}

}  // namespace

std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root,
                         MPI_Comm comm) noexcept {
  if (bytes_of(count, type) < least) return std::nullopt;
  return make(comm, root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    const Side side{buffer, type};
    if (!ranks.is_root) return part.receive(root, side, {count, 0});
    for (int rank = 0; rank < ranks.all; ++rank) {
      if (rank != root) part.send(rank, side, {count, 0});
    }
  });
}

std::optional<int> Gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                          std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if ((in_place ? bytes_of(recvcount, recvtype) : bytes_of(sendcount, sendtype)) < least) return std::nullopt;
  return make(comm, root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    find_gathered(part, ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, even(recvcount));
  });
}

std::optional<int> Scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  const bool in_place = recvbuf == MPI_IN_PLACE;
  if ((in_place ? bytes_of(sendcount, sendtype) : bytes_of(recvcount, recvtype)) < least) return std::nullopt;
  return make(comm, root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    find_scattered(part, ranks, root, {sendbuf, sendtype}, even(sendcount), {recvbuf, recvtype}, recvcount);
  });
}

std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm) noexcept {
  if (bytes_of(recvcount, recvtype) < least) return std::nullopt;
  return make(comm, no_root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    find_gathered_by_all(part, ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, even(recvcount));
  });
}

std::optional<int> Alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  if (bytes_of(recvcount, recvtype) < least) return std::nullopt;
  return make(comm, no_root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    const Side from{sendbuf, sendtype};
    const Side to{recvbuf, recvtype};
    expect_two_buffers(from, to);
    for (int rank = 0; rank < ranks.all; ++rank) {
      const Place place = even(recvcount)(rank);
      if (sendbuf == MPI_IN_PLACE) {
        if (rank != ranks.own) part.replace(rank, to, place);
        continue;
      }
      part.send(rank, from, even(sendcount)(rank));
      part.receive(rank, to, place);
    }
  });
}

std::optional<int> gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           Places received, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return make(comm, root, LongestBlock::of_own, [&](Part& part, const Ranks& ranks) {
    find_gathered(part, ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  });
}

std::optional<int> scatterv(const void* sendbuf, Places sent, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return make(comm, root, LongestBlock::of_own, [&](Part& part, const Ranks& ranks) {
    find_scattered(part, ranks, root, {sendbuf, sendtype}, sent, {recvbuf, recvtype}, recvcount);
  });
}

std::optional<int> allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  const Ranks all(comm, no_root);
  std::int64_t most = 0;
  for (int rank = 0; rank < all.all; ++rank) most = std::max(most, received(rank).count);
  if (bytes_of(most, recvtype) < least) return std::nullopt;
  return make(comm, no_root, LongestBlock::of_all, [&](Part& part, const Ranks& ranks) {
    find_gathered_by_all(part, ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  });
}

}  // namespace typewarp::interpose::moved
