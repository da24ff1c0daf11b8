// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/comm_cache.hpp"

#include "transport/mpi/comm_state.hpp"

#include <typewarp/mpi.hpp>

#include <numeric>
#include <utility>

namespace typewarp::transport {

SessionComm::SessionComm(std::vector<int> members) : members_(std::move(members)) {
  for (const int rank : members_) {
    all_ = all_ && rank != MPI_UNDEFINED;
    any_ = any_ || rank != MPI_UNDEFINED;
  }
}

/// The communicator's entry in the index of a Session.
class CommCache::Attached final : public CommState::Member {
 public:
  static constexpr CommSlot slot = CommSlot::session;

  Attached(std::shared_ptr<Index> index, MPI_Comm comm, std::shared_ptr<SessionComm> known) noexcept
      : index_(std::move(index)), comm_(comm), known_(std::move(known)) {}

  bool is_of(const Index& index) const noexcept { return index_.get() == &index; }
  MPI_Comm comm() const noexcept { return comm_; }
  const std::shared_ptr<SessionComm>& known() const noexcept { return known_; }
  /// The Session is gone.
  void clear() noexcept { known_.reset(); }

  void leave() override {
    const std::lock_guard lock(index_->mutex);
    --index_->size;
    if (index_->last == this) index_->last = nullptr;
  }

 private:
  std::shared_ptr<Index> index_;
  MPI_Comm comm_;
  std::shared_ptr<SessionComm> known_;
};

CommCache::CommCache(MPI_Comm members) {
  CommState::renew_if_unused();
  mpi::check(MPI_Comm_group(members, &members_), "MPI_Comm_group");
}

CommCache::~CommCache() {
  CommState::for_each<Attached>([&](Attached& one) {
    if (one.is_of(*index_)) one.clear();
  });
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Group_free(&members_);
}

// Does not hold the lock of Attached::leave() during MPI calls: the MPI may call it under a lock of its own.
std::shared_ptr<SessionComm> CommCache::of(MPI_Comm comm) {
  {
    const std::lock_guard lock(index_->mutex);
    if (index_->last != nullptr && index_->last->comm() == comm) return index_->last->known();
  }
  const std::lock_guard one_makes_it(making_mutex_);
  std::shared_ptr<Attached> found = CommState::find<Attached>(comm);
  const bool is_new = !found || !found->is_of(*index_);
  if (is_new) {
    found = std::make_shared<Attached>(index_, comm, std::make_shared<SessionComm>(translate(comm)));
    CommState::keep(comm, found);
  }
  const std::lock_guard lock(index_->mutex);
  if (is_new) ++index_->size;
  index_->last = found.get();
  return found->known();
}

std::optional<int> CommCache::receiver(const SessionComm& comm, int rank) const noexcept {
  if (!comm.is_member(rank)) return std::nullopt;
  const int receiver = comm.private_rank(rank);
  if (ready_ && ready_[receiver].load(std::memory_order_acquire) == 0) return std::nullopt;
  return receiver;
}

SessionComm* CommCache::known_last(MPI_Comm comm) const noexcept {
  const Attached* const last = index_->last;
  return last != nullptr && last->comm() == comm ? last->known().get() : nullptr;
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
  const std::lock_guard lock(index_->mutex);
  return index_->size;
}

}  // namespace typewarp::transport
