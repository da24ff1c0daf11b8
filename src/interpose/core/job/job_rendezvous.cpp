// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/job_rendezvous.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

// What launchers number the processes of a job with; the last are also seen by launchers that run inside of
// another's job.
constexpr std::array rank_variables{
    "PMIX_RANK=",      "PMI_RANK=",    "OMPI_COMM_WORLD_RANK=", "SLURM_PROCID=",
    "FLUX_TASK_RANK=", "PALS_RANKID=", "MV2_COMM_WORLD_RANK="};

// What tells how many of them there are on this host. Slurm has a list if they are not as many everywhere.
constexpr std::array size_variables{"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE"};

enum class State : int { open, closed, complete, abandoned };

struct Header {
  State state;
  int entered;
  int told;
  int left;
};

constexpr int unknown = -1;
// A rank that has entered may still fail in MPI_Init: then the job is about to end anyway.
constexpr std::chrono::seconds patience{30};
// A rank that has not entered may have no library. Who starts later than that does without what is agreed.
constexpr std::chrono::seconds patience_to_gather{10};
constexpr std::chrono::microseconds rest{50};

/// The file, which no other process touches meanwhile.
class Locked {
 public:
  explicit Locked(int file) noexcept : file_(file) {
    while (flock(file_, LOCK_EX) != 0) {}
    if (pread(file_, &header, sizeof header, 0) != sizeof header) header = {};
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    written_ = pwrite(file_, &header, sizeof header, 0) == sizeof header && written_;
    flock(file_, LOCK_UN);
  }

  void set_rank(int place, int rank) noexcept {
    written_ = pwrite(file_, &rank, sizeof rank, offset(place)) == sizeof rank && written_;
  }
  int rank(int place) const noexcept {
    int rank = unknown;
    return pread(file_, &rank, sizeof rank, offset(place)) == sizeof rank ? rank : unknown;
  }

  Header header{};

 private:
  static off_t offset(int place) noexcept {
    return static_cast<off_t>(sizeof(Header) + static_cast<std::size_t>(place) * sizeof(int));
  }

  int file_;
  bool written_ = true;
};

/// What the file says while others may be changing it: when it is worth to lock it, no more.
Header glance(int file) {
  Header header{};
  return pread(file, &header, sizeof header, 0) == sizeof header ? header : Header{};
}

/// Whether so much time has gone since this was made.
class Late {
 public:
  explicit Late(std::chrono::seconds limit) : limit_(limit) {}
  bool operator()() const { return std::chrono::steady_clock::now() - start_ > limit_; }

 private:
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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
  std::ranges::replace(name, '/', '_');
  return name;
}

JobRendezvous::JobRendezvous(int file, std::string path, int place) noexcept
    : file_(file), path_(std::move(path)), place_(place) {}

JobRendezvous::JobRendezvous(JobRendezvous&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)), place_(other.place_) {}

JobRendezvous::~JobRendezvous() {
  if (file_ >= 0) close(file_);
}

std::optional<JobRendezvous> JobRendezvous::enter() noexcept {
  try {
    const std::string name = job_name();
    if (name.empty()) return std::nullopt;
    std::string path = "/dev/shm/typewarp-" + name;
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0) return std::nullopt;
    JobRendezvous made(file, std::move(path), 0);
    Locked locked(file);
    if (locked.header.state != State::open) return std::nullopt;
    made.place_ = locked.header.entered++;
    locked.set_rank(made.place_, unknown);
    return made;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool JobRendezvous::gather(int ranks) noexcept {
  const Late late(patience_to_gather);
  for (Header seen = glance(file_); seen.state != State::abandoned && seen.entered < ranks && !late();
       seen = glance(file_)) {
    std::this_thread::sleep_for(rest);
  }
  Locked locked(file_);
  if (locked.header.state == State::abandoned) return false;
  if (locked.header.entered >= ranks) return true;
  locked.header.state = State::abandoned;
  unlink(path_.c_str());
  return false;
}

bool JobRendezvous::has_ended(int rank, bool tell, bool give_up, std::vector<int>& ranks) const {
  Locked locked(file_);
  Header& header = locked.header;
  if (header.state == State::open) header.state = State::closed;
  if (tell) {
    locked.set_rank(place_, rank);
    ++header.told;
  }
  if (header.state == State::closed && header.told == header.entered) header.state = State::complete;
  if (header.state == State::closed && give_up) header.state = State::abandoned;
  if (header.state == State::closed) return false;
  if (++header.left == header.entered || header.state == State::abandoned) unlink(path_.c_str());
  for (int i = 0; header.state == State::complete && i < header.entered; ++i) ranks.push_back(locked.rank(i));
  return true;
}

std::vector<int> JobRendezvous::agree(int rank) noexcept {
  const Late late(patience);
  std::vector<int> ranks;
  for (bool tell = true; !has_ended(rank, tell, late(), ranks); tell = false) {
    do {
      std::this_thread::sleep_for(rest);
    } while (glance(file_).state == State::closed && !late());
  }
  std::ranges::sort(ranks);
  // Ranks of several jobs have met: nobody knows who is whose.
  if (std::ranges::adjacent_find(ranks) != ranks.end()) ranks.clear();
  return ranks;
}

std::shared_ptr<std::byte[]> JobRendezvous::share(std::size_t bytes) const noexcept {
  // What the ranks have told before lies in the first pages.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t told =
      sizeof(Header) + static_cast<std::size_t>(Locked(file_).header.entered) * sizeof(int);
  const std::size_t place = (told + page - 1) / page * page;
  // A page that the host has no memory for would end the process when it is touched.
  if (posix_fallocate(file_, static_cast<off_t>(place), static_cast<off_t>(bytes)) != 0) return nullptr;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(place));
  if (memory == MAP_FAILED) return nullptr;
  try {
    const std::shared_ptr<void> mapped(memory, [bytes](void* begin) { munmap(begin, bytes); });
    return {mapped, static_cast<std::byte*>(memory)};
  } catch (const std::bad_alloc&) {  // the deleter was called
    return nullptr;
  }
}

}  // namespace typewarp::interpose
