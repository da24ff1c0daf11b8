// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/exercise.hpp"

#include "common/collective.hpp"
#include "common/median.hpp"
#include "hacc/block_file.hpp"
#include "hacc/carrier/packed.hpp"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace hacc {
namespace {

struct Ring {
  explicit Ring(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  int next() const { return (rank + 1) % ranks; }
  int previous() const { return (rank + ranks - 1) % ranks; }
  int rank = 0;
  int ranks = 0;
};

/// Collective: calls of all ranks at once, the median of what the slowest rank takes. Once calls have taken
/// `budget` seconds in all, no more than `fewest` are made; all ranks see the same times, so they end
/// together.
template <typename Call>
double seconds_together(const Task& task, Call call) {
  constexpr double budget = 0.25;
  constexpr std::int64_t fewest = 5;
  std::vector<double> samples;
  double spent = 0;
  for (std::int64_t i = 0; i < task.repeats && (i < fewest || spent < budget); ++i) {
    MPI_Barrier(task.comm);
    apps::Stopwatch watch;
    call();
    double mine = watch.lap();
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, task.comm);
    samples.push_back(mine);
    spent += mine;
  }
  return apps::median(samples);
}

/// Collective: one rank after the other, while the others sleep.
template <typename Call>
double seconds_alone(const Task& task, Call call) {
  const Ring ring(task.comm);
  double seconds = 0;
  for (int turn = 0; turn < ring.ranks; ++turn) {
    apps::together(task.comm, [&] {
      if (turn == ring.rank) seconds = apps::median_seconds(call);
    });
  }
  return seconds;
}

Block generated(const Task& task, int index) {
  return generate(task.seed, task.mean_particles, task.grid, index);
}

bool right(const Block& block, const Block& expected, const apps::OwnedStream& stream) {
  return equal(copied(block, typewarp::MemoryKind::host, stream), expected);
}

/// The counts of the block that comes from the previous rank.
Header shift_header(const Header& mine, const Ring& ring, MPI_Comm comm) {
  Header theirs{};
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, ring.next(), block_tag, &theirs, sizeof theirs, MPI_BYTE,
               ring.previous(), block_tag, comm, MPI_STATUS_IGNORE);
  return theirs;
}

/// Times of carriers that all have what they move already.
void time_pack(Carrier& carrier, const Block& block, const Task& task, Seconds& seconds) {
  const apps::Buffer packed(staging_kind(block), block.bytes());
  seconds.pack = seconds_alone(task, [&] { carrier.pack(packed.data()); });
  seconds.unpack = seconds_alone(task, [&] { carrier.unpack(packed.data()); });
}

void time_shift(Carrier& outgoing, Carrier& incoming, const Task& task, Seconds& seconds) {
  const Ring ring(task.comm);
  const auto shift = [&] {
    incoming.start_receive(ring.previous(), task.comm);
    outgoing.start_send(ring.next(), task.comm);
    incoming.finish();
    outgoing.finish();
  };
  shift();  // what is made for the first message is not timed
  seconds.send = seconds_together(task, shift);
}

void time_write(Carrier& carrier, const Block& block, const Task& task, Seconds& seconds) {
  const BlockFile file(task.file, block.bytes(), task.comm);
  const int rank = Ring(task.comm).rank;
  seconds.write = seconds_together(task, [&] { file.write(rank, carrier); });
}

/// Packs and unpacks into a second block.
bool packs_right(By way, const Block& mine, const Block& expected, const apps::OwnedStream& stream) {
  const apps::Buffer packed(staging_kind(mine), mine.bytes());
  const Block other(mine.kind(), mine.header());
  make_carrier(way, mine, stream)->pack(packed.data());
  const std::byte* at = packed.data();
  for (const Member& member : expected.members()) {
    if (std::memcmp(at, member.data, static_cast<std::size_t>(member.bytes)) != 0) return false;
    at += member.bytes;
  }
  make_carrier(way, other, stream)->unpack(packed.data());
  return right(other, expected, stream);
}

}  // namespace

Exercise exercise(By way, const Block& mine, const Task& task, const apps::OwnedStream& stream) {
  const Ring ring(task.comm);
  Exercise result;
  const auto expect = [&](bool good, const char* what) {
    if (!good) result.wrong += (result.wrong.empty() ? "" : ", ") + std::string(what);
  };
  const std::unique_ptr<Carrier> carrier = make_carrier(way, mine, stream);
  expect(packs_right(way, mine, generated(task, ring.rank), stream), "packed");
  time_pack(*carrier, mine, task, result.seconds);

  const Block previous(mine.kind(), shift_header(mine.header(), ring, task.comm));
  time_shift(*carrier, *make_carrier(way, previous, stream), task, result.seconds);
  expect(right(previous, generated(task, ring.previous()), stream), "received");

  time_write(*carrier, mine, task, result.seconds);
  const BlockFile file(task.file, task.comm);
  const Block next(mine.kind(), file.read_header(ring.next()));
  const std::unique_ptr<Carrier> reader = make_carrier(way, next, stream);
  result.seconds.read = seconds_together(task, [&] { file.read(ring.next(), *reader); });
  expect(right(next, generated(task, ring.next()), stream), "read from the file");
  return result;
}

Seconds floor_of(const Block& mine, const Task& task, const apps::OwnedStream& stream) {
  const Ring ring(task.comm);
  Seconds seconds;
  const apps::Buffer whole(mine.kind(), mine.bytes());
  const apps::Buffer packed(staging_kind(mine), mine.bytes());
  const auto copy = [&](const apps::Buffer& to, const apps::Buffer& from) {
    return seconds_alone(task, [&] { apps::copy_bytes(to.data(), from.data(), mine.bytes(), stream); });
  };
  seconds.pack = copy(packed, whole);
  seconds.unpack = copy(whole, packed);

  Packed carrier(mine, *make_carrier(By::members, mine, stream));
  Packed incoming(Block(mine.kind(), shift_header(mine.header(), ring, task.comm)));
  time_shift(carrier, incoming, task, seconds);
  time_write(carrier, mine, task, seconds);
  const BlockFile file(task.file, task.comm);
  Packed reader(Block(mine.kind(), file.read_header(ring.next())));
  seconds.read = seconds_together(task, [&] { file.read(ring.next(), reader); });
  return seconds;
}

}  // namespace hacc
