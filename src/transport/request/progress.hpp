// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/copy_coalescer.hpp"
#include "transport/request/active_operations.hpp"
#include "transport/request/operation.hpp"

#include <chrono>
#include <functional>
#include <span>
#include <thread>

namespace typewarp::transport {

class GpuChannel;

/// Advances the operations of a Session. A thread that waits for one also advances others.
class Progress {
 public:
  /// `time_limit`: that of waits (SessionOptions).
  Progress(CopyCoalescer& gather, std::chrono::milliseconds time_limit)
      : gather_(gather), time_limit_(time_limit) {}

  /// Shares ownership of the operation until it is over.
  void add(ActiveOperations::Place place) noexcept { operations_.add(std::move(place)); }
  /// How many operations one call advances.
  static constexpr std::size_t at_a_time = 16;
  /// Advances these, at most `at_a_time`, except those that another thread has claimed.
  void advance(std::span<Operation*> operations);
  /// Advances a few others in turn; none if the `moved` operations that were just advanced are all there are.
  /// Gathered copies have their turn when all operations have had theirs.
  void advance_some(std::size_t moved = 0);
  /// Advances all until none makes progress, here or in other threads: what is not over then waits for
  /// another process, a device or memory. Stops after a while if a peer keeps it busy.
  void exhaust();
  /// From now on these also drive `link`; null: none. Before any operation is added.
  void drive(GpuChannel* link) noexcept { others_.link = link; }
  /// From now on they also let the MPI make progress, by a probe of `comm` now and then: operations that wait
  /// for shared memory do not call the MPI. Before any operation is added.
  void drive_mpi(MPI_Comm comm) noexcept { others_.comm = comm; }
  /// Ends `operation` for its request, and advances it. Waits for the thread that has claimed it.
  void cancel(Operation& operation);
  void give_up(Operation& operation, std::exception_ptr why = nullptr);

  std::size_t active() const { return operations_.size(); }
  /// Whether there are no operations and no link. Only where one thread calls.
  bool idle() const noexcept { return operations_.empty() && others_.link == nullptr; }
  /// Those without a request.
  std::size_t orphans() const { return operations_.orphans(); }
  std::chrono::milliseconds time_limit() const noexcept { return time_limit_; }
  /// Steps of all operations so far.
  std::uint64_t steps() const noexcept { return steps_.load(std::memory_order_relaxed); }
  void count_step() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }

  /// A thread that advances operations whenever there are any. It must be stopped before the Progress is
  /// destroyed, and not by itself.
  void start_thread();
  void stop_thread();
  /// The thread calls `also` after each of its rounds. Rounds start with an add() or nudge(), and end when
  /// there are no operations and `also` returns false. Before any operation is added.
  void attend(std::function<bool()> also) { also_ = std::move(also); }
  void nudge() noexcept { operations_.nudge(); }

 private:
  void run(std::span<Operation* const> claimed);
  /// `device`: current where the thread was started, as a link may need one.
  void serve(const std::stop_token& stop, int device);

  /// What is driven besides operations.
  struct Others {
    void drive();

    GpuChannel* link = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    std::atomic<unsigned> rounds{0};
  };

  CopyCoalescer& gather_;
  const std::chrono::milliseconds time_limit_;
  Others others_;
  ActiveOperations operations_;
  std::atomic<std::uint64_t> steps_{0};
  std::function<bool()> also_;
  std::jthread thread_;
};

/// A message that has been started. Its caller waits for it, or makes it a request.
class Begun {
 public:
  explicit Begun(ActiveOperations::Place place) noexcept : place_(std::move(place)) {}

  /// A request, which any thread that waits for a message of the Session advances.
  Request request() &&;
  /// As Request::wait(), without a place in the list for short messages.
  Status wait() &&;

 private:
  bool brought_to_end();

  ActiveOperations::Place place_;
};

/// Whether the calling thread is that of some Progress.
bool in_progress_thread() noexcept;

}  // namespace typewarp::transport
