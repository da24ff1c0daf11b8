// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/core.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>

namespace typewarp::transport {
namespace {

struct Current {
  std::atomic<bool> present{false};  // spares programs without a Transport the lock
  std::mutex mutex;
  std::shared_ptr<Core> core;
  std::atomic<Core*> sole{nullptr};
};

Current& the_current() {
  static Current& instance = *new Current;
  return instance;
}

/// What ranks tell each other of how they share memory, as bytes.
struct OfRank {
  int host;
  int shares;
  cuda::DeviceName device;
};
static_assert(std::has_unique_object_representations_v<OfRank>);

int largest_tag(MPI_Comm comm) {
  constexpr int promised = 32767;  // MPI_TAG_UB is at least this
  void* value = nullptr;
  int present = 0;
  mpi::check(MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &present), "MPI_Comm_get_attr");
  return present != 0 ? *static_cast<const int*>(value) : promised;
}

// Room for a message must be known where it is received, so all ranks keep to the lowest limit.
TransportOptions agreed(MPI_Comm comm, TransportOptions options) {
  std::int64_t longest =
      options.protocol == Protocol::eager ? std::numeric_limits<std::int64_t>::max() : options.eager_bytes;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce");
  options.eager_bytes = std::max(longest, descriptor_bytes);
  return options;
}

bool goes_direct(const TransportOptions& options) {
  return options.protocol == Protocol::automatic || options.protocol == Protocol::direct;
}

Identity shared_identity(MPI_Comm comm) {
  std::random_device random;
  Identity identity;
  for (std::uint64_t& word : identity) word = (std::uint64_t{random()} << 32) | random();
  mpi::check(MPI_Bcast(identity.data(), static_cast<int>(identity.size()), MPI_UINT64_T, 0, comm),
             "MPI_Bcast");
  return identity;
}

// Without the hints of `comm`: what a caller promises of his own messages need not hold for these.
MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made), "MPI_Comm_dup_with_info");
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

// The lowest rank of those that may share memory with this one: a name of the host.
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

bool only_one_thread_calls() {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  return granted != MPI_THREAD_MULTIPLE;
}

bool is_the_only(int host, MPI_Comm comm) {
  int last = host;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return last == 0;
}

}  // namespace

Core::Core(MPI_Comm comm, const TransportOptions& options, const Profile& profile, bool mixed)
    : host(first_on_host(comm)),
      outgoing(options.pool_bytes / 2, options.chunk_bytes),
      incoming(options.pool_bytes / 2, options.chunk_bytes),
      tags(largest_tag(comm)),
      layouts(direct_policy.kept_plans, direct_policy.kept_wire_bytes),
      policy(profile.direct),
      link_policy(profile.link),
      rings(comm, host, goes_direct(options)),
      ring_policy(profile.ring),
      ranks(comm),
      options_(agreed(comm, options)),
      identity_(shared_identity(comm)),
      comm_(duplicate(comm)),
      waits_for_ever_(options_.time_limit == TransportOptions::no_time_limit),
      mixed_(mixed),
      one_thread_(only_one_thread_calls()) {
  MPI_Comm_rank(comm_, &rank_);
  link_by(make_link(options_.protocol, is_the_only(host, comm_), comm_));
  share_by(cuda_sharing());
  if (rings.reach(rank_)) progress.drive_mpi(comm_);
}

void Core::link_by(std::unique_ptr<Link> link) {
  close_link();
  link_chunks_.clear();
  progress.drive(link.get());
  link_ = std::move(link);
}

void Core::close_link() noexcept {
  progress.drive(nullptr);
  link_.reset();
}

void Core::share_by(const Sharing& sharing) {
  const bool excluded = options_.protocol == Protocol::eager || options_.protocol == Protocol::pipelined ||
                        (link_ != nullptr && options_.protocol == link_->protocol());
  // Whether there is a device is not asked for a program that may have no use for one: asking starts CUDA.
  const bool shares = !excluded && (mixed_ || sharing.present());
  const OfRank own{host, shares ? 1 : 0, shares ? sharing.device() : cuda::DeviceName{}};
  int size = 0;
  MPI_Comm_size(comm_, &size);
  std::vector<OfRank> all(static_cast<std::size_t>(size));
  mpi::check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, comm_),
             "MPI_Allgather");
  sharing_ = &sharing;
  shares_host_memory_ = &sharing != &cuda_sharing();
  shared_chunks_.clear();
  shared_arenas_.clear();
  sharing_ranks_.clear();
  devices_.clear();
  heard_ = std::make_unique<std::atomic<Heard>[]>(all.size());
  for (const OfRank& one : all) {
    sharing_ranks_.push_back(shares && one.shares != 0 && one.host == host);
    devices_.push_back(one.device);
  }
}

std::optional<int> Core::receiver(const CommState& comm, int rank) const noexcept {
  if (!comm.is_member(rank)) return std::nullopt;
  const int receiver = comm.private_rank(rank);
  if (listening_ && listening_[receiver].load(std::memory_order_acquire) == 0) return std::nullopt;
  return receiver;
}

bool Core::seems_elsewhere(int rank, const cuda::SharedMemory& memory) const noexcept {
  const auto place = static_cast<std::size_t>(rank);
  const Heard heard = heard_[place].load(std::memory_order_relaxed);
  if (heard != Heard::nothing) return heard == Heard::elsewhere;
  const cuda::DeviceName& seen = devices_[place];
  return seen != cuda::DeviceName{} && seen != memory.device;
}

Core::~Core() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && frees_communicator_) MPI_Comm_free(&comm_);
}

std::size_t Core::shared_taken() {
  const std::lock_guard lock(chunks_mutex_);
  std::size_t taken = 0;
  for (const auto& [device, chunks] : shared_chunks_) taken += chunks ? chunks->chunks.taken() : 0;
  for (const auto& [device, shared] : shared_arenas_) taken += shared ? shared->arena.rooms() : 0;
  return taken;
}

SharedChunks* Core::shared_chunks(const Side& side) {
  const std::lock_guard lock(chunks_mutex_);
  const auto [place, is_new] = shared_chunks_.try_emplace(side.route.device);
  if (is_new) {
    const std::optional<ChunkMemory> memory = sharing_->allocate(side, policy.pool_bytes);
    if (memory) place->second = std::make_unique<SharedChunks>(*memory, policy);
  }
  return place->second.get();
}

SharedArena* Core::shared_arena(const Side& side) {
  const std::lock_guard lock(chunks_mutex_);
  const auto [place, is_new] = shared_arenas_.try_emplace(side.route.device);
  if (is_new) {
    const std::optional<ChunkMemory> memory = sharing_->allocate(side, policy.packed_pool_bytes);
    if (memory) place->second = std::make_unique<SharedArena>(*memory, policy.packed_pool_bytes);
  }
  return place->second.get();
}

std::optional<LinkWay> Core::link_way(const Side& side) {
  if (link_ == nullptr || !link_->carries(side)) return std::nullopt;
  if (link_->in_place(side)) return LinkWay{link_.get()};
  const std::lock_guard lock(chunks_mutex_);
  const auto [place, is_new] = link_chunks_.try_emplace(side.route.device);
  if (is_new) {
    std::optional<Link::Memory> memory = link_->allocate(side, link_policy.pool_bytes);
    if (memory) place->second = std::make_unique<LinkChunks>(*std::move(memory), link_policy);
  }
  if (place->second == nullptr) return std::nullopt;
  return LinkWay{link_.get(), place->second.get()};
}

std::byte* Core::make_scratch() {
  scratch_ = HostBuffer(longest_at_once());
  return scratch_.data();
}

std::int64_t Core::longest_at_once() const noexcept {
  constexpr std::int64_t most = std::int64_t{64} << 10;
  return std::min(longest_plain(), most);
}

bool Core::possible(Protocol protocol) const noexcept {
  switch (protocol) {
    case Protocol::automatic:
    case Protocol::eager:
    case Protocol::pipelined:
      return true;
    case Protocol::direct:
      return std::ranges::find(sharing_ranks_, true) != sharing_ranks_.end();
    case Protocol::gpu_aware:
    case Protocol::ucx:
      return link_ != nullptr && link_->protocol() == protocol;
  }
  return false;
}

bool Core::is_plain(std::int64_t bytes) const noexcept {
  if (bytes < descriptor_bytes) return true;
  if (bytes == descriptor_bytes || options_.protocol == Protocol::pipelined) return false;
  return bytes <= longest_plain();
}

std::shared_ptr<Core> current() {
  Current& global = the_current();
  if (!global.present.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(global.mutex);
  return global.core;
}

Core* sole() noexcept { return the_current().sole.load(std::memory_order_acquire); }

void refuse_second() {
  throw Error("typewarp::Transport: this process has one already, which must go first");
}

void set_current(std::shared_ptr<Core> core) {
  Current& global = the_current();
  const std::lock_guard lock(global.mutex);
  if (core != nullptr && global.core != nullptr) refuse_second();
  global.present.store(core != nullptr, std::memory_order_release);
  global.sole.store(core != nullptr && core->one_thread() ? core.get() : nullptr, std::memory_order_release);
  global.core.swap(core);
}

}  // namespace typewarp::transport
