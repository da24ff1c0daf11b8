// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/worker.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace typewarp::exchange {
namespace {

/// While the MPI has something to do, the thread asks it this often before it sleeps between two times, and
/// then so long: messages of 1 KiB take some 10 us.
constexpr int busy_rounds = 200;
constexpr std::chrono::microseconds nap{20};
/// A time limit is noticed this part of it late, at the most. Streams are released each shortest time after a
/// failure: each time lets one start end.
constexpr int watches_in_limit = 16;
constexpr std::chrono::milliseconds shortest_watch{1}, longest_watch{50};

/// What a device that fails never tells of itself.
constexpr std::chrono::milliseconds between_questions{1};

}  // namespace

TimeLimitExceeded StallClock::error(int peer) const {
  const std::string whom = peer < 0 ? "a peer" : "rank " + std::to_string(peer);
  return {std::string(started_) + " has waited for " + whom + " for more than " +
              std::to_string(limit_.count()) + " ms",
          peer};
}

Worker::Worker(HostTransport* transport, WatchedStreams* streams, std::chrono::milliseconds time_limit,
               std::string_view started)
    : transport_(transport), streams_(streams), stalled_(time_limit, started) {
  if (streams_ == nullptr) host_ = std::make_unique<HostStarts>();
  const bool carries = transport_ != nullptr && transport_->allows_threads();
  const bool watches = streams_ != nullptr && time_limit.count() > 0;
  if (carries || (watches && transport_ == nullptr)) thread_ = std::thread([this] { run(); });
}

void Worker::check() const {
  if (failed()) std::rethrow_exception(failure_);
}

void Worker::begin(Stream stream) {
  check();
  if (transport_ != nullptr && streams_ != nullptr && !thread_.joinable() && gpu::capturing(stream)) {
    throw InvalidArgument("typewarp::Exchange::start", "stream", "one that is captured",
                          "must not be without MPI_THREAD_MULTIPLE, where parts are carried by the MPI");
  }
  if (!thread_.joinable() && !busy()) stalled_.reset();
}

void Worker::wake() {
  if (!asleep_.load()) return;
  const std::lock_guard lock(mutex_);
  wake_.notify_one();
}

void Worker::start_on_host(std::int64_t sends_displaced_by) {
  start({}, [&] {
    host_->start(sends_displaced_by);
    if (transport_ == nullptr && host_->begun()) host_->received();  // there are no parts
  });
}

bool Worker::all_ended() const { return streams_ != nullptr ? streams_->done() : host_->ended(); }

bool Worker::done() {
  if (!thread_.joinable()) {
    stalled_.look(longest_pause());
    step();
  }
  const bool ended = thread_.joinable() ? all_ended() : !busy();
  check();  // after that: what fails lets streams come to an end
  if (!ended && streams_ != nullptr && Clock::now() - asked_ > between_questions) {
    streams_->check_device();
    asked_ = Clock::now();
  }
  return ended;
}

void Worker::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void Worker::run() {
  // A graph that is replayed tells nobody, nor does a stream that comes to a start which failed half-way.
  const auto wanted = [&] {
    return stopping_ || busy() || (streams_ != nullptr && (streams_->captured() || failed()));
  };
  int idle_rounds = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      asleep_.store(true);  // before this looks: who starts afterwards finds it so
      if (!wanted()) {
        wake_.wait(lock, wanted);
        stalled_.reset();
      }
      asleep_.store(false);
      if (stopping_) return;
    }
    idle_rounds = step() ? 0 : idle_rounds + 1;
    pause(idle_rounds);
  }
}

std::chrono::milliseconds Worker::longest_pause() const {
  if (streams_ != nullptr && failed()) return shortest_watch;
  return std::clamp<std::chrono::milliseconds>(stalled_.limit() / watches_in_limit, shortest_watch,
                                               longest_watch);
}

void Worker::pause(int idle_rounds) {
  const bool carries = transport_ != nullptr && !failed();
  if (carries && idle_rounds < busy_rounds) return std::this_thread::yield();
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, carries ? std::chrono::duration_cast<std::chrono::microseconds>(nap) : longest_pause(),
                 [&] { return stopping_; });
}

/// Whether something moved.
bool Worker::step() {
  if (failed()) {
    release();
    return false;
  }
  bool moved = false;
  try {
    if (transport_ != nullptr) {
      moved = transport_->step(streams_ != nullptr ? *streams_->signals() : *host_);
    }
    if (moved) stalled_.reset();
    if (stalled_.limit().count() > 0) watch();
  } catch (...) {
    fail(std::current_exception());
  }
  return moved;
}

/// Also where the device has failed, when nothing waits there any more.
void Worker::release() noexcept {
  if (streams_ == nullptr || (streams_->done() && !streams_->waits() && !streams_->captured())) return;
  try {
    streams_->release();
  } catch (const GpuError&) {
    return;
  }
}

void Worker::watch() {
  const bool idle = streams_ != nullptr ? streams_->changed() || !streams_->waits() : host_->ended();
  if (idle) stalled_.reset();
  if (!stalled_.exceeded()) return;
  const int peer = transport_ != nullptr ? transport_->awaited_peer() : -1;
  throw stalled_.error(peer);
}

void Worker::fail(std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (failed()) return;
  failure_ = std::move(why);
  failed_.store(true, std::memory_order_release);
  wake_.notify_one();
  // To release streams, without a call of the MPI.
  if (streams_ != nullptr && !thread_.joinable()) thread_ = std::thread([this] { run(); });
}

}  // namespace typewarp::exchange
