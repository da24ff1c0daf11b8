// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "duel.hpp"

#include "buffer.hpp"
#include "footprint.hpp"

#include <typewarp/host.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace typewarp::bench {
namespace {

constexpr std::int64_t threaded_from = std::int64_t{1} << 20;
constexpr std::int64_t segment = 64;

class Handle {
 public:
  explicit Handle(const Datatype& type) : type_(mpi::encode(type)), owned_(!mpi::is_named(type_)) {
    if (owned_) mpi::check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (owned_) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
  bool owned_;
};

/// One message with all that is needed to move it either way.
class Player {
 public:
  Player(const Message& message, std::byte* packed)
      : message_(message), plan_(commit(message.type)), handle_(message.type), packed_(packed) {}

  std::int64_t bytes() const { return message_.count * message_.type.size(); }

  void mpi_pack() const {
    int position = 0;
    MPI_Pack(address(), count(), handle_.get(), packed_, static_cast<int>(bytes()), &position, MPI_COMM_SELF);
  }
  void mpi_unpack() const {
    int position = 0;
    MPI_Unpack(packed_, static_cast<int>(bytes()), &position, address(), count(), handle_.get(),
               MPI_COMM_SELF);
  }
  void pack(int threads) const {
    host::pack(message_.buffer, message_.count, plan_, packed_, {0, bytes()}, threads);
  }
  void unpack(int threads) const {
    host::unpack(packed_, message_.buffer, message_.count, plan_, {0, bytes()}, threads);
  }

 private:
  void* address() const { return message_.buffer == nullptr ? MPI_BOTTOM : message_.buffer; }
  int count() const { return static_cast<int>(message_.count); }

  const Message& message_;
  Plan plan_;
  Handle handle_;
  std::byte* packed_;
};

void fill(std::byte* data, std::int64_t bytes, std::uint32_t state) {
  for (std::int64_t i = 0; i < bytes; ++i) {
    state = state * 1664525U + 1013904223U;
    data[i] = static_cast<std::byte>(state >> 24U);
  }
}

std::uint64_t digest(const std::vector<Buffer>& memory) {
  std::uint64_t hash = 14695981039346656037U;
  for (const Buffer& buffer : memory) {
    for (std::int64_t at = 0; at < buffer.bytes(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.data() + at,
                  static_cast<std::size_t>(std::min<std::int64_t>(8, buffer.bytes() - at)));
      hash = (hash ^ word) * 1099511628211U;
      hash ^= hash >> 29U;
    }
  }
  return hash;
}

/// The numbers of threads that a message of so many bytes is checked and timed with.
std::vector<int> thread_counts(std::int64_t bytes, int threads) {
  return threads > 1 && bytes >= threaded_from ? std::vector{1, threads} : std::vector{1};
}

[[noreturn]] void fail(const NamedWorkload& which, int threads, const std::string& what) {
  throw std::runtime_error(which.name + ": typewarp with " + std::to_string(threads) + " threads " + what);
}

void check_pack(const NamedWorkload& which, const Workload& workload, const Player& player,
                const Buffer& packed, int most_threads) {
  for (const Buffer& buffer : workload.memory) fill(buffer.data(), buffer.bytes(), 1);
  player.mpi_pack();
  const std::vector<std::byte> expected(packed.data(), packed.data() + player.bytes());
  for (const int threads : thread_counts(player.bytes(), most_threads)) {
    fill(packed.data(), player.bytes(), 2);
    player.pack(threads);
    if (std::memcmp(expected.data(), packed.data(), expected.size()) != 0) {
      fail(which, threads, "packs other bytes than MPI_Pack");
    }
  }
}

void check_unpack(const NamedWorkload& which, const Workload& workload, const Player& player,
                  const Buffer& packed, int most_threads) {
  const auto reset = [&] {
    for (const Buffer& buffer : workload.memory)
      std::memset(buffer.data(), 0, static_cast<std::size_t>(buffer.bytes()));
  };
  fill(packed.data(), player.bytes(), 3);
  reset();
  player.mpi_unpack();
  const std::uint64_t expected = digest(workload.memory);
  for (const int threads : thread_counts(player.bytes(), most_threads)) {
    reset();
    player.unpack(threads);
    if (digest(workload.memory) != expected) fail(which, threads, "unpacks other bytes than MPI_Unpack");
  }
}

nlohmann::json time_direction(const NamedWorkload& which, const Message& message, const Player& player,
                              bool packing, int most_threads, const Effort& effort) {
  const std::int64_t bytes = player.bytes();
  const std::int64_t touched = touched_bytes(message) + (bytes + segment - 1) / segment * segment;
  const Buffer plain(touched, allocate_host);
  std::byte* const from = plain.data();
  std::byte* const to = from + touched / 2;

  std::vector<Contestant> contestants{
      {"mpi", 1, [&] { packing ? player.mpi_pack() : player.mpi_unpack(); }},
      {"floor", 1, [=] { std::memcpy(to, from, static_cast<std::size_t>(touched / 2)); }}};
  for (const int threads : thread_counts(bytes, most_threads)) {
    contestants.push_back({std::to_string(threads), threads,
                           [&, threads] { packing ? player.pack(threads) : player.unpack(threads); }});
  }
  nlohmann::json row{{"case", which.name},
                     {"mpi", mpi_name()},
                     {"packed_bytes", bytes},
                     {"touched_bytes", touched},
                     {"direction", packing ? "pack" : "unpack"}};
  for (const Timing& timing : measure(contestants, effort)) {
    if (timing.name == "mpi" || timing.name == "floor") {
      row[timing.name + "_us"] = timing.median_us;
    } else {
      row["typewarp_us"][timing.name] = timing.median_us;
    }
    row["spread"][timing.name] = timing.spread;
  }
  return row;
}

}  // namespace

std::string mpi_name() {
#ifdef OPEN_MPI
  return "openmpi-" + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
         std::to_string(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "mpich-" MPICH_VERSION;
#else
  return "mpi";
#endif
}

std::vector<nlohmann::json> duel(const NamedWorkload& which, int threads, const Effort& effort) {
  const Workload workload = which.make(allocate_host);
  const std::int64_t send_bytes = workload.send.count * workload.send.type.size();
  const Buffer packed(send_bytes, allocate_host);
  const Player sender(workload.send, packed.data());
  const Player receiver(workload.receive, packed.data());
  if (receiver.bytes() != send_bytes)
    throw std::runtime_error(which.name + ": sends and receives differ in size");
  check_pack(which, workload, sender, packed, threads);
  check_unpack(which, workload, receiver, packed, threads);
  return {time_direction(which, workload.send, sender, true, threads, effort),
          time_direction(which, workload.receive, receiver, false, threads, effort)};
}

}  // namespace typewarp::bench
