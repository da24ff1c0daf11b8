// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/dup_comm.hpp"

#include "mpi/library.hpp"
#include "transport/mpi/wait_loop.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <utility>
#include <vector>

namespace typewarp::transport {
namespace {

using Kept = std::shared_ptr<DupComm>;

/// Channels whose duplicates are not made yet. MPICH makes them only while it is asked whether they are, and
/// keeps their communicators, freed or not, until then: so somebody must ask who outlives both.
class Making {
 public:
  void add(Kept channel) {
    const std::lock_guard lock(mutex_);
    channels_.push_back(std::move(channel));
  }
  void remove(const DupComm& made) {
    const std::lock_guard lock(mutex_);
    std::erase_if(channels_, [&](const Kept& channel) { return channel.get() == &made; });
  }
  /// What fails is told to those who use the channel.
  void go_on() {
    for (const Kept& channel : all()) {
      try {
        channel->communicator(false);
      } catch (const MpiError&) {
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

Making& making() {
  static Making& instance = *new Making;  // MPI_Finalize calls back
  return instance;
}

// Open MPI 5.0 calls this when a communicator is freed, and does not keep it for the duplicate that is being
// made of it: so that must be complete, which all ranks see to. MPICH calls this when it is, from within the
// call that completes it: there is no waiting here.
int forget(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(attribute));
  try {
    if (!(*kept)->is_made() && mpi::is_open_mpi()) (*kept)->communicator(true);
  } catch (const std::exception&) {
    return MPI_ERR_OTHER;
  }
  return MPI_SUCCESS;
}

int channel_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &made, nullptr),
               "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

int largest_tag() {
  void* found = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&found), &present),
             "MPI_Comm_get_attr");
  constexpr int least_of_all_mpis = 32767;
  return present != 0 ? *static_cast<const int*>(found) : least_of_all_mpis;
}

}  // namespace

DupComm::DupComm(MPI_Comm of) {
  const int largest = largest_tag();
  passing_ = {0, largest / 2};
  lasting_ = {largest / 2, largest};
  mpi::check(MPI_Comm_idup(of, &comm_, &made_), "MPI_Comm_idup");
}

DupComm::~DupComm() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && is_made()) MPI_Comm_free(&comm_);
}

std::shared_ptr<DupComm> DupComm::of(MPI_Comm comm) {
  void* found = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(comm, channel_key(), static_cast<void*>(&found), &present),
             "MPI_Comm_get_attr");
  if (present != 0) return *static_cast<const Kept*>(found);
  making().go_on();
  Kept made(new DupComm(comm));
  making().add(made);
  auto kept = std::make_unique<Kept>(made);
  mpi::check(MPI_Comm_set_attr(comm, channel_key(), kept.get()), "MPI_Comm_set_attr");
  static_cast<void>(kept.release());  // the communicator's now
  return made;
}

// Others may be waiting for messages of this rank before they come to where they make theirs.
MPI_Comm DupComm::communicator(bool block) {
  const auto look = [&] {
    if (is_made() || ask() || !block) return true;
    if (const std::shared_ptr<Session> session = current()) session->progress.advance_some();
    return false;
  };
  wait_until(look, yield_each_time);
  return is_made() ? comm_ : MPI_COMM_NULL;
}

// No thread waits here for one that asks: the MPI may call back from there.
bool DupComm::ask() {
  if (asking_.test_and_set(std::memory_order_acquire)) return false;
  struct Asked {
    std::atomic_flag& flag;
    ~Asked() { flag.clear(std::memory_order_release); }
  } const asked{asking_};
  if (is_made()) return true;
  if (failure_) std::rethrow_exception(failure_);
  int complete = 0;
  try {
    mpi::check(MPI_Test(&made_, &complete, MPI_STATUS_IGNORE), "MPI_Comm_idup");
  } catch (const MpiError&) {
    failure_ = std::current_exception();
    making().remove(*this);
    throw;
  }
  if (complete == 0) return false;
  // The caller's handler is told of what fails on the caller's communicator.
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  is_made_.store(true, std::memory_order_release);
  making().remove(*this);
  return true;
}

int DupComm::next(Range& range, int tags) noexcept {
  const std::lock_guard lock(mutex_);
  if (tags > range.end - range.next) range.next = range.first;
  const int first = range.next;
  range.next += tags;
  return first;
}

}  // namespace typewarp::transport
