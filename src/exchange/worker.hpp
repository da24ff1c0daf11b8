// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/host_turns.hpp"
#include "exchange/stream_work.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace typewarp::exchange {

/// Moves on what an exchange has under way beside its streams, and ends what takes too long: a thread of its
/// own where one is needed and the MPI allows that, else whoever calls.
class Worker {
 public:
  /// `carrier` is null if the MPI carries nothing, `streams` if no device is involved. Both must outlive
  /// this.
  Worker(Carrier* carrier, StreamWork* streams, std::chrono::milliseconds time_limit);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  /// Enqueues one more start, or has the host do it. Throws what has failed before, and InvalidArgument for a
  /// stream that is captured where nobody would move what the MPI carries.
  void start(Stream stream, const PartDisplacements& displacements);
  /// Whether all starts have ended. Throws what has failed.
  bool done();
  /// Ends the thread; what is under way stays as it is.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void check() const;
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void run();
  bool step();
  void watch();
  void rest();
  std::chrono::milliseconds longest_pause() const;
  void release() noexcept;
  bool all_ended() const;
  bool busy() const { return !all_ended() || (carrier_ != nullptr && carrier_->sending()); }
  void fail(std::exception_ptr why);
  void pause(int idle_rounds);

  Carrier* carrier_;
  StreamWork* streams_;
  std::chrono::milliseconds time_limit_;
  std::unique_ptr<HostTurns> host_;
  Clock::time_point changed_ = Clock::now();  ///< when something moved, or nothing had to; of who steps
  Clock::time_point stepped_ = Clock::now();  ///< by who calls
  Clock::time_point asked_ = Clock::now();    ///< the device, about itself
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;        ///< set before failed_
  std::atomic<bool> asleep_ = false;  ///< the thread may have to be woken when there is a start
  std::mutex mutex_;                  ///< of what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace typewarp::exchange
