// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

extern "C" {
long older_strtol(const char* text, char** end, int base) noexcept __asm__("strtol");
long long older_strtoll(const char* text, char** end, int base) noexcept __asm__("strtoll");
unsigned long older_strtoul(const char* text, char** end, int base) noexcept __asm__("strtoul");
unsigned long long older_strtoull(const char* text, char** end, int base) noexcept __asm__("strtoull");
}

// What C libraries since 2.28 have that code of newer systems calls, theirs of C++ and ours. All in one
// object, that whoever needs one function has all, and hidden, that nobody else in the process has them. The
// kernel's `struct stat` is the C library's on 64 bits.
#pragma GCC visibility push(hidden)
extern "C" {

// Since 2.38 headers lead strtol() and its kin here, which besides take 0b for base 2.
long __isoc23_strtol(const char* text, char** end, int base) noexcept {
  return older_strtol(text, end, base);
}
long long __isoc23_strtoll(const char* text, char** end, int base) noexcept {
  return older_strtoll(text, end, base);
}
unsigned long __isoc23_strtoul(const char* text, char** end, int base) noexcept {
  return older_strtoul(text, end, base);
}
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) noexcept {
  return older_strtoull(text, end, base);
}

// Since 2.36, for std::random_device. Like theirs it ends the process where the system has no random numbers.
std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
    if (errno != EINTR) std::abort();
  }
  return number;
}

// Since 2.33.
int fstatat(int folder, const char* path, struct stat* about, int flags) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, about, flags));
}
int stat(const char* path, struct stat* about) noexcept { return fstatat(AT_FDCWD, path, about, 0); }
int lstat(const char* path, struct stat* about) noexcept {
  return fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* about) noexcept { return static_cast<int>(syscall(SYS_fstat, file, about)); }
int stat64(const char* path, struct stat64* about) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(about));
}
int lstat64(const char* path, struct stat64* about) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(about));
}
int fstat64(int file, struct stat64* about) noexcept {
  return fstat(file, reinterpret_cast<struct stat*>(about));
}

// Since 2.32, for std::shared_ptr: nothing is known, thus another thread may be there.
char __libc_single_threaded = 0;

// Since 2.30.
pid_t gettid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

// Since 2.30, for waits of std::condition_variable by the steady clock: the C library's, where it has it.
// Else as the older C++ did it, by the other clock: one that is set meanwhile makes the wait longer or
// shorter, and the caller looks at his own clock afterwards.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto theirs = reinterpret_cast<Wait>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));
  if (theirs != nullptr) return theirs(condition, mutex, clock, until);
  constexpr std::int64_t second = 1'000'000'000;
  const auto nanoseconds = [](const timespec& time) { return time.tv_sec * second + time.tv_nsec; };
  timespec now{}, now_there{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &now_there);
  const std::int64_t then = nanoseconds(now_there) + nanoseconds(*until) - nanoseconds(now);
  const timespec until_there{then / second, then % second};
  return pthread_cond_timedwait(condition, mutex, &until_there);
}
}
#pragma GCC visibility pop
