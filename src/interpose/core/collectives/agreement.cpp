// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/agreement.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/comm_agreement.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <array>

namespace typewarp::interpose {

std::int64_t open_agreement() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return 0;
  std::array<std::int64_t, 3> least{session->options.device_pool_bytes / 4, boards() != nullptr,
                                    mpi_takes_device_memory()};
  const auto numbers = static_cast<int>(least.size());
  const int code =
      PMPI_Allreduce(MPI_IN_PLACE, least.data(), numbers, MPI_INT64_T, MPI_MIN, session->comm.get());
  if (code != MPI_SUCCESS) least = {};
  const auto [partial_bytes, all_have_boards, all_take_device_memory] = least;
  if (all_have_boards == 0) drop_boards();
  if (all_take_device_memory == 0) JobMember<DeviceMemorySupport>::current()->deny_device_memory();
  return partial_bytes;
}

std::optional<Everyone> everyone_if_device(MPI_Comm comm, bool may_be_ours) {
  using DeviceUse = LocalCapability::DeviceUse;
  constexpr std::int64_t of_any_length = 0;
  CommAgreement* const kept = CommAgreement::of(comm);
  if (kept == nullptr) return std::nullopt;
  if (kept->asks_next() && !kept->some_use_device())
    kept->agree({.use = may_be_ours ? DeviceUse::elsewhere : DeviceUse::never}, of_any_length);
  return kept->some_use_device() ? everyone_of(comm) : std::nullopt;
}

LocalCapability::DeviceUse device_use(bool any_is_ours) noexcept {
  using DeviceUse = LocalCapability::DeviceUse;
  if (any_is_ours && !mpi_takes_device_memory()) return DeviceUse::in_call;
  return any_may_be_staged() ? DeviceUse::elsewhere : DeviceUse::never;
}

Agreed agree(const Call& call, std::int64_t least, FunctionRef<LocalCapability()> own, Asking asking) {
  PreferredPath* const preferred = call.form.preferred;
  if (preferred != nullptr) preferred->outcome.emplace();
  CommAgreement* const kept = CommAgreement::of(call.comm);
  if (kept == nullptr || (!kept->asks_next() && asking == Asking::in_turn)) return {};
  if (preferred == nullptr) return kept->agree(own(), least);
  LocalCapability told = preferred->prepare();
  const bool is_ready = told.nccl > 0;
  if (is_ready) {
    told.moves = LocalCapability::MoveAbility::not_told;
  } else {
    const std::int64_t nccl = told.nccl;
    told = own();
    told.nccl = nccl;
  }
  Agreed& agreed = *preferred->outcome = kept->agree(told, least);
  if (preferred->begin(agreed.nccl)) {
    agreed.path = Path::nccl;
  } else if (agreed.path == Path::ask_again) {
    agreed = kept->agree(is_ready ? own() : told, least);
  }
  return agreed;
}

bool agree_on_preferred(const Call& call) {
  constexpr std::int64_t of_any_length = 0;
  PreferredPath& preferred = *call.form.preferred;
  if (preferred.outcome) return preferred.outcome->path == Path::nccl;
  CommAgreement* const kept = CommAgreement::of(call.comm);
  return kept != nullptr && kept->asks_next() &&
         preferred.begin(kept->agree(preferred.prepare(), of_any_length).nccl);
}

void agree_on_end(MPI_Comm comm, const std::exception_ptr& failure) {
  CommAgreement* const kept = CommAgreement::of(comm);
  bool some_failed = false;
  try {
    some_failed = kept != nullptr && kept->most_of_all({failure ? 1 : 0})[0] != 0;
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
  if (some_failed) throw Error("typewarp: another rank failed in this call");
}

bool nonblocking_path_is_ours(MPI_Comm comm, Reach reach, FunctionRef<std::optional<bool>()> has_ours) {
  CommAgreement* const kept = CommAgreement::of(comm);
  if (kept == nullptr) return false;
  if (!boards()) return reach == Reach::one_rank || kept->ranks() <= most_by_messages;
  return kept->next_nonblocking_is_ours(has_ours);
}

}  // namespace typewarp::interpose
