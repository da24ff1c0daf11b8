// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// How all ranks of a communicator start NCCL, or none does. ncclCommInitRank returns only when all ranks have
// called it, and one in which it fails before may be waited for for ever: so each calls it in a thread, and
// those that it fails for tell the others by messages of the MPI.

#include "interpose/core/nccl/nccl_communicator.hpp"

#include "engine/device/gpu.hpp"
#include "base/environment.hpp"
#include "mpi/agree.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp::interpose::nccl {
namespace {

void say(const std::string& why) noexcept {
  static std::atomic_flag said;
  if (environment::is_set("TYPEWARP_VERBOSE") && !said.test_and_set())
    std::fprintf(stderr, "typewarp: no NCCL: %s\n", why.c_str());
}

/// What a rank tells the others.
struct Introduction {
  gpu::DeviceName device;
  int version;  ///< of NCCL; 0: there is none, or something else is missing
};

/// What this rank has before it tells them.
struct OwnPreparation {
  Introduction introduction{};
  std::unique_ptr<gpu::OwnStream> stream;
  std::string why_not;
};

OwnPreparation prepare(int device) {
  OwnPreparation made;
  const Library* const found = library();
  if (found == nullptr) {
    made.why_not = why_no_library();
    return made;
  }
  try {
    made.introduction.device = gpu::device_name(device);
    made.stream = std::make_unique<gpu::OwnStream>(device);
    made.introduction.version = found->version;
  } catch (const std::exception& error) {
    made.why_not = error.what();
  }
  return made;
}

using mpi::RankInComm;

/// What each rank will tell: others wait for this one.
template <class Told>
std::vector<Told> for_each_rank(const RankInComm& place) {
  return transport::insist([&] { return std::vector<Told>(static_cast<std::size_t>(place.ranks)); });
}

/// Why these ranks have no communicator of NCCL's; empty: they may. The same in all.
std::string what_hinders(const std::vector<Introduction>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    if (all[rank].version == 0) return name + " has none, or no device";
    if (all[rank].version != all.front().version) return name + " has another version than rank 0";
    const auto same = [&](const Introduction& other) { return other.device == all[rank].device; };
    if (std::ranges::find_if(all, same) - all.begin() != static_cast<std::ptrdiff_t>(rank))
      return name + " shares its GPU with another rank";
  }
  return {};
}

std::string what_hinders(MPI_Comm comm, const RankInComm& place, const OwnPreparation& own) {
  auto all = for_each_rank<Introduction>(place);
  constexpr int bytes = sizeof(Introduction);
  mpi::check(PMPI_Allgather(&own.introduction, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm),
             "MPI_Allgather");
  return transport::insist([&] { return own.why_not.empty() ? what_hinders(all) : own.why_not; });
}

/// ncclCommInitRank in a thread.
class Initialising {
 public:
  /// Throws std::system_error, std::bad_alloc.
  Initialising(const Api& api, const Id& id, const RankInComm& place, int device)
      : device_(device), shared_(std::make_shared<Shared>(api)) {
    std::thread([shared = shared_, id, place, device] {
      try {
        gpu::make_current(device);
        shared->result = shared->api.ncclCommInitRank(&shared->handle, place.ranks, id, place.rank);
      } catch (const std::exception&) {
        shared->result = Result{1};  // ncclUnhandled...Error
      }
      if (shared->state.exchange(State::over) == State::abandoned && shared->result == Result::success)
        shared->api.ncclCommAbort(shared->handle);
    }).detach();
  }

  Initialising& operator=(Initialising&&) = delete;
  /// Leaves what was not taken to the thread, which may wait for ever.
  ~Initialising() {
    if (is_taken_ || shared_->state.exchange(State::abandoned) != State::over) return;
    if (shared_->result != Result::success) return;
    try {
      const gpu::DeviceGuard guard(device_);
      shared_->api.ncclCommAbort(shared_->handle);
    } catch (const GpuError&) {
      return;  // the driver is gone, and all with it
    }
  }

  bool is_over() const noexcept { return shared_->state.load() == State::over; }
  /// Precondition: is_over().
  Result result() const noexcept { return shared_->result; }
  /// The caller's from now on. Precondition: result() is success.
  Handle take() noexcept {
    is_taken_ = true;
    return shared_->handle;
  }

 private:
  enum class State { under_way, over, abandoned };
  struct Shared {
    explicit Shared(const Api& of) : api(of) {}
    const Api& api;
    Handle handle = nullptr;
    Result result{};
    std::atomic<State> state = State::under_way;
  };
  int device_;
  std::shared_ptr<Shared> shared_;
  bool is_taken_ = false;
};

enum class Verdict : unsigned char { started, failed, told };

/// Where ranks tell each other that NCCL failed. Not a duplicate, which would call back the program.
class Meeting {
 public:
  Meeting(MPI_Comm of, const RankInComm& place) : place_(place) {
    mpi::check(PMPI_Comm_split(of, 0, place.rank, &comm_), "MPI_Comm_split");
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  Meeting& operator=(Meeting&&) = delete;
  ~Meeting() { PMPI_Comm_free(&comm_); }

  bool is_told() const {
    int there = 0;
    mpi::check(PMPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return there != 0;
  }
  /// Whether all have started.
  bool conclude(Verdict own) const {
    for (int rank = 0; own == Verdict::failed && rank < place_.ranks; ++rank) {
      if (rank != place_.rank) mpi::check(PMPI_Send(nullptr, 0, MPI_BYTE, rank, tag, comm_), "MPI_Send");
    }
    auto all = for_each_rank<Verdict>(place_);
    mpi::check(PMPI_Allgather(&own, 1, MPI_BYTE, all.data(), 1, MPI_BYTE, comm_), "MPI_Allgather");
    for (int rank = 0; rank < place_.ranks; ++rank) {
      if (rank == place_.rank || all[static_cast<std::size_t>(rank)] != Verdict::failed) continue;
      mpi::check(PMPI_Recv(nullptr, 0, MPI_BYTE, rank, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    }
    return std::ranges::all_of(all, [](Verdict each) { return each == Verdict::started; });
  }

 private:
  static constexpr int tag = 0;
  RankInComm place_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// That which rank 0 makes, and whether it could: the same in all.
std::pair<Id, Result> shared_id(const Api& api, MPI_Comm comm, const RankInComm& place) {
  std::pair<Id, Result> made{};
  if (place.rank == 0) made.second = api.ncclGetUniqueId(&made.first);
  mpi::check(PMPI_Bcast(&made, sizeof(made), MPI_BYTE, 0, comm), "MPI_Bcast");
  return made;
}

/// When the thread is over, another rank has failed, or the limit has passed.
Verdict await(const Initialising& initialising, const Meeting& meeting, std::chrono::milliseconds limit) {
  constexpr std::chrono::microseconds pause{200};  // of what takes a tenth of a second
  const auto begin = std::chrono::steady_clock::now();
  while (!initialising.is_over()) {
    if (meeting.is_told()) return Verdict::told;
    if (limit.count() != 0 && std::chrono::steady_clock::now() - begin > limit) return Verdict::failed;
    std::this_thread::sleep_for(pause);
  }
  return initialising.result() == Result::success ? Verdict::started : Verdict::failed;
}

std::string what_failed(const Api& api, Verdict own, const Initialising* initialising) {
  if (own != Verdict::failed) return "it failed in another rank";
  if (initialising == nullptr) return "no thread can be had";
  if (!initialising->is_over()) return "ncclCommInitRank took longer than TYPEWARP_TIME_LIMIT_MS allows";
  const char* const more = api.ncclGetLastError(nullptr);
  return std::string("ncclCommInitRank: ") + api.ncclGetErrorString(initialising->result()) +
         (more != nullptr && *more != '\0' ? std::string(": ") + more : std::string());
}

}  // namespace

std::unique_ptr<Communicator> start(MPI_Comm comm, int device, std::chrono::milliseconds limit) {
  const RankInComm place = mpi::rank_in(comm);
  OwnPreparation own = transport::insist([&] { return prepare(device); });
  if (const std::string why = what_hinders(comm, place, own); !why.empty()) {
    say(why);
    return nullptr;
  }
  const Library& found = *library();
  const auto [id, made] = shared_id(found.api, comm, place);
  if (made != Result::success) {
    transport::insist([] { say("rank 0 got no identifier"); });
    return nullptr;
  }
  const Meeting meeting(comm, place);
  std::unique_ptr<Initialising> initialising;
  try {
    initialising = std::make_unique<Initialising>(found.api, id, place, device);
  } catch (const std::exception&) {
    initialising.reset();
  }
  const Verdict verdict = initialising ? await(*initialising, meeting, limit) : Verdict::failed;
  if (!meeting.conclude(verdict)) {
    transport::insist([&] { say(what_failed(found.api, verdict, initialising.get())); });
    return nullptr;
  }
  if (environment::is_set("TYPEWARP_VERBOSE") && place.rank == 0)
    std::fprintf(stderr, "typewarp: NCCL %d between %d ranks\n", found.version, place.ranks);
  return std::make_unique<Communicator>(found, initialising->take(), device, std::move(own.stream));
}

}  // namespace typewarp::interpose::nccl
