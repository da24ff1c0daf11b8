// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/comm_cache.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace typewarp::transport {

CommState::CommState(std::vector<int> members) : members_(std::move(members)) {
  for (const int rank : members_) {
    all_ = all_ && rank != MPI_UNDEFINED;
    any_ = any_ || rank != MPI_UNDEFINED;
  }
}

struct CommCache::Attached {
  CommCache* owner;
  MPI_Comm comm;
  std::shared_ptr<CommState> state;
};

CommCache::CommCache(MPI_Comm members) {
  mpi::check(MPI_Comm_group(members, &members_), "MPI_Comm_group");
  const int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &keyval_, nullptr);
  if (code != MPI_SUCCESS) MPI_Group_free(&members_);
  mpi::check(code, "MPI_Comm_create_keyval");
}

CommCache::~CommCache() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  const std::vector<Attached*> attached = attached_;  // each deletion shortens the member
  for (const Attached* one : attached) MPI_Comm_delete_attr(one->comm, keyval_);
  MPI_Comm_free_keyval(&keyval_);
  MPI_Group_free(&members_);
}

int CommCache::forget(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Attached> attached(static_cast<Attached*>(attribute));
  const std::lock_guard lock(attached->owner->mutex_);
  std::erase(attached->owner->attached_, attached.get());
  if (attached->owner->last_ == attached.get()) attached->owner->last_ = nullptr;
  return MPI_SUCCESS;
}

// Does not hold the lock of forget() during MPI calls: the MPI may call forget() under a lock of its own.
std::shared_ptr<CommState> CommCache::of(MPI_Comm comm) {
  {
    const std::lock_guard lock(mutex_);
    if (last_ != nullptr && last_->comm == comm) return last_->state;
  }
  const std::lock_guard one_makes_it(making_mutex_);
  void* found = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&found), &present), "MPI_Comm_get_attr");
  if (present != 0) {
    const std::lock_guard lock(mutex_);
    return (last_ = static_cast<Attached*>(found))->state;
  }
  auto attached = std::make_unique<Attached>(this, comm, std::make_shared<CommState>(translate(comm)));
  {
    const std::lock_guard lock(mutex_);
    attached_.push_back(attached.get());
  }
  const int code = MPI_Comm_set_attr(comm, keyval_, attached.get());
  if (code == MPI_SUCCESS) return attached.release()->state;
  {
    const std::lock_guard lock(mutex_);
    std::erase(attached_, attached.get());
  }
  mpi::check(code, "MPI_Comm_set_attr");
  return nullptr;
}

std::optional<int> CommCache::receiver(const CommState& comm, int rank) const noexcept {
  if (!comm.is_member(rank)) return std::nullopt;
  const int receiver = comm.private_rank(rank);
  if (ready_ && ready_[receiver].load(std::memory_order_acquire) == 0) return std::nullopt;
  return receiver;
}

CommState* CommCache::known_last(MPI_Comm comm) const noexcept {
  return last_ != nullptr && last_->comm == comm ? last_->state.get() : nullptr;
}

std::vector<int> CommCache::translate(MPI_Comm comm) const {
  int between_groups = 0;
  mpi::check(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  MPI_Group group = MPI_GROUP_NULL;
  mpi::check(between_groups != 0 ? MPI_Comm_remote_group(comm, &group) : MPI_Comm_group(comm, &group),
             "MPI_Comm_group");
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> translated(own.size(), MPI_UNDEFINED);
  const int code = MPI_Group_translate_ranks(group, size, own.data(), members_, translated.data());
  MPI_Group_free(&group);
  mpi::check(code, "MPI_Group_translate_ranks");
  return translated;
}

std::size_t CommCache::known() const {
  const std::lock_guard lock(mutex_);
  return attached_.size();
}

}  // namespace typewarp::transport
