// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/buffer/copy_coalescer.hpp"

#include "transport/buffer/message_buffer.hpp"

#include <exception>

namespace typewarp::transport {

/// Copies that are launched together, and their state.
struct CopyCoalescer::Together {
  enum class State { gathering, under_way, over };

  explicit Together(int on) : device(on) {}

  void start(const gpu::Enqueue& enqueue, Priority priority = Priority::automatic) noexcept {
    try {
      follow(device, gpu::private_stream(device, gpu::StreamRole::unpacking, priority), done, enqueue);
    } catch (...) {
      error = std::current_exception();
    }
    state.store(done ? State::under_way : State::over, std::memory_order_release);
  }

  /// Queries the runtime once in a turn, for whichever copy asks first.
  bool ask(std::uint64_t turn) {
    const std::unique_lock lock(asking, std::try_to_lock);
    if (!lock) return false;
    if (state.load(std::memory_order_relaxed) == State::over) return true;
    if (std::exchange(asked, turn) == turn) return false;
    try {
      if (!done->done()) return false;
    } catch (...) {
      if (!error) error = std::current_exception();
    }
    done.reset();
    state.store(State::over, std::memory_order_release);
    return true;
  }

  const int device;
  std::atomic<State> state{State::gathering};
  std::exception_ptr error;  ///< constant once they are over
  std::mutex asking;         ///< guards what follows, once they are under way
  std::optional<gpu::Event> done;
  std::uint64_t asked = 0;  ///< in which turn
};

bool CopyCoalescer::Copy::reached() {
  using State = Together::State;
  if (!together_) return true;
  const State state = together_->state.load(std::memory_order_acquire);
  if (state == State::gathering) return false;
  if (state == State::under_way && !together_->ask(home_->turns_.load(std::memory_order_relaxed)))
    return false;
  const std::shared_ptr<Together> over = std::move(together_);
  if (over->error) std::rethrow_exception(over->error);
  return true;
}

void CopyCoalescer::Copy::withdraw() noexcept {
  if (!together_) return;
  const std::lock_guard lock(home_->mutex_);
  if (together_->state.load(std::memory_order_relaxed) != Together::State::gathering) return;
  home_->withdraw(*together_, number_);
  together_.reset();
}

CopyCoalescer::Copy CopyCoalescer::copy(int device, bool last, const gpu::Side& to, const gpu::Side& from,
                                        std::int64_t bytes) {
  // A plan's first use on a device uploads its lists: not under the lock.
  gpu::prepare(to, device);
  gpu::prepare(from, device);
  std::unique_lock lock(mutex_);
  Queue& queue = queues_.try_emplace(device, device).first->second;
  const Hints hints = gpu::hints_of(to.plan, from.plan);
  if (bytes > gpu::CopyBatch::longest || !hints.empty() || (last && !queue.next)) {
    lock.unlock();
    auto alone = std::make_shared<Together>(device);
    alone->start([&](const gpu::LaunchContext& own) { gpu::copy(to, from, {0, bytes}, own); },
                 hints.priority);
    return {*this, std::move(alone), 0};
  }
  const int number = enqueue(queue, device, to, from, bytes);
  Copy made(*this, queue.next, number);
  if (last || queue.bytes >= gather_policy.most_bytes) launch(queue);
  return made;
}

int CopyCoalescer::enqueue(Queue& queue, int device, const gpu::Side& to, const gpu::Side& from,
                           std::int64_t bytes) {
  std::shared_ptr<Together> next = queue.next ? queue.next : std::make_shared<Together>(device);
  if (!queue.batch.add(to, from, bytes)) {
    launch(queue);
    next = std::make_shared<Together>(device);
    if (!queue.batch.add(to, from, bytes)) throw Error("typewarp: a copy does not fit into a launch");
  }
  queue.next = std::move(next);
  ++queue.copies;
  ++waiting_;
  queue.bytes += bytes;
  queue.grown = true;
  return queue.batch.size() - 1;
}

void CopyCoalescer::turn() noexcept {
  turns_.fetch_add(1, std::memory_order_relaxed);
  if (waiting() == 0) return;
  const std::lock_guard lock(mutex_);
  for (auto& [device, queue] : queues_) {
    if (queue.next && !std::exchange(queue.grown, false)) launch(queue);
  }
}

void CopyCoalescer::launch(Queue& queue) noexcept {
  if (queue.next) queue.next->start([&](const gpu::LaunchContext& own) { queue.batch.launch(own); });
  reset(queue);
}

void CopyCoalescer::reset(Queue& queue) noexcept {
  waiting_ -= queue.copies;
  queue.batch.clear();
  queue.next.reset();
  queue.copies = 0;
  queue.bytes = 0;
  queue.grown = false;
}

void CopyCoalescer::withdraw(const Together& together, int number) noexcept {
  Queue& queue = queues_.find(together.device)->second;
  queue.batch.remove(number);
  --queue.copies;
  --waiting_;
  if (queue.copies == 0) reset(queue);
}

}  // namespace typewarp::transport
