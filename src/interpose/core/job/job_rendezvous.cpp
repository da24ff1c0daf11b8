// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/job_rendezvous.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

enum RendezvousPhase : std::uint8_t { open_phase, closed, complete, abandoned };

constexpr std::size_t most_ranks = 16384;  // of a host
// A rank that has entered may still fail in MPI_Init: then the job is about to end anyway.
constexpr std::chrono::seconds patience{30};
// A rank that has not entered may have no library. Who starts later than that does without what is agreed.
constexpr std::chrono::seconds patience_to_gather{10};
constexpr std::chrono::microseconds rest{50};

/// Whether so much time has gone since this was made.
class Deadline {
 public:
  explicit Deadline(std::chrono::seconds limit) : limit_(limit) {}
  bool operator()() const { return std::chrono::steady_clock::now() - start_ > limit_; }

 private:
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What launchers number the processes of a job with; the last are also seen by launchers that run inside of
// another's job.
constexpr std::array rank_variables{
    "PMIX_RANK=",      "PMI_RANK=",    "OMPI_COMM_WORLD_RANK=", "SLURM_PROCID=",
    "FLUX_TASK_RANK=", "PALS_RANKID=", "MV2_COMM_WORLD_RANK="};

// What tells how many of them there are on this host. Slurm has a list if they are not as many everywhere.
constexpr std::array size_variables{"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE"};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has(const std::string& environment, std::string_view name) {
  return environment.starts_with(name) || environment.find('\0' + std::string(name)) != std::string::npos;
}

std::string environment_of(long pid) { return text_of("/proc/" + std::to_string(pid) + "/environ"); }

/// Fields of /proc/<pid>/stat from the third on: the name before them may hold anything.
std::vector<std::string> stat_of(long pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  std::vector<std::string> fields;
  for (std::size_t at = name_end; at != std::string::npos && at + 2 < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at + 1);
    at = text.find(' ', begin);
    fields.push_back(text.substr(begin, at - begin));
  }
  return fields;
}

/// What all processes of this job on this host call it, after the process that started them: the nearest
/// ancestor that is not a rank itself. Empty for a process that no launcher has started. Throws
/// std::bad_alloc.
std::string job_name() {
  const std::string own = text_of("/proc/self/environ");
  const auto number = std::ranges::find_if(rank_variables, [&](auto name) { return has(own, name); });
  if (number == rank_variables.end()) return {};
  constexpr std::size_t parent = 1;
  constexpr std::size_t start_time = 19;
  long pid = getppid();
  std::vector<std::string> fields = stat_of(pid);
  while (fields.size() > start_time && has(environment_of(pid), *number)) {
    pid = std::stol(fields[parent]);
    fields = stat_of(pid);
  }
  if (fields.size() <= start_time) return {};
  // Launchers that stay for many jobs number these.
  const char* const space = std::getenv("PMIX_NAMESPACE");
  std::string name = std::to_string(getuid());
  name.append("-").append(std::to_string(pid)).append("-").append(fields[start_time]);
  if (space != nullptr) name.append("-").append(space);
  return name;
}

}  // namespace

int ranks_on_host() noexcept {
  for (const char* const name : size_variables) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const bool is_list = std::string_view(text).find(',') != std::string_view::npos;
    return is_list ? 0 : std::atoi(text);
  }
  return 0;
}

struct JobRendezvous::Count {
  std::uint64_t phase : 4;
  std::uint64_t entered : 20;
  std::uint64_t told : 20;
  std::uint64_t everywhere : 20;  ///< of those that entered

  bool may_be() const noexcept {
    return phase <= abandoned && told <= entered && everywhere <= entered && entered <= most_ranks;
  }
};

/// What the ranks share. Nobody waits for a lock: a rank may die at any step.
struct JobRendezvous::Meeting {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  /// `change(count)` returns whether it changed it. Returns what is in force then; words that nobody of us
  /// can have written are a rendezvous that was abandoned.
  template <class Change>
  Count change(Change change) noexcept {
    std::uint64_t now = word.load(std::memory_order_acquire);
    for (;;) {
      Count count = std::bit_cast<Count>(now);
      if (!count.may_be()) count = {abandoned, 0, 0, 0};
      if (count.phase == abandoned || !change(count)) return count;
      if (word.compare_exchange_weak(now, std::bit_cast<std::uint64_t>(count), std::memory_order_acq_rel,
                                     std::memory_order_acquire))
        return count;
    }
  }
  Count look() noexcept {
    return change([](const Count&) { return false; });
  }

  Word word;
  std::array<std::atomic<int>, most_ranks> ranks;
};

JobRendezvous::JobRendezvous(FoundMemory memory, Meeting* meeting) noexcept
    : memory_(std::move(memory)), meeting_(meeting) {}

JobRendezvous::JobRendezvous(JobRendezvous&& other) noexcept
    : memory_(std::move(other.memory_)),
      meeting_(std::exchange(other.meeting_, nullptr)),
      place_(other.place_) {}

JobRendezvous::~JobRendezvous() {
  if (meeting_ == nullptr) return;
  meeting_->change([](Count& count) {
    if (count.phase == complete) return false;
    count.phase = abandoned;
    return true;
  });
  munmap(meeting_, sizeof(Meeting));
}

std::optional<JobRendezvous> JobRendezvous::enter(Entrant as) noexcept {
  try {
    const std::string name = job_name();
    if (name.empty()) return std::nullopt;
    std::optional<FoundMemory> found = FoundMemory::of("typewarp-" + name, sizeof(Meeting));
    if (!found) return std::nullopt;
    // A page that the host has no memory for would end the process when it is touched.
    if (posix_fallocate(found->file(), 0, sizeof(Meeting)) != 0) return std::nullopt;
    void* const memory = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, found->file(), 0);
    if (memory == MAP_FAILED) return std::nullopt;
    JobRendezvous made(*std::move(found), static_cast<Meeting*>(memory));
    bool entered = false;
    const Count count = made.meeting_->change([&](Count& now) {
      entered = now.phase == open_phase && now.entered < most_ranks;
      if (!entered) return false;
      if (as == Entrant::stays_out) {
        now.phase = abandoned;
        return true;
      }
      ++now.entered;
      if (as == Entrant::everywhere) ++now.everywhere;
      return true;
    });
    if (!entered) {
      munmap(std::exchange(made.meeting_, nullptr), sizeof(Meeting));
      return std::nullopt;
    }
    made.place_ = static_cast<int>(count.entered) - 1;
    return made;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

JobRendezvous::Gathered JobRendezvous::gather(int ranks) noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::max(ranks, 0));
  const Deadline late(patience_to_gather);
  for (;;) {
    const bool is_late = late();
    bool ends_it = false;
    const Count seen = meeting_->change([&](Count& now) {
      ends_it = now.entered < wanted && is_late;
      if (ends_it) now.phase = abandoned;
      return ends_it;
    });
    if (seen.phase == abandoned) return ends_it ? Gathered::too_late : Gathered::not_all;
    if (seen.entered >= wanted) return Gathered::all;
    std::this_thread::sleep_for(rest);
  }
}

int JobRendezvous::close() noexcept {
  const Count seen = meeting_->change([](Count& now) {
    if (now.phase != open_phase) return false;
    now.phase = closed;
    return true;
  });
  return static_cast<int>(seen.entered);
}

bool JobRendezvous::all_say_everywhere() noexcept {
  const Count seen = meeting_->look();
  return seen.everywhere == seen.entered;
}

bool JobRendezvous::agree(int rank, int job_size, std::span<int> ranks) noexcept {
  meeting_->ranks[static_cast<std::size_t>(place_)].store(rank, std::memory_order_relaxed);
  Count seen = meeting_->change([](Count& now) {
    if (now.phase != closed) return false;
    if (++now.told == now.entered) now.phase = complete;
    return true;
  });
  for (const Deadline late(patience); seen.phase == closed;) {
    std::this_thread::sleep_for(rest);
    const bool is_late = late();
    seen = meeting_->change([&](Count& now) {
      if (now.phase != closed || !is_late) return false;
      now.phase = abandoned;
      return true;
    });
  }
  if (seen.phase != complete || seen.entered != ranks.size()) return false;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i] = meeting_->ranks[i].load(std::memory_order_relaxed);
  std::ranges::sort(ranks);
  // Otherwise ranks of several jobs have met: nobody knows who is whose.
  return ranks.front() >= 0 && ranks.back() < job_size && std::ranges::adjacent_find(ranks) == ranks.end();
}

std::shared_ptr<std::byte[]> JobRendezvous::share(std::size_t bytes) const noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto place = static_cast<off_t>((sizeof(Meeting) + page - 1) / page * page);
  if (posix_fallocate(memory_.file(), place, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.file(), place);
  if (memory == MAP_FAILED) return nullptr;
  try {
    const std::shared_ptr<void> mapped(memory, [bytes](void* begin) { munmap(begin, bytes); });
    return {mapped, static_cast<std::byte*>(memory)};
  } catch (const std::bad_alloc&) {  // the deleter was called
    return nullptr;
  }
}

}  // namespace typewarp::interpose
