// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include "calls.hpp"
#include "fiber.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

__thread uint3 threadIdx, blockIdx, blockDim, gridDim;

long long clock64() {
  constexpr long long cycles_a_nanosecond = 2;
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1) *
         cycles_a_nanosecond;
}

namespace emulated {
namespace {

struct Kernels {
  std::mutex mutex;
  std::map<const void*, Bind> of;
};
Kernels& kernels() {
  static Kernels& all = *new Kernels;
  return all;
}

class Block;
thread_local Block* current = nullptr;

/// The block that runs in this thread: its threads take turns whenever one of them meets or waits.
class Block {
 public:
  explicit Block(const Launch& launch)
      : launch_(launch),
        threads_(launch.threads),
        shared_(new uint4[(launch.shared + sizeof(uint4) - 1) / sizeof(uint4)]) {
    current = this;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { current = nullptr; }

  /// In the order of their numbers, or from the last one on: who lacks a barrier is right in one at most.
  void run(bool backwards) {
    for (unsigned i = 0; i < launch_.threads; ++i) {
      threads_[i].number = backwards ? launch_.threads - 1 - i : i;
      ready_.push_back(&threads_[i]);
    }
    for (unsigned live = launch_.threads; live > 0;) {
      if (ready_.empty()) open();
      running_ = ready_.front();
      ready_.pop_front();
      go_on();
      if (stop_ == Stop::end) --live;
      if (stop_ == Stop::barrier) arrived_.push_back(running_);
      if (stop_ == Stop::wait) ready_.push_back(running_);
      waits_ = stop_ == Stop::wait ? waits_ + 1 : 0;
      if (waits_ > ready_.size()) rest_for_others();
    }
  }

  Votes meet(bool vote) {
    coming_.any = coming_.any || vote;
    coming_.all = coming_.all && vote;
    rest(Stop::barrier);
    return met_;
  }
  void wait() { rest(Stop::wait); }
  std::byte* shared() const { return reinterpret_cast<std::byte*>(shared_.get()); }

 private:
  /// All that could run wait for others than this block: other processes get the processor.
  void rest_for_others() {
    constexpr unsigned most_yields = 4;
    if (++yields_ % most_yields != 0) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(1));
  }

  struct Thread {
    unsigned number = 0;
    Fiber* fiber = nullptr;
  };
  enum class Stop { end, barrier, wait };

  void open() {
    met_ = std::exchange(coming_, {false, true});
    ready_.swap(arrived_);
  }
  void go_on() {
    threadIdx = {running_->number, 0, 0};
    stop_ = Stop::end;
    if (running_->fiber != nullptr) {
      running_->fiber->resume();
    } else {
      running_->fiber = &Fiber::take();
      running_->fiber->start([](void* call) { static_cast<const Call*>(call)->run(); },
                             const_cast<Call*>(launch_.call.get()));
    }
    if (stop_ == Stop::end) Fiber::give(*running_->fiber);
  }
  void rest(Stop stop) {
    stop_ = stop;
    running_->fiber->rest();
  }

  const Launch& launch_;
  std::vector<Thread> threads_;
  std::unique_ptr<uint4[]> shared_;
  std::deque<Thread*> ready_, arrived_;
  Thread* running_ = nullptr;
  Stop stop_ = Stop::end;
  std::size_t waits_ = 0;  ///< in a row
  unsigned yields_ = 0;
  Votes coming_{false, true}, met_{false, true};
};

}  // namespace

void know(const void* kernel, Bind bind) {
  const Lock lock(kernels().mutex);
  kernels().of[kernel] = bind;
}

std::shared_ptr<const Call> bound(const void* kernel, void** arguments) {
  const Lock lock(kernels().mutex);
  const auto found = kernels().of.find(kernel);
  return found != kernels().of.end() ? found->second(kernel, arguments) : nullptr;
}

Votes meet(bool vote) { return current->meet(vote); }

void wait_a_little() { current->wait(); }

std::byte* dynamic_shared() { return current->shared(); }

void run(const Launch& launch) {
  static std::atomic<unsigned> launches{0};
  const bool backwards = launches.fetch_add(1, std::memory_order_relaxed) % 2 != 0;
  gridDim = {launch.blocks, 1, 1};
  blockDim = {launch.threads, 1, 1};
  for (unsigned number = 0; number < launch.blocks; ++number) {
    blockIdx = {number, 0, 0};
    Block(launch).run(backwards);
  }
}

}  // namespace emulated
