// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/host_transport.hpp"
#include "schedule/streams/watched_streams.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace typewarp::exchange {

/// The starts of an exchange without a device: the caller counts them, and whoever calls step() does them one
/// after the other.
class HostStarts final : public StartSignals {
 public:
  void start(std::int64_t sends_displaced_by) {
    const std::lock_guard lock(mutex_);
    displaced_.push_back(sends_displaced_by);
    started_.fetch_add(1);
  }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire) == started_.load(); }

  std::optional<std::int64_t> begun() override {
    const std::lock_guard lock(mutex_);
    if (displaced_.empty()) return std::nullopt;
    const std::int64_t first = displaced_.front();
    displaced_.pop_front();
    return first;
  }
  void sent() override {}
  void received() override { ended_.fetch_add(1, std::memory_order_release); }
  bool unpacked() override { return true; }

 private:
  std::atomic<std::int64_t> started_ = 0, ended_ = 0;
  std::mutex mutex_;
  std::deque<std::int64_t> displaced_;  ///< of the starts that have not begun
};

/// How long nothing has moved although something had to, against a limit. Used by whoever steps.
class StallClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// A limit of 0 is none. `started` is what it bounds, in the text of an error.
  StallClock(std::chrono::milliseconds limit, std::string_view started) noexcept
      : limit_(limit), started_(started) {}
  std::chrono::milliseconds limit() const noexcept { return limit_; }

  /// Something moved, or nothing had to.
  void reset() noexcept { since_ = Clock::now(); }
  /// It has waited for a rank, or if that is negative for some.
  TimeLimitExceeded error(int peer) const;
  bool exceeded() const { return limit_.count() > 0 && Clock::now() - since_ >= limit_; }
  /// Who calls may have been busy elsewhere: of the time since the last look, in which nothing could move,
  /// `most` counts.
  void look(Clock::duration most) noexcept {
    const Clock::time_point now = Clock::now();
    const Clock::duration away = now - std::exchange(looked_, now);
    if (away > most) since_ = std::min(now, since_ + away - most);
  }

 private:
  std::chrono::milliseconds limit_;
  std::string_view started_;
  Clock::time_point since_ = Clock::now(), looked_ = Clock::now();
};

/// Whether `ended()` says so within the limit, of which 0 is none. What throws has not.
template <typename Ended>
bool is_within(std::chrono::milliseconds limit, Ended ended) noexcept {
  const auto begun = std::chrono::steady_clock::now();
  try {
    while (!ended()) {
      if (limit.count() > 0 && std::chrono::steady_clock::now() - begun > limit) return false;
      std::this_thread::yield();
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Moves the messages of an exchange beside its streams, and ends starts that take too long. It has a thread
/// where one is needed and the MPI allows it; elsewhere the calls of the program do the work.
class Worker {
 public:
  /// `transport` is null if the MPI carries nothing, `streams` if no device is involved. Both must outlive
  /// this. `started` is what takes too long, in the text of that error.
  Worker(HostTransport* transport, WatchedStreams* streams, std::chrono::milliseconds time_limit,
         std::string_view started);
  ~Worker() { stop(); }

  /// Calls `enqueue`, which gives the stream one more start. Throws what has failed before, and
  /// InvalidArgument for a stream that is captured where no thread moves what the MPI carries.
  template <typename Enqueue>
  void start(Stream stream, Enqueue enqueue) {
    begin(stream);
    try {
      enqueue();
    } catch (...) {
      if (streams_ == nullptr || streams_->is_torn()) fail(std::current_exception());
      throw;
    }
    wake();
  }
  /// Has the host do one more, where no device is involved.
  void start_on_host(std::int64_t sends_displaced_by);
  /// Whether all starts have ended. Throws what has failed.
  bool done();
  /// Ends the thread; what is under way stays as it is.
  void stop();

 private:
  using Clock = StallClock::Clock;

  void check() const;
  void begin(Stream stream);
  void wake();
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void run();
  bool step();
  void watch();
  std::chrono::milliseconds longest_pause() const;
  void release() noexcept;
  bool all_ended() const;
  bool busy() const { return !all_ended() || (transport_ != nullptr && transport_->sending()); }
  void fail(std::exception_ptr why);
  void pause(int idle_rounds);

  HostTransport* transport_;
  WatchedStreams* streams_;
  std::unique_ptr<HostStarts> host_;
  StallClock stalled_;
  Clock::time_point asked_ = Clock::now();  ///< the device, about itself
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;        ///< set before failed_
  std::atomic<bool> asleep_ = false;  ///< the thread may have to be woken when there is a start
  std::mutex mutex_;                  ///< of what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace typewarp::exchange
