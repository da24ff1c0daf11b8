// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/rts_readiness.hpp"

#include "engine/device/gpu.hpp"
#include "base/environment.hpp"
#include "interpose/core/job_member.hpp"

#include <algorithm>
#include <exception>
#include <new>
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

ReceiveState state() noexcept { return static_cast<ReceiveState>(word.load() & state_bits); }

void be_ready_if_none_is_left() noexcept {
  Word none_left = getting_ready;
  RtsReadiness* const readiness = JobMember<RtsReadiness>::current();
  if (word.compare_exchange_strong(none_left, ready) && readiness != nullptr) readiness->tell();
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

RtsReadiness::RtsReadiness(std::atomic<std::uint8_t>* flag) noexcept : flag_(flag) {
  // Nothing has been posted yet.
  const bool at_once = flag == nullptr || taking_of_environment() != Taking::gpu || gpu::in_use();
  word = at_once ? ready : idle_state;
  if (at_once) tell();
}

RtsReadiness::~RtsReadiness() { word = closed; }

bool RtsReadiness::add(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  return requests_.insert_or_assign(request, ++times_).second;
}

bool RtsReadiness::remove(MPI_Request request, std::uint64_t latest) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(request);
  if (found == requests_.end() || found->second > latest) return false;
  requests_.erase(found);
  return true;
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
  RtsReadiness* const readiness = JobMember<RtsReadiness>::current();
  if (!counts_ || request == MPI_REQUEST_NULL || readiness == nullptr) return;
  try {
    if (readiness->add(request)) counts_ = false;
  } catch (const std::bad_alloc&) {
    counts_ = false;  // nobody will say that it is over, so this rank is never ready
  }
}

LeftRequests::LeftRequests(int count, const MPI_Request* given) noexcept {
  const RtsReadiness* const readiness = word.load() < one ? nullptr : JobMember<RtsReadiness>::current();
  if (readiness == nullptr || count <= 0 || given == nullptr) return;
  const auto size = static_cast<std::size_t>(count);
  try {
    if (size > few_.size()) many_.resize(size);
  } catch (const std::bad_alloc&) {
    return;  // what stays known although it is over keeps this rank from getting ready, no more
  }
  before_ = {many_.empty() ? few_.data() : many_.data(), size};
  std::copy_n(given, size, before_.begin());
  now_ = given;
  time_ = readiness->time();
}

LeftRequests::~LeftRequests() {
  RtsReadiness* const readiness = before_.empty() ? nullptr : JobMember<RtsReadiness>::current();
  if (readiness == nullptr) return;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const bool is_over = now_[i] == MPI_REQUEST_NULL && before_[i] != MPI_REQUEST_NULL;
    if (is_over && readiness->remove(before_[i], time_)) leave();
  }
}

// What is under way goes on, and nobody will say when it is over: this rank is never ready then.
void left_freed(MPI_Request request) noexcept {
  RtsReadiness* const readiness = word.load() < one ? nullptr : JobMember<RtsReadiness>::current();
  if (readiness == nullptr || !readiness->remove(request, readiness->time())) return;
  int over = 0;
  PMPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
  if (over != 0) leave();
}

}  // namespace typewarp::interpose
