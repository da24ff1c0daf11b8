// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/pool.hpp"

#include "engine/host/no_signals.hpp"
#include "engine/host/policy.hpp"
#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include <unistd.h>

namespace typewarp::host {
namespace {

constexpr int max_threads = 1024;
/// How long an idle thread looks for work before it sleeps: about what waking it would cost.
constexpr std::chrono::microseconds patience{40};

/// One operation, shared by the threads that work on it. Each seat has a contiguous share of the parts, so
/// that a thread finds in its caches what it moved last time, and takes parts from the others once its own
/// are done.
class SharedWork {
 public:
  SharedWork(int seats, std::int64_t parts, const std::function<void(std::int64_t)>& part)
      : shares_(static_cast<std::size_t>(seats)), part_(part) {
    for (std::int64_t seat = 0; seat < seats; ++seat) {
      SeatShare& share = shares_[static_cast<std::size_t>(seat)];
      share.next.store(seat * parts / seats, std::memory_order_relaxed);
      share.end = (seat + 1) * parts / seats;
    }
  }

  void work(int seat) noexcept {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      SeatShare& share = shares_[(static_cast<std::size_t>(seat) + i) % shares_.size()];
      while (!failed_.load(std::memory_order_relaxed)) {
        const std::int64_t at = share.next.fetch_add(1, std::memory_order_relaxed);
        if (at >= share.end) break;
        run(at);
      }
    }
  }

  /// After every thread has left work().
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct alignas(Policy::cache_line) SeatShare {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };

  void run(std::int64_t at) noexcept {
    try {
      part_(at);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }

  std::vector<SeatShare> shares_;
  const std::function<void(std::int64_t)>& part_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

class ThreadPool {
 public:
  explicit ThreadPool(pid_t process) noexcept : process_(process) {}

  /// Ends its threads for good, unless a job is at work, which may be that of the calling thread's own stack.
  void stop() noexcept {
    if (!turn_.try_lock()) return;
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
      ++signal_;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    std::vector<std::thread>().swap(threads_);
  }

  /// Where its threads run: they do not survive a fork.
  pid_t process() const noexcept { return process_; }

  void run(SharedWork& job, int helpers) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn) return job.work(0);
    grow(helpers);
    {
      const std::scoped_lock lock(mutex_);
      job_ = &job;
      seats_ = helpers;
      signal_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    job.work(0);
    {
      const std::scoped_lock lock(mutex_);
      job_ = nullptr;
    }
    look_for([&] { return working_.load(std::memory_order_acquire) == 0; });
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return working_ == 0; });
  }

 private:
  /// As far as the system has threads: fewer do the same work.
  void grow(int helpers) {
    if (static_cast<int>(threads_.size()) >= helpers) return;
    const NoSignals no_signals;
    bool more = true;
    while (more && static_cast<int>(threads_.size()) < helpers) {
      try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        more = false;
      }
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      if (job_ != nullptr && seats_ > 0) {
        SharedWork& job = *job_;
        const int seat = seats_--;
        ++working_;
        lock.unlock();
        job.work(seat);
        lock.lock();
        if (--working_ == 0) idle_.notify_one();
      }
      const std::uint64_t seen = signal_.load(std::memory_order_relaxed);
      lock.unlock();
      look_for([&] { return signal_.load(std::memory_order_acquire) != seen; });
      lock.lock();
      wake_.wait(lock, [&] { return stop_ || signal_.load(std::memory_order_relaxed) != seen; });
    }
  }

  /// Returns when `found()`, or when patience is at its end.
  template <typename Found>
  static void look_for(const Found& found) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!found() && std::chrono::steady_clock::now() < until) {}
  }

  const pid_t process_;
  std::mutex turn_;  ///< held by the caller whose job runs
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  SharedWork* job_ = nullptr;
  int seats_ = 0;                ///< helpers that the job still takes
  std::atomic<int> working_{0};  ///< helpers inside the job
  bool stop_ = false;
  std::atomic<std::uint64_t> signal_{0};
};

/// The pool of this process, never destroyed: other threads and exit handlers may use it to the end. A forked
/// child leaves its parent's pool alone for good. Takes no lock, because a child would inherit it locked if
/// another thread of its parent held it at the fork.
class PoolOwner {
 public:
  /// Before the code of the threads may go.
  void stop() noexcept {
    ThreadPool* const last = pool_.load(std::memory_order_acquire);
    if (last != nullptr && last->process() == ::getpid()) last->stop();
  }

  ThreadPool& pool() {
    const pid_t process = ::getpid();
    ThreadPool* current = pool_.load(std::memory_order_acquire);
    if (current != nullptr && current->process() == process) return *current;
    // The first one needs no memory, which nobody would free when the library is closed.
    const bool is_first = !room_is_taken_.test_and_set();
    ThreadPool* const fresh = is_first ? ::new (room_.data()) ThreadPool(process) : new ThreadPool(process);
    if (pool_.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh;
    // Only another thread of this process can have been faster.
    if (!is_first) delete fresh;
    return *current;
  }

 private:
  std::atomic<ThreadPool*> pool_{nullptr};
  std::atomic_flag room_is_taken_;
  alignas(ThreadPool) std::array<std::byte, sizeof(ThreadPool)> room_{};
};

constinit PoolOwner owner;

// As the library is closed, or the process ends: after all static objects and exit handlers.
[[gnu::destructor]] void stop_threads() noexcept { owner.stop(); }

int allowed_threads() {
#ifdef __linux__
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const unsigned present = std::thread::hardware_concurrency();
  return present == 0 ? 1 : static_cast<int>(present);
}

int ask_threads() {
  const auto asked = environment::number("typewarp::host", "TYPEWARP_HOST_THREADS");
  return asked ? static_cast<int>(*asked) : std::min(allowed_threads(), max_threads);
}

}  // namespace

int choose_default_threads() {
  const int threads = ask_threads();
  chosen_threads.store(threads, std::memory_order_relaxed);
  return threads;
}

void run_parts(int threads, std::int64_t parts, const std::function<void(std::int64_t)>& part) {
  const std::int64_t seats = std::max<std::int64_t>(1, std::min<std::int64_t>({threads, max_threads, parts}));
  SharedWork job(static_cast<int>(seats), parts, part);
  if (seats > 1) {
    owner.pool().run(job, static_cast<int>(seats - 1));
  } else {
    job.work(0);
  }
  job.rethrow();
}

}  // namespace typewarp::host
