// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Partitioned communication. Of memory that is ours the MPI moves packed partitions in host memory: each is
// packed when the program says that it is ready, and all are unpacked when all have come.

#include "interpose/core/function_ref.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/staged.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/requests/partitions.hpp"
#include "mpi/library.hpp"

#include <typewarp/mpi.hpp>

#include <memory>
#include <type_traits>

namespace typewarp::interpose {
namespace {

using Shared = std::shared_ptr<Partitions>;

/// Of a request that is ours; else null.
Shared partitions_of(MPI_Request request) noexcept {
  return operations().any() ? operations().partitions_of(request) : nullptr;
}

// Open MPI 5.0.11 loses partitions, or ends in a crash, where two threads call it, and a job has one of ours.
bool mpi_moves_partitions() noexcept { return !mpi::is_open_mpi() || !job_is_open(); }

std::vector<Request> start_partitions(const Shared& partitions) {
  const auto start = [&] {
    mpi::check(PMPI_Start(&partitions->request()), "MPI_Start");
    return partitions->request();
  };
  const auto act = [partitions](const Status& status, Moves& moves) {
    if (partitions->receives()) partitions->unpack(moves, status.bytes);
  };
  return one_begun([&] { return continued(start, partitions->comm(), act, partitions->receives()); });
}

/// Of both kinds of request, whose calls differ in the type of `buffer`.
template <class Buffer>
int make_partitioned(int number, Buffer buffer, int partitions, MPI_Count count, MPI_Datatype datatype,
                     int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  const auto mpis_call = [&](Buffer given, MPI_Datatype type, MPI_Request* made) {
    return hand_on(number, given, partitions, count, type, peer, tag, comm, info, made);
  };
  std::int64_t items = 0;
  const bool has_items = partitions > 0 && count > 0 && peer != MPI_PROC_NULL &&
                         !__builtin_mul_overflow(std::int64_t{count}, partitions, &items);
  if (!has_items || !any_may_be_staged()) return mpis_call(buffer, datatype, request);
  constexpr bool receives = std::is_same_v<Buffer, void*>;
  const auto find = [&] {
    std::optional<Data> data = data_if_ours(buffer, items, datatype, comm);
    if (data && (is_nowhere(*data) || !mpi_moves_partitions())) data.reset();
    return data;
  };
  const auto act = [&](const Data& data) {
    const auto made = std::make_shared<Partitions>(data, partitions, comm, receives);
    tell_taken(made->bytes());
    mpi::check(mpis_call(made->packed(), made->type(), &made->request()), name_of(number));
    if (made->request() == MPI_REQUEST_NULL) return;  // failed, and the program's error handler has returned
    *request = operations().add_persistent(comm, [made] { return start_partitions(made); }, made);
  };
  return guarded_if(comm, find, act, [&] {
    if (are_refused({{buffer, items}})) return refuse(number, comm);
    return mpis_call(buffer, datatype, request);
  });
}

int psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int destination,
               int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  return make_partitioned(call::Psend_init, buffer, partitions, count, datatype, destination, tag, comm, info,
                          request);
}

int precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  return make_partitioned(call::Precv_init, buffer, partitions, count, datatype, source, tag, comm, info,
                          request);
}

/// The MPI's call, after what it names is packed if it is ours. Of a receive the MPI refuses it, and what has
/// come must stay as it is.
int ready_partitions(MPI_Request request, FunctionRef<void(Partitions&)> pack,
                     FunctionRef<int(MPI_Request)> mpis_call) noexcept {
  const Shared partitions = partitions_of(request);
  if (partitions == nullptr) return mpis_call(request);
  if (partitions->receives()) return mpis_call(partitions->request());
  const int code = guarded(partitions->comm(), [&] { pack(*partitions); });
  return code == MPI_SUCCESS ? mpis_call(partitions->request()) : code;
}

int ready_one(int partition, MPI_Request request) noexcept {
  const auto pack = [&](Partitions& of) { of.pack(partition, partition); };
  const auto mpis_call = [&](MPI_Request of) { return hand_on(call::Pready, partition, of); };
  return ready_partitions(request, pack, mpis_call);
}

int ready_range(int low, int high, MPI_Request request) noexcept {
  const auto pack = [&](Partitions& of) { of.pack(low, high); };
  const auto mpis_call = [&](MPI_Request of) { return hand_on(call::Pready_range, low, high, of); };
  return ready_partitions(request, pack, mpis_call);
}

int ready_list(int length, const int* partitions, MPI_Request request) noexcept {
  const auto pack = [&](Partitions& of) {
    if (length > 0 && partitions != nullptr) of.pack({partitions, static_cast<std::size_t>(length)});
  };
  const auto mpis_call = [&](MPI_Request of) { return hand_on(call::Pready_list, length, partitions, of); };
  return ready_partitions(request, pack, mpis_call);
}

// When all have come, as in MPICH. Of some of them Open MPI 5.0.11 says so too early where sender and
// receiver have different numbers of partitions.
int arrived(MPI_Request request, int partition, int* flag) noexcept {
  const Shared partitions = partitions_of(request);
  if (partitions == nullptr) return hand_on(call::Parrived, request, partition, flag);
  if (!partitions->receives() || !partitions->has(partition))  // the MPI's to refuse
    return hand_on(call::Parrived, partitions->request(), partition, flag);
  return guarded(partitions->comm(), [&] {
    operations().progress().exhaust({&request, 1});
    preset(flag, 0);
    mpi::check(PMPI_Request_get_status(request, flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  });
}

}  // namespace

void take_partitioned() noexcept {
  take<call::Psend_init, psend_init>();
  take<call::Precv_init, precv_init>();
  take<call::Pready, ready_one>();
  take<call::Pready_range, ready_range>();
  take<call::Pready_list, ready_list>();
  take<call::Parrived, arrived>();
}

}  // namespace typewarp::interpose
