// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Partitioned communication. Of memory that is ours the MPI gets packed partitions in host memory: each is
// packed when the program says that it is ready, and unpacked when the program asks for it, at the latest
// with the whole.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "mpi/library.hpp"

#include <typewarp/mpi.hpp>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace typewarp::interpose {
namespace {

/// The partitions of a request, which all are alike.
class Partitions {
 public:
  /// `first`: that one. Throws GpuError, std::bad_alloc.
  Partitions(const Data& first, int partitions, MPI_Comm comm)
      : first_(first),
        comm_(comm),
        packed_(staging_for_moves(first.bytes() * partitions)),
        is_unpacked_(static_cast<std::size_t>(partitions), true) {}
  ~Partitions() {
    if (mpis != MPI_REQUEST_NULL) PMPI_Request_free(&mpis);
  }
  Partitions(const Partitions&) = delete;
  Partitions& operator=(const Partitions&) = delete;

  MPI_Request mpis = MPI_REQUEST_NULL;  ///< of the packed partitions

  MPI_Comm comm() const noexcept { return comm_; }
  std::byte* packed() const noexcept { return packed_.data(); }
  std::int64_t bytes() const noexcept { return first_.bytes(); }

  /// Of a partition that is none the MPI is to say so.
  void pack(int partition) {
    if (!has(partition)) return;
    Moves moves;
    moves.pack(data(partition), at(packed(), partition * bytes()));
    moves.reached(true);
  }
  /// Returns false, and does nothing, once the rest is on its way.
  bool unpack(int partition) {
    const std::lock_guard lock(mutex_);
    if (all_have_come_) return false;
    if (!has(partition) || is_unpacked_[static_cast<std::size_t>(partition)]) return true;
    Moves moves;
    enqueue(partition, moves);
    return moves.reached(true);
  }
  void begin() {
    const std::lock_guard lock(mutex_);
    is_unpacked_.assign(is_unpacked_.size(), false);
    all_have_come_ = false;
  }
  void unpack_rest(Moves& moves) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < is_unpacked_.size(); ++i) {
      if (!is_unpacked_[i]) enqueue(static_cast<int>(i), moves);
    }
    all_have_come_ = true;
  }
  /// Also of a request that is not active.
  bool all_have_come() const {
    const std::lock_guard lock(mutex_);
    return all_have_come_;
  }

 private:
  bool has(int partition) const noexcept {
    return partition >= 0 && static_cast<std::size_t>(partition) < is_unpacked_.size();
  }
  Data data(int partition) const {
    Data one = first_;
    one.address = at(first_.address, partition * first_.count * first_.plan.extent());
    return one;
  }
  void enqueue(int partition, Moves& moves) {
    is_unpacked_[static_cast<std::size_t>(partition)] = true;
    moves.unpack(at(packed(), partition * bytes()), bytes(), data(partition));
  }

  Data first_;
  MPI_Comm comm_;
  transport::Staging packed_;
  mutable std::mutex mutex_;
  std::vector<bool> is_unpacked_;
  bool all_have_come_ = true;
};

/// By the program's requests.
class Requests {
 public:
  void keep(MPI_Request request, const std::shared_ptr<Partitions>& partitions) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& known) { return known.second.expired(); });
    known_.insert_or_assign(request, partitions);
  }
  /// Null for one that is not ours.
  std::shared_ptr<Partitions> find(MPI_Request request) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(request);
    return found == known_.end() ? nullptr : found->second.lock();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<MPI_Request, std::weak_ptr<Partitions>> known_;
};

Requests& requests() {
  static Requests& instance = *new Requests;
  return instance;
}

// What is sent needs nothing after its end.
std::vector<Request> start(const std::shared_ptr<Partitions>& partitions, bool receives) {
  partitions->begin();
  mpi::check(PMPI_Start(&partitions->mpis), "MPI_Start");
  return one(continued(
      partitions->mpis, partitions->comm(),
      [partitions, receives](const Status&, Moves& moves) {
        if (receives) partitions->unpack_rest(moves);
      },
      Known::message));
}

/// Of both kinds of request, whose calls differ in the type of `buffer`.
template <class Buffer>
int init(int number, Buffer buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag,
         MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  const bool is_one = partitions > 0 && is_source({peer, tag, comm});
  // Open MPI 5.0.11 loses partitions where several threads call it, of which ours may be one.
  const bool may_be_ours = is_one && !mpi::is_open_mpi();
  const auto data = may_be_ours ? data_if_ours(buffer, count, datatype, comm) : std::nullopt;
  if (!data) {
    if (is_one && are_refused({{buffer, count}})) return refuse(number, comm);
    return hand_on(number, buffer, partitions, count, datatype, peer, tag, comm, info, request);
  }
  constexpr bool receives = std::is_same_v<Buffer, void*>;
  return guarded(comm, [&] {
    const auto made = std::make_shared<Partitions>(*data, partitions, comm);
    tell_taken(made->bytes() * partitions);
    const Buffer packed = made->packed();
    const MPI_Count bytes = made->bytes();
    mpi::check(hand_on(number, packed, partitions, bytes, MPI_BYTE, peer, tag, comm, info, &made->mpis),
               names[static_cast<std::size_t>(number)]);
    *request = operations().add_persistent(comm, [made] { return start(made, receives); });
    requests().keep(*request, made);
  });
}

int send_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int destination,
              int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  return init(call::Psend_init, buffer, partitions, count, datatype, destination, tag, comm, info, request);
}

int receive_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  return init(call::Precv_init, buffer, partitions, count, datatype, source, tag, comm, info, request);
}

/// Packs `each` partition, and then has the MPI called by `hand_on_with` its own request.
template <class Partition, class HandOn>
int ready(MPI_Request request, const Partition& each, HandOn hand_on_with) noexcept {
  if (!operations().any()) return hand_on_with(request);
  const std::shared_ptr<Partitions> partitions = requests().find(request);
  if (partitions == nullptr) return hand_on_with(request);
  return guarded(partitions->comm(), [&] {
    each([&](int partition) { partitions->pack(partition); });
    mpi::check(hand_on_with(partitions->mpis), "MPI_Pready");
  });
}

int ready_one(int partition, MPI_Request request) noexcept {
  return ready(
      request, [&](auto pack) { pack(partition); },
      [&](MPI_Request of) { return hand_on(call::Pready, partition, of); });
}

int ready_range(int low, int high, MPI_Request request) noexcept {
  const auto each = [&](auto pack) {
    for (int partition = low; partition <= high; ++partition) pack(partition);
  };
  return ready(request, each, [&](MPI_Request of) { return hand_on(call::Pready_range, low, high, of); });
}

int ready_list(int length, const int* partitions, MPI_Request request) noexcept {
  const auto each = [&](auto pack) {
    for (int i = 0; i < length; ++i) pack(partitions[i]);
  };
  return ready(request, each,
               [&](MPI_Request of) { return hand_on(call::Pready_list, length, partitions, of); });
}

int arrived(MPI_Request request, int partition, int* flag) noexcept {
  if (!operations().any()) return hand_on(call::Parrived, request, partition, flag);
  const std::shared_ptr<Partitions> partitions = requests().find(request);
  if (partitions == nullptr) return hand_on(call::Parrived, request, partition, flag);
  return guarded(partitions->comm(), [&] {
    if (!partitions->all_have_come()) {
      mpi::check(hand_on(call::Parrived, partitions->mpis, partition, flag), "MPI_Parrived");
      if (*flag == 0 || partitions->unpack(partition)) return;
    }
    operations().exhaust({&request, 1});
    mpi::check(PMPI_Request_get_status(request, flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  });
}

}  // namespace

void take_partitioned() noexcept {
  take(call::Psend_init, send_init);
  take(call::Precv_init, receive_init);
  take(call::Pready, ready_one);
  take(call::Pready_range, ready_range);
  take(call::Pready_list, ready_list);
  take(call::Parrived, arrived);
}

}  // namespace typewarp::interpose
