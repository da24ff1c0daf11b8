// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/collective_context.hpp"

#include "base/never_destroyed.hpp"
#include "mpi/agree.hpp"
#include "mpi/library.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/mpi/wait_loop.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <utility>
#include <vector>

namespace typewarp::transport {
namespace {

using Kept = std::shared_ptr<CollectiveContext>;

/// Channels that are not made yet. MPICH makes them only while it is asked whether they are, and keeps their
/// communicators, freed or not, until then: so somebody must ask who outlives both.
class PendingChannels {
 public:
  void add(Kept channel) {
    const std::lock_guard lock(mutex_);
    channels_.push_back(std::move(channel));
  }
  void remove(const CollectiveContext& made) {
    const std::lock_guard lock(mutex_);
    std::erase_if(channels_, [&](const Kept& channel) { return channel.get() == &made; });
  }
  /// What fails is told to those who use the channel.
  void go_on() {
    for (const Kept& channel : all()) {
      try {
        channel->made(false);
      } catch (const Error&) {
        continue;
      }
    }
  }

 private:
  std::vector<Kept> all() {
    const std::lock_guard lock(mutex_);
    return channels_;
  }

  std::mutex mutex_;
  std::vector<Kept> channels_;
};

PendingChannels& pending_channels() {
  static NeverDestroyed<PendingChannels> instance;  // MPI_Finalize calls back
  return instance.get();
}

/// The Session, if all ranks of `comm` are of it, which is the same on all of them.
std::shared_ptr<SessionState> session_of_all(MPI_Comm comm) {
  std::shared_ptr<SessionState> session = current();
  return session && session->comms.of(comm)->all_members(MPI_ANY_SOURCE) ? session : nullptr;
}

std::size_t place(int of) { return static_cast<std::size_t>(of); }

}  // namespace

/// A duplicate of a communicator, and the tags on it that are not taken.
struct CollectiveContext::Duplicate {
  /// Collective: all ranks have it, or none, and then they may try again. Throws Error.
  void make(MPI_Comm of) {
    const int code = MPI_Comm_dup(of, &comm);
    const bool is_made = code == MPI_SUCCESS && comm != MPI_COMM_NULL;
    const bool all_have_it = mpi::in_all(of, is_made);
    mpi::check(code, "MPI_Comm_dup");
    if (!all_have_it) throw Error("typewarp: some rank could not duplicate the communicator");
    // The caller's handler is told of what fails on the caller's communicator.
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Duplicate() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }

  MPI_Comm comm = MPI_COMM_NULL;
  std::atomic<int> next_tag = 0;
};

ToldTags::ToldTags(SessionState& session, MPI_Comm of, int word)
    : comm_(session.comm.get()), ranks_(session.comms.of(of)) {
  int ranks = 0;
  MPI_Comm_size(of, &ranks);
  const int tags = tags_on(of);
  for (int tag = 0; tag < tags; ++tag) {
    own_.push_back(session.comm.tags.take());
    own_numbers_.push_back(own_.back().value());
  }
  own_numbers_.push_back(word);
  all_.resize(place(ranks) * own_numbers_.size());
}

void ToldTags::tell(MPI_Comm of) {
  const auto told = static_cast<int>(own_numbers_.size());
  mpi::check(MPI_Iallgather(own_numbers_.data(), told, MPI_INT, all_.data(), told, MPI_INT, of, &telling_),
             "MPI_Iallgather");
}

bool ToldTags::are_known() {
  int complete = 0;
  mpi::check(MPI_Test(&telling_, &complete, MPI_STATUS_IGNORE), "MPI_Iallgather");
  return complete != 0;
}

void ToldTags::abandon() noexcept {
  for (Tag& tag : own_) tag.abandon();
}

Peer ToldTags::destination(const Neighbours::Edge& edge) const {
  if (edge.rank == MPI_PROC_NULL) return {MPI_PROC_NULL, 0, comm_};
  return {ranks_->private_rank(edge.rank), told_by(edge.rank)[place(edge.tag)], comm_};
}

Peer ToldTags::source(const Neighbours::Edge& edge) const {
  if (edge.rank == MPI_PROC_NULL) return {MPI_PROC_NULL, 0, comm_};
  return {ranks_->private_rank(edge.rank), own_[place(edge.tag)].value(), comm_};
}

CollectiveContext::CollectiveContext(MPI_Comm of, const std::shared_ptr<SessionState>& session, int word)
    : session_(session), tags_(std::in_place, *session, of, word) {}

void CollectiveContext::tell(MPI_Comm of) {
  try {
    if (tags_) {
      tags_->tell(of);
    } else {
      duplicate_->make(of);
      is_made_.store(true, std::memory_order_release);
    }
  } catch (...) {
    failure_ = std::current_exception();
    pending_channels().remove(*this);
  }
  is_told_.store(true, std::memory_order_release);
  if (failure_) std::rethrow_exception(failure_);
}

CollectiveContext::CollectiveContext(std::shared_ptr<Duplicate> duplicate) noexcept
    : duplicate_(std::move(duplicate)) {}

// Tags must not come back to a Session that is gone.
CollectiveContext::~CollectiveContext() {
  const std::shared_ptr<SessionState> session = session_.lock();
  if (tags_ && (!session || is_spoilt_)) tags_->abandon();
  tags_.reset();
}

std::shared_ptr<CollectiveContext> CollectiveContext::make(MPI_Comm of, int word) {
  if (const std::shared_ptr<SessionState> session = session_of_all(of)) {
    pending_channels().go_on();
    const Kept made(new CollectiveContext(of, session, word));
    pending_channels().add(made);
    return made;
  }
  auto duplicate = std::make_shared<Duplicate>();
  duplicate->next_tag = tags_on(of);
  return Kept(new CollectiveContext(std::move(duplicate)));
}

bool CollectiveContext::is_open(MPI_Comm comm) {
  const Kept kept = CommState::find<CollectiveContext>(comm);
  return kept && kept->is_made() && !kept->session_.expired();
}

std::size_t CollectiveContext::tags_kept_with(MPI_Comm comm) {
  const Kept kept = CommState::find<CollectiveContext>(comm);
  return kept && kept->tags_ ? kept->tags_->count() : 0;
}

std::shared_ptr<CollectiveContext> CollectiveContext::of(MPI_Comm comm) {
  if (Kept kept = CommState::find<CollectiveContext>(comm); kept && kept->is_usable()) return kept;
  const Kept made = insist([&] {
    Kept kept = make(comm, 0);
    try {
      CommState::keep(comm, kept);
    } catch (...) {
      pending_channels().remove(*kept);
      throw;
    }
    return kept;
  });
  made->tell(comm);
  return made;
}

std::shared_ptr<CollectiveContext> CollectiveContext::apart(MPI_Comm comm, int word) {
  // That of `comm` might never be asked for, and MPICH tells of what is pending in MPI_Finalize.
  if (session_of_all(comm)) {
    const Kept made = insist([&] { return make(comm, word); });
    made->tell(comm);
    return made;
  }
  const Kept common = of(comm);
  common->know(true);
  const Kept made = insist([&] { return Kept(new CollectiveContext(common->duplicate_)); });
  made->is_made_ = true;
  made->first_tag_ = common->duplicate_->next_tag.fetch_add(tags_on(comm));
  return made;
}

// The Session that it was made for may be gone, in all ranks. A duplicate that could not be made is made
// anew.
bool CollectiveContext::is_usable() const noexcept {
  const std::shared_ptr<SessionState> session = current();
  if (duplicate_) return is_made() || !is_told_.load(std::memory_order_acquire);
  return session && session_.lock() == session;
}

// Open MPI 5.0 does not keep a freed communicator for a collective call that is under way: so that must be
// complete, which all ranks see to. MPICH calls back when it is, from within the call that completes it:
// there is no waiting here.
void CollectiveContext::leave() {
  if (mpi::is_open_mpi() && tags_) made(true);
}

// Others may be waiting for messages of this rank before they come to where they make theirs.
bool CollectiveContext::made(bool block) {
  if (is_spoilt_) throw Error("typewarp: messages of an earlier exchange on this communicator were given up");
  return know(block);
}

bool CollectiveContext::know(bool block) {
  const auto look = [&] {
    if (is_made() || ask() || !block) return true;
    if (const std::shared_ptr<SessionState> session = current()) session->progress.advance_some();
    return false;
  };
  wait_until(look, yield_each_time);
  return is_made();
}

// No thread waits here for one that asks: the MPI may call back from there.
bool CollectiveContext::ask() {
  if (asking_.test_and_set(std::memory_order_acquire)) return false;
  struct Asked {
    std::atomic_flag& flag;
    ~Asked() { flag.clear(std::memory_order_release); }
  } const asked{asking_};
  if (!is_told_.load(std::memory_order_acquire) || is_made()) return is_made();
  if (failure_) std::rethrow_exception(failure_);
  try {
    if (!tags_->are_known()) return false;
  } catch (const MpiError&) {
    failure_ = std::current_exception();
    pending_channels().remove(*this);
    throw;
  }
  is_made_.store(true, std::memory_order_release);
  pending_channels().remove(*this);
  return true;
}

Peer CollectiveContext::destination(const Neighbours::Edge& edge) const {
  return duplicate_ ? Peer{edge.rank, first_tag_ + edge.tag, duplicate_->comm} : tags_->destination(edge);
}

Peer CollectiveContext::source(const Neighbours::Edge& edge) const {
  return duplicate_ ? Peer{edge.rank, first_tag_ + edge.tag, duplicate_->comm} : tags_->source(edge);
}

}  // namespace typewarp::transport
