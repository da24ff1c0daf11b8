// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/trace.hpp"

#include "base/environment.hpp"
#include "interpose/core/observe/observed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstring>
#include <new>

namespace typewarp::interpose {
namespace {

constexpr double nanoseconds_in_microsecond = 1000;
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::int64_t longest_in_buffer = 1'000'000'000;  // nanoseconds

int thread_number() noexcept {
  thread_local const int number = static_cast<int>(gettid());
  return number;
}

/// When the steady clock had midnight.
std::int64_t midnight() noexcept {
  using namespace std::chrono;
  const auto since = system_clock::now() - floor<days>(system_clock::now());
  return Trace::now() - duration_cast<nanoseconds>(since).count();
}

/// A fresh file that takes the place of what has this name: of a file, whoever has that open, and of a link
/// that is another user's. What the user's own link leads to is meant, and the user's own pipe or terminal is
/// written as it is. Returns a descriptor; -1, with errno, if there is none to be had.
int open_fresh(std::string path) {
  struct stat there{};
  const auto look = [&] { return lstat(path.c_str(), &there) == 0; };
  bool exists = look();
  const auto is_own = [&] { return there.st_uid == geteuid() || there.st_uid == 0; };
  if (exists && S_ISLNK(there.st_mode) && is_own()) {
    const std::unique_ptr<char, void (*)(void*)> target(realpath(path.c_str(), nullptr), std::free);
    if (target != nullptr) path = target.get();
    exists = look();
  }
  constexpr int how = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
  if (exists && !S_ISREG(there.st_mode) && is_own() && !S_ISLNK(there.st_mode))
    return ::open(path.c_str(), how);
  for (std::int64_t number = Trace::now();; ++number) {
    const std::string made = path + "." + std::to_string(getpid()) + "." + std::to_string(number);
    const int file = ::open(made.c_str(), how | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) continue;
    constexpr mode_t permissions = 0777;
    if (file >= 0 && exists && S_ISREG(there.st_mode) && is_own()) fchmod(file, there.st_mode & permissions);
    if (file < 0 || std::rename(made.c_str(), path.c_str()) == 0) return file;
    const int why = errno;
    ::close(file);
    unlink(made.c_str());
    errno = why;
    return -1;
  }
}

}  // namespace

Trace& trace() noexcept {
  static NeverDestroyed<Trace> instance;  // threads may end after the library has
  return instance.get();
}

std::int64_t Trace::now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double Trace::microseconds(std::int64_t time) const noexcept {
  return static_cast<double>(time - midnight_) / nanoseconds_in_microsecond;
}

void Trace::open(int rank) noexcept {
  const char* const pattern = environment::value("TYPEWARP_TRACE");
  if (pattern == nullptr || is_open_) return;
  try {
    const std::string path = trace_file(pattern, rank, getpid());
    buffer_ = std::make_unique<char[]>(buffer_bytes);
    const int file = open_fresh(path);
    file_ = file >= 0 ? fdopen(file, "w") : nullptr;
    if (file_ == nullptr) {
      std::fprintf(stderr, "typewarp: TYPEWARP_TRACE: %s: %s\n", path.c_str(), std::strerror(errno));
      return;
    }
  } catch (const std::bad_alloc&) {
    return;
  }
  std::setvbuf(file_, buffer_.get(), _IOFBF, buffer_bytes);
  rank_ = rank;
  midnight_ = midnight();
  flushed_ = now();
  std::fprintf(file_,
               "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"rank %d\"}}", rank,
               rank);
  is_open_.store(true, std::memory_order_release);
}

// Other threads may still be in a call of theirs, though MPI forbids it: the stream stays.
void Trace::close() noexcept {
  if (!is_open_.exchange(false)) return;
  std::fputs("\n]\n", file_);
  std::fflush(file_);
}

void Trace::add(const CallEvent& event, std::int64_t begin, std::int64_t nanoseconds,
                const char* told) noexcept {
  if (!is_open_.load(std::memory_order_acquire)) return;
  const ObservedData& message = event.message();
  flockfile(file_);
  print(
      ",\n{\"name\":\"%s\",\"cat\":\"mpi\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
      "\"args\":{\"bytes\":%lld",
      names[static_cast<std::size_t>(event.number)], rank_, thread_number(), microseconds(begin),
      static_cast<double>(nanoseconds) / nanoseconds_in_microsecond, static_cast<long long>(message.bytes));
  if (event.peer != CallEvent::none) print(",\"peer\":%d", event.peer);
  if (event.tag != CallEvent::none) print(",\"tag\":%d", event.tag);
  // Descriptions of types have neither quotes nor backslashes.
  if (message.type != nullptr) print(",\"type\":\"%s\"", message.type->text.c_str());
  if (told != nullptr) print(",\"method\":\"%s\"", told);
  print("}}");
  flush(begin + nanoseconds);
  funlockfile(file_);
}

void Trace::add_begin(std::uint64_t number) noexcept { add_message('b', number); }
void Trace::add_end(std::uint64_t number) noexcept { add_message('e', number); }

void Trace::add_message(char phase, std::uint64_t number) noexcept {
  if (!is_open_.load(std::memory_order_acquire)) return;
  const std::int64_t time = now();
  flockfile(file_);
  print(
      ",\n{\"name\":\"messages of a request\",\"cat\":\"request\",\"ph\":\"%c\",\"id\":%llu,\"pid\":%d,"
      "\"tid\":%d,\"ts\":%.3f}",
      phase, static_cast<unsigned long long>(number), rank_, thread_number(), microseconds(time));
  flush(time);
  funlockfile(file_);
}

void Trace::print(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  const int printed = std::vfprintf(file_, format, arguments);
  va_end(arguments);
  if (printed > 0) kept_ += static_cast<std::size_t>(printed);
}

// Between events, so that the file holds whole ones whenever the process ends.
void Trace::flush(std::int64_t time) noexcept {
  if (time - flushed_ < longest_in_buffer && kept_ < buffer_bytes / 2) return;
  std::fflush(file_);
  flushed_ = time;
  kept_ = 0;
}

std::string trace_file(const std::string& pattern, int rank, long process) {
  std::string path;
  bool has_rank = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char follows = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (follows != 'r' && follows != 'p') {
      path += pattern[i];
      continue;
    }
    has_rank = has_rank || follows == 'r';
    path += std::to_string(follows == 'r' ? rank : process);
    ++i;
  }
  if (has_rank) return path;
  const std::string number = std::string(".").append(std::to_string(rank));
  const std::size_t name = path.find_last_of('/') + 1;  // 0 without a folder
  const std::size_t ending = path.find_last_of('.');
  if (ending == std::string::npos || ending <= name) return path.append(number).append(".json");
  return path.insert(ending, number);
}

}  // namespace typewarp::interpose
