// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/comm_state.hpp"

#include "base/never_destroyed.hpp"

#include <typewarp/mpi.hpp>

#include <atomic>
#include <exception>
#include <vector>

namespace typewarp::transport {

struct CommState::Registry {
  std::mutex making;  ///< of a new state, and of the keyval; taken before the other, and not by callbacks
  std::mutex mutex;   ///< of what follows. The MPI is not called under it, since it calls back
  std::vector<CommState*> states;
  std::atomic<int> keyval = MPI_KEYVAL_INVALID;
  /// Whether MPI_Init came before it. Then it is ours until MPI_Finalize, as there is no other MPI_Init.
  std::atomic<bool> is_of_init = false;

  void add(CommState& state) {
    const std::lock_guard lock(mutex);
    states.push_back(&state);
  }
  void remove(const CommState& state) noexcept {
    const std::lock_guard lock(mutex);
    std::erase(states, &state);
  }
};

namespace {

/// Between MPI_Init and MPI_Finalize. Sessions of MPI may come and go before and after that.
bool in_init() noexcept {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

}  // namespace

CommState::Registry& CommState::registry() noexcept {
  static NeverDestroyed<Registry> instance;  // MPI_Finalize calls back
  return instance.get();
}

CommState::Lock CommState::lock_all() { return Lock(registry().mutex); }

std::span<CommState* const> CommState::all() noexcept { return registry().states; }

std::shared_ptr<CommState::Member> CommState::get(CommSlot slot) {
  const std::lock_guard lock(mutex_);
  return members_[static_cast<std::size_t>(slot)];
}

CommState* CommState::find_state(MPI_Comm comm) {
  const int keyval = registry().keyval.load(std::memory_order_acquire);
  if (keyval == MPI_KEYVAL_INVALID) return nullptr;
  void* found = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(comm, keyval, static_cast<void*>(&found), &present), "MPI_Comm_get_attr");
  return present != 0 ? static_cast<CommState*>(found) : nullptr;
}

// Of two threads the second must not replace what the first one uses.
CommState& CommState::make_state(MPI_Comm comm) {
  Registry& all = registry();
  const std::lock_guard one_makes_it(all.making);
  if (CommState* const found = find_state(comm)) return *found;
  auto made = std::make_unique<CommState>();
  all.add(*made);
  try {
    int keyval = all.keyval.load(std::memory_order_acquire);
    if (keyval == MPI_KEYVAL_INVALID) {
      mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &leave_all, &keyval, nullptr),
                 "MPI_Comm_create_keyval");
      all.is_of_init = in_init();
      all.keyval.store(keyval, std::memory_order_release);
    }
    mpi::check(MPI_Comm_set_attr(comm, keyval, made.get()), "MPI_Comm_set_attr");
  } catch (...) {
    all.remove(*made);
    throw;
  }
  return *made.release();  // the communicator's now
}

std::shared_ptr<CommState::Member> CommState::find_member(MPI_Comm comm, CommSlot slot) {
  CommState* const state = find_state(comm);
  return state != nullptr ? state->get(slot) : nullptr;
}

void CommState::keep_member(MPI_Comm comm, CommSlot slot, std::shared_ptr<Member> member) {
  CommState& state = make_state(comm);
  if (const std::shared_ptr<Member> before = state.get(slot)) before->leave();
  const std::lock_guard lock(state.mutex_);
  state.members_[static_cast<std::size_t>(slot)].swap(member);
}

int CommState::leave_all(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<CommState> state(static_cast<CommState*>(attribute));
  registry().remove(*state);
  int result = MPI_SUCCESS;
  for (const std::shared_ptr<Member>& member : state->members_) {
    try {
      if (member) member->leave();
    } catch (const std::exception&) {
      result = MPI_ERR_OTHER;
    }
  }
  return result;
}

void CommState::drop(MPI_Comm comm) noexcept {
  const int keyval = registry().keyval;
  if (keyval != MPI_KEYVAL_INVALID) MPI_Comm_delete_attr(comm, keyval);
}

void CommState::forget_all() noexcept {
  int freed = registry().keyval.exchange(MPI_KEYVAL_INVALID);
  if (freed != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&freed);
}

void CommState::renew_if_unused() noexcept {
  const bool is_ours = registry().is_of_init && in_init();
  const Lock lock = lock_all();
  if (all().empty() && !is_ours) registry().keyval = MPI_KEYVAL_INVALID;
}

}  // namespace typewarp::transport
