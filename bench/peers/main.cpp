// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Times calls of an MPI on memory of a device, a GPU for each rank, in a program as users write it, which
// knows nothing of the library. It prints a JSON object a line, as bench/parts.py reads them. Before a case
// is timed, every byte of it is compared, also those between and around its runs.
//
// usage: bench_peers_<mpi> <seed> <seconds for a row> <case>/<bytes>... [--seconds s] [--from index]
#include "layouts.hpp"
#include "memory.hpp"

#include <chrono>
#include <functional>
#include <string_view>

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double slow_us = 5e5;  ///< of what takes longer, longer ones are not tried
constexpr double least_sample_us = 1000;
constexpr int most_samples = 21;

struct World {
  int rank = 0;
  int ranks = 0;
  std::uint64_t seed = 0;
  double row_us = 0;
};

struct Item {
  std::string kind;
  std::size_t size;
};

/// Bytes that tell run, buffer and place. Of numbers that are added, whole ones of one byte.
Bytes noise(const World& world, std::size_t bytes, int buffer, bool numbers) {
  Bytes made((bytes + 7) / 8);
  std::uint64_t state = world.seed * 1000003 + static_cast<std::uint64_t>(buffer) * 0x9E3779B97F4A7C15U;
  for (std::uint64_t& word : made) {
    state += 0x9E3779B97F4A7C15U;
    word = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
    word ^= word >> 27U;
    if (!numbers) continue;
    const std::array<float, 2> both{static_cast<float>(word & 0xFFU), static_cast<float>(word >> 56U)};
    std::memcpy(&word, both.data(), sizeof word);
  }
  return made;
}

/// One case: what this rank has of it, what is called, and what must be there then.
class Subject {
 public:
  Subject(const World& world, const Item& item)
      : world_(world),
        kind_(item.kind),
        size_(item.size / (is_parted() ? ranks() : 1)),
        out_(layout(kind_, size_, false)),
        in_(layout(kind_, size_, true)),
        from_(out_.extent * (kind_ == "alltoallw" ? ranks() : 1)),
        to_(in_.extent * (is_parted() ? ranks() : 1)) {
    for (Layout* layout : {&out_, &in_}) MPI_Type_commit(&layout->type);
    for (std::size_t i = 0; i < ranks(); ++i) places_.push_back(static_cast<int>(i * out_.extent));
    counts_.assign(ranks(), 1);
    types_.assign(ranks(), out_.type);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    for (Layout* layout : {&out_, &in_}) {
      if (layout->type != MPI_BYTE) MPI_Type_free(&layout->type);
    }
  }

  /// Of a call; of messages, there and back.
  void call() {
    if (kind_ == "alltoallw") {
      MPI_Alltoallw(from_.at(), counts_.data(), places_.data(), types_.data(), to_.at(), counts_.data(),
                    places_.data(), types_.data(), MPI_COMM_WORLD);
    } else if (kind_ == "allgather") {
      MPI_Allgather(from_.at(), out_.count, out_.type, to_.at(), in_.count, in_.type, MPI_COMM_WORLD);
    } else if (kind_ == "bcast") {
      MPI_Bcast(world_.rank == 0 ? from_.at() : to_.at(), in_.count, in_.type, 0, MPI_COMM_WORLD);
    } else if (kind_ == "allreduce") {
      MPI_Allreduce(from_.at(), to_.at(), static_cast<int>(size_ / sizeof(float)), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
    } else {
      const int other = 1 - world_.rank;
      if (world_.rank == 0) MPI_Send(from_.at(), out_.count, out_.type, other, 0, MPI_COMM_WORLD);
      MPI_Recv(to_.at(), in_.count, in_.type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (world_.rank != 0) MPI_Send(from_.at(), out_.count, out_.type, other, 0, MPI_COMM_WORLD);
    }
  }
  /// Calls it, and compares all that this rank has received into.
  bool is_right() {
    Bytes expected = before();
    from_.fill(sent_by(world_.rank));
    to_.fill(expected);
    call();
    if (kind_ == "allreduce") {
      add_all(expected);
    } else {
      for (int rank = 0; rank < world_.ranks; ++rank) {
        if (comes_from(rank)) put(expected, rank);
      }
    }
    return to_.content() == expected;
  }
  /// Of the time of a call, those that a row tells of.
  double parts() const { return is_message() ? 2 : 1; }
  std::size_t packed() const { return out_.packed() * (is_parted() ? ranks() : 1); }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(world_.ranks); }
  bool is_parted() const { return kind_ == "alltoallw" || kind_ == "allgather"; }
  bool is_message() const { return !is_parted() && kind_ != "bcast" && kind_ != "allreduce"; }
  bool comes_from(int rank) const {
    if (is_message()) return rank != world_.rank;
    return kind_ != "bcast" || (rank == 0 && world_.rank != 0);
  }

  Bytes sent_by(int rank) const {
    return noise(world_, out_.extent * (kind_ == "alltoallw" ? ranks() : 1), rank, kind_ == "allreduce");
  }
  Bytes before() const {
    return noise(world_, in_.extent * (is_parted() ? ranks() : 1), world_.ranks + world_.rank, false);
  }
  void put(Bytes& expected, int rank) const {
    const Bytes sent = sent_by(rank);
    const auto* from = reinterpret_cast<const char*>(sent.data());
    auto* to = reinterpret_cast<char*>(expected.data());
    if (kind_ == "alltoallw") from += static_cast<std::size_t>(world_.rank) * out_.extent;
    if (is_parted()) to += static_cast<std::size_t>(rank) * in_.extent;
    for (std::size_t i = 0; i < in_.runs.size(); ++i)
      std::memcpy(to + in_.runs[i].at, from + out_.runs[i].at, in_.runs[i].bytes);
  }
  void add_all(Bytes& expected) const {
    std::vector<float> sums(size_ / sizeof(float));
    for (int rank = 0; rank < world_.ranks; ++rank) {
      const Bytes sent = sent_by(rank);
      const auto* numbers = reinterpret_cast<const float*>(sent.data());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
    }
    std::memcpy(expected.data(), sums.data(), size_);
  }

  World world_;
  std::string kind_;
  std::size_t size_;
  Layout out_, in_;
  Memory from_, to_;
  std::vector<int> counts_, places_;
  std::vector<MPI_Datatype> types_;
};

/// Of the slowest rank.
double microseconds(Subject& subject, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times; ++i) subject.call();
  double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / times;
  MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return us;
}

/// In increasing order. Behind the call whose bytes were compared comes one that is not timed either, since
/// the second with the same arguments may prepare what all later ones of a loop go by. What takes longer than
/// a row may is called no more often than needed.
std::vector<double> samples(const World& world, Subject& subject) {
  subject.call();
  double us = microseconds(subject, 1);
  if (us > world.row_us) return {us};
  us = microseconds(subject, 3);
  const int times = static_cast<int>(std::clamp(least_sample_us / us, 1.0, 1000.0));
  const int count = static_cast<int>(std::clamp(world.row_us / (us * times), 1.0, 1.0 * most_samples));
  std::vector<double> found;
  for (int i = 0; i < count; ++i) found.push_back(microseconds(subject, times));
  std::sort(found.begin(), found.end());
  return found;
}

bool all_are(bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// Runs a case; whether larger ones of its kind may be tried.
bool run(const World& world, const Item& item, const std::string& row) {
  Subject subject(world, item);
  if (!all_are(subject.is_right())) {
    if (world.rank == 0) std::printf("{\"failed\": \"wrong bytes\"}\n");
    return true;
  }
  const std::vector<double> found = samples(world, subject);
  const double parts = subject.parts();
  const double median = found[found.size() / 2] / parts;
  if (world.rank == 0)
    std::printf(
        "{%s, \"packed_bytes\": %zu, \"calling\": \"blocking\", \"median_us\": %.5g, \"low_us\": %.5g, "
        "\"high_us\": %.5g, \"samples\": %zu}\n",
        row.c_str(), subject.packed(), median, found[found.size() / 10] / parts,
        found[found.size() * 9 / 10] / parts, found.size());
  return median < slow_us;
}

void print_version(int devices) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of("\n\"\\"), line.size()));
  std::printf("{\"mpi\": \"%s\", \"gpus\": %d}\n", line.c_str(), devices);
}

/// The first item of another kind.
std::size_t next_kind(const std::vector<Item>& items, std::size_t i) {
  const std::string& kind = items[i].kind;
  while (i < items.size() && items[i].kind == kind) ++i;
  return i;
}

void run(const World& world, const std::vector<Item>& items, std::size_t first, double seconds) {
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = first; i < items.size();) {
    const Item& item = items[i];
    const std::string row = "\"index\": " + std::to_string(i) + ", \"case\": \"" + item.kind +
                            "\", \"size\": " + std::to_string(item.size) +
                            ", \"ranks\": " + std::to_string(world.ranks);
    if (!all_are(std::chrono::duration<double>(Clock::now() - begin).count() < seconds)) {
      if (world.rank == 0) std::printf("{%s, \"stopped\": true}\n", row.c_str());
      break;
    }
    const std::size_t next = next_kind(items, i);
    if (world.rank == 0) {
      std::printf("{\"begin\": {%s, \"next_case\": %zu}}\n", row.c_str(), next);
      std::fflush(stdout);
    }
    const bool goes_on = run(world, item, row);
    std::fflush(stdout);
    i = goes_on ? i + 1 : next;
  }
  if (world.rank == 0) std::printf("{\"finished\": true}\n");
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  using namespace peers;
  World world;
  std::vector<Item> items;
  std::size_t first = 0;
  double seconds = 1e9;
  if (argc > 2) world.seed = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) world.row_us = 1e6 * std::atof(argv[2]);
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t slash = word.find('/');
    if (slash != std::string::npos) {
      items.push_back({word.substr(0, slash), std::stoul(word.substr(slash + 1))});
    } else if (i + 1 < argc && (word == "--from" || word == "--seconds")) {
      ++i;
      if (word == "--from") first = std::stoul(argv[i]);
      if (word == "--seconds") seconds = std::stod(argv[i]);
    }
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
  const int devices = use_device(world.rank);
  if (world.rank == 0) print_version(std::min(devices, world.ranks));
  run(world, items, first, seconds);
  MPI_Finalize();
  return 0;
}
