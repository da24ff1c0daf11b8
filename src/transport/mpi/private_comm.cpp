// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/private_comm.hpp"

#include "mpi/agree.hpp"
#include "transport/mpi/comm_state.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <exception>
#include <memory>
#include <random>

namespace typewarp::transport {
namespace {

int largest_tag(MPI_Comm comm) {
  constexpr int promised = 32767;  // MPI_TAG_UB is at least this
  void* value = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &present), "MPI_Comm_get_attr");
  return present != 0 ? *static_cast<const int*>(value) : promised;
}

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made), "MPI_Comm_dup_with_info");
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

// The lowest rank that may share memory with this one names the host.
int first_on_host(MPI_Comm comm) {
  int first = 0;
  MPI_Comm_rank(comm, &first);
  MPI_Comm host = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, first, MPI_INFO_NULL, &host),
             "MPI_Comm_split_type");
  const int code = MPI_Bcast(&first, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  mpi::check(code, "MPI_Bcast");
  return first;
}

/// Kept with a communicator, so that its ranks need not find it for each duplicate.
class FoundHost final : public CommState::Member {
 public:
  static constexpr CommSlot slot = CommSlot::host;

  explicit FoundHost(int host) noexcept : host_(host) {}
  int host() const noexcept { return host_; }

 private:
  int host_;
};

/// Null where that cannot be found out, too: all ranks come to what follows.
std::shared_ptr<FoundHost> found_before(MPI_Comm comm) noexcept {
  try {
    CommState::renew_if_unused();
    return CommState::find<FoundHost>(comm);
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// The host of this rank among those of `of`, of which `made` is a duplicate. Asks whether all ranks know it.
int host_in(MPI_Comm made, MPI_Comm of) {
  const std::shared_ptr<FoundHost> known = found_before(of);
  if (mpi::in_all(made, known != nullptr)) return known->host();
  const int host = first_on_host(made);
  try {
    CommState::keep(of, std::make_shared<FoundHost>(host));
  } catch (const std::exception&) {
    return host;  // and it is found again the next time
  }
  return host;
}

bool is_the_only(int host, MPI_Comm comm) {
  int last = host;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return last == 0;
}

Identity drawn() noexcept {
  try {
    std::random_device random;
    Identity identity;
    for (std::uint64_t& word : identity) word = (std::uint64_t{random()} << 32) | random();
    return identity;
  } catch (const std::exception&) {
    return {};
  }
}

// All ranks hear if rank 0 cannot draw one.
Identity shared_identity(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Identity identity = rank == 0 ? drawn() : Identity();
  mpi::check(MPI_Bcast(identity.data(), static_cast<int>(identity.size()), MPI_UINT64_T, 0, comm),
             "MPI_Bcast");
  if (identity == Identity()) throw Error("typewarp::Session: the system has no random numbers");
  return identity;
}

}  // namespace

DuplicateComm::DuplicateComm(MPI_Comm comm) : comm_(duplicate(comm)), host_(host_in(comm_, comm)) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

DuplicateComm::~DuplicateComm() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !abandoned_) MPI_Comm_free(&comm_);
}

PrivateComm::PrivateComm(MPI_Comm comm)
    : DuplicateComm(comm),
      tags(largest_tag(comm)),
      one_host_(is_the_only(host(), get())),
      identity_(shared_identity(get())) {}

}  // namespace typewarp::transport
