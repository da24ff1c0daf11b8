// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/copy_coalescer.hpp"
#include "transport/request/operation.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace typewarp::transport {

class GpuChannel;

/// The operations of a Session that are under way. Whoever waits for one moves the others on as well. The
/// lock is held to choose operations, not while they move, so threads work on different ones at once.
class Progress {
 public:
  /// `time_limit`: of waits for operations (SessionOptions).
  Progress(CopyCoalescer& gather, std::chrono::milliseconds time_limit)
      : gather_(gather), time_limit_(time_limit) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A place for an operation that is about to be posted, so that nothing can fail once it has been.
  using Place = std::list<std::shared_ptr<Operation>>;
  static Place place_for(std::shared_ptr<Operation> operation) { return {std::move(operation)}; }
  /// Takes part in the ownership of the operation until it is over.
  void add(Place place) noexcept;
  /// Operations that one call moves on.
  static constexpr std::size_t at_a_time = 16;
  /// Moves these on, at most `at_a_time`, but for those that another thread is at: they are left out of
  /// `operations`, whose order stays.
  void advance(std::span<Operation*> operations);
  /// Moves some of the others on: in turn, a few at each call; none if `moved` ones, which just have been,
  /// are all there are. When all have been moved on so, it is the gathered copies' turn.
  void advance_some(std::size_t moved = 0);
  /// Moves all on until none of them can be moved further, here and by other threads that are at them: what
  /// is not over then waits for another process, a device or memory. Gives up while a peer keeps it busy.
  void exhaust();
  /// Has both move on what `link` has under way, first; null: nothing. Before any operation is added.
  void drive(GpuChannel* link) noexcept { others_.link = link; }
  /// Has the MPI move on what it has under way as well, now and then, by a look at `comm`: operations that
  /// wait for shared memory call nothing of it. Before any operation is added.
  void drive_mpi(MPI_Comm comm) noexcept { others_.comm = comm; }
  /// Ends `operation` for its request, and moves it on. Waits for the thread that is at it.
  void cancel(Operation& operation);
  void give_up(Operation& operation, std::exception_ptr why = nullptr);

  /// Operations that the MPI may still hold memory of: for good.
  static void keep(Place lost) noexcept;

  std::size_t active() const;
  /// Whether there are none, nor a link; where only one thread calls.
  bool idle() const noexcept { return active_.empty() && others_.link == nullptr; }
  /// Those of them that no request waits for.
  std::size_t orphans() const;
  std::chrono::milliseconds time_limit() const noexcept { return time_limit_; }
  /// Of all operations so far.
  std::uint64_t steps() const noexcept { return steps_.load(std::memory_order_relaxed); }
  void count_step() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }

  /// A thread that moves operations on whenever there are any. It must be stopped before the Progress goes,
  /// and not by itself.
  void start_thread();
  void stop_thread();
  /// Has the thread call `also` after each of its rounds, which follow each other from an add() or nudge() on
  /// until there are no operations and `also` returns false. Before any operation is added.
  void attend(std::function<bool()> also) { also_ = std::move(also); }
  void nudge() noexcept;

 private:
  template <typename Act>
  void with_claim(Operation& operation, Act act);
  void run(std::span<Operation* const> claimed);
  /// Claims those that nobody is at. Returns those that another thread is at.
  std::vector<std::shared_ptr<Operation>> claim_all(std::vector<Operation*>& claimed);
  void await(const std::vector<std::shared_ptr<Operation>>& busy);
  void release(std::span<Operation* const> claimed);
  /// With the device that was current where the thread was started: a link may need one.
  void serve(const std::stop_token& stop, int device);

  /// What is moved on besides operations.
  struct Others {
    void drive();

    GpuChannel* link = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    std::atomic<unsigned> rounds{0};
  };

  CopyCoalescer& gather_;
  const std::chrono::milliseconds time_limit_;
  Others others_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::list<std::shared_ptr<Operation>> active_;
  std::list<std::shared_ptr<Operation>>::iterator next_ = active_.end();
  std::size_t in_this_turn_ = 0;  ///< moved on since the gathered copies had theirs
  std::atomic<std::uint64_t> steps_{0};
  std::function<bool()> also_;
  bool nudged_ = false;
  std::jthread thread_;
};

/// A message that has been started. Its caller waits for it here, or makes it a request.
class Begun {
 public:
  explicit Begun(Progress::Place place) noexcept : place_(std::move(place)) {}

  /// Moved on by whoever waits for any message of the Session.
  Request request() &&;
  /// As Request::wait(). For short messages, which nobody else has to know of.
  Status wait() &&;

 private:
  bool brought_to_end();

  Progress::Place place_;
};

/// Whether the calling thread is that of some Progress.
bool in_progress_thread() noexcept;

}  // namespace typewarp::transport
