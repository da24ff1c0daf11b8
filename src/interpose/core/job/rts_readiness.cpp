// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/rts_readiness.hpp"

#include "engine/device/gpu.hpp"
#include "base/environment.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace typewarp::interpose {
namespace {

using Word = std::uint64_t;

enum ReceiveState : Word {
  closed,         ///< no Session
  idle_state,     ///< receives are the MPI's
  getting_ready,  ///< receives are ours, but the MPI may still have some
  ready,          ///< all receives are ours
};

// The state in the lowest bits, and above them how many postings and requests the MPI has: in one word, so
// that none can begin, or turn from one into the other, while it is decided that there is none.
constexpr Word state_bits = 3;
constexpr Word one = state_bits + 1;
std::atomic<Word> word{closed};

std::mutex mutex;
// When each became known. Never destroyed: exit handlers may call MPI.
auto& requests = *new std::unordered_map<MPI_Request, std::uint64_t>;
std::atomic<std::uint64_t> times{0};  ///< that one became known
std::atomic<std::uint8_t>* flag = nullptr;

ReceiveState state() noexcept { return static_cast<ReceiveState>(word.load() & state_bits); }

void be_ready_if_none_is_left() noexcept {
  Word none_left = getting_ready;
  if (word.compare_exchange_strong(none_left, ready) && flag != nullptr)
    flag->store(1, std::memory_order_release);
}

bool join() noexcept {
  Word now = word;
  for (;;) {
    const Word in_state = now & state_bits;
    if (in_state != idle_state && in_state != getting_ready) return false;
    if (word.compare_exchange_weak(now, now + one)) return true;
  }
}

void leave() noexcept {
  if (word.fetch_sub(one) - one == getting_ready) be_ready_if_none_is_left();
}

}  // namespace

Taking taking_of_environment() noexcept try {
  return static_cast<Taking>(environment::word("typewarp", "TYPEWARP_TAKE").value_or(0));
} catch (const std::exception&) {
  return Taking::gpu;
}

void open_readiness(std::atomic<std::uint8_t>* own) noexcept {
  flag = own;
  // Nothing has been posted yet.
  const bool at_once = flag == nullptr || taking_of_environment() != Taking::gpu || gpu::in_use();
  word = at_once ? getting_ready : idle_state;
  be_ready_if_none_is_left();
}

void close_readiness() noexcept {
  word = closed;
  const std::lock_guard lock(mutex);
  requests.clear();
  flag = nullptr;
}

bool receives_are_ours() noexcept {
  Word now = word;
  while ((now & state_bits) == idle_state && gpu::in_use()) {
    if (word.compare_exchange_weak(now, now - idle_state + getting_ready)) break;
  }
  return state() >= getting_ready;
}

bool probes_are_ours() noexcept { return receives_are_ours() && state() == ready; }

bool idle() noexcept { return state() == idle_state; }

void get_ready() noexcept {
  if (receives_are_ours()) be_ready_if_none_is_left();
}

Posting::Posting() noexcept : counts_(join()) {}

void Posting::end() noexcept {
  if (std::exchange(counts_, false)) leave();
}

// A handle that is known already is of a request that is over, of which that was not told yet: it never will
// be, since the later one has taken its place.
void Posting::left(MPI_Request request) noexcept {
  if (!counts_ || request == MPI_REQUEST_NULL) return;
  try {
    const std::lock_guard lock(mutex);
    const bool is_new = requests.insert_or_assign(request, ++times).second;
    if (is_new) counts_ = false;
  } catch (const std::bad_alloc&) {
    counts_ = false;  // nobody will say that it is over, so this rank is never ready
  }
}

LeftRequests::LeftRequests(int count, const MPI_Request* given) noexcept {
  if (word.load() < one || count <= 0 || given == nullptr) return;
  const auto size = static_cast<std::size_t>(count);
  try {
    if (size > few_.size()) many_.resize(size);
  } catch (const std::bad_alloc&) {
    return;  // what stays known although it is over keeps this rank from getting ready, no more
  }
  before_ = {many_.empty() ? few_.data() : many_.data(), size};
  std::copy_n(given, size, before_.begin());
  now_ = given;
  time_ = times;
}

LeftRequests::~LeftRequests() {
  std::unique_lock<std::mutex> lock;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (now_[i] != MPI_REQUEST_NULL || before_[i] == MPI_REQUEST_NULL) continue;
    if (!lock) lock = std::unique_lock(mutex);
    const auto found = requests.find(before_[i]);
    if (found == requests.end() || found->second > time_) continue;
    requests.erase(found);
    leave();
  }
}

// What is under way goes on, and nobody will say when it is over: this rank is never ready then.
void left_freed(MPI_Request request) noexcept {
  if (word.load() < one) return;
  {
    const std::lock_guard lock(mutex);
    if (requests.erase(request) == 0) return;
  }
  int over = 0;
  PMPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
  if (over != 0) leave();
}

}  // namespace typewarp::interpose
