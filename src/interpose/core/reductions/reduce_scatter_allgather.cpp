// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"

#include "engine/runtime/event.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "engine/runtime/memory.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/buffers/data.hpp"
#include "interpose/core/first_failure.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/job_member.hpp"
#include "mpi/named.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/error.hpp>

#include <array>
#include <utility>

namespace typewarp::interpose {

std::byte* ReductionScratchPool::take(int device) {
  const std::lock_guard lock(mutex_);
  OfDevice& kept = of_devices_[device];
  if (kept.is_taken) throw Error("typewarp: another call has the memory for partial results");
  if (!kept.memory) kept.memory = std::make_unique<gpu::DeviceAllocation>(device, most_bytes_);
  kept.is_taken = true;
  return kept.memory->data();
}

void ReductionScratchPool::give_back(int device) noexcept {
  const std::lock_guard lock(mutex_);
  of_devices_[device].is_taken = false;
}

namespace {

std::byte* taken_of(int device) {
  ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  if (pool == nullptr) throw Error("typewarp: the MPI has been finalized");
  return pool->take(device);
}

}  // namespace

std::int64_t ReductionScratch::most_bytes() noexcept {
  const ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  return pool != nullptr ? pool->most_bytes() : 0;
}

ReductionScratch::ReductionScratch(int device, std::int64_t bytes)
    : device_(device),
      of_host_(device == host ? transport::HostBuffer(bytes) : transport::HostBuffer()),
      data_(device == host ? of_host_.data() : taken_of(device)) {}

// A call that is left may end after the job.
ReductionScratch::~ReductionScratch() {
  ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  if (device_ != host && pool != nullptr) pool->give_back(device_);
}

namespace {

using transport::insist;

constexpr std::int64_t alignment = 64;  ///< numbers, of any type

/// Bytes of a piece up to which it takes less time to combine it on the host where processes take turns on
/// the device, since kernels wait for turns and copies do not: 256 KiB of four ranks on two H200 540 us
/// instead of 866, of eight ranks 1,045 instead of 1,734 (decision 105).
constexpr std::int64_t most_by_turns = std::int64_t{64} << 10;

bool pays_on_host(int home, std::int64_t bytes) noexcept {
  return home != ReductionScratch::host && bytes <= most_by_turns &&
         gpu::sharing(home) == gpu::Sharing::time_sliced;
}

std::optional<typewarp::Operation> operation_of(MPI_Op op) noexcept {
  using Ours = typewarp::Operation;
  const std::array<std::pair<MPI_Op, Ours>, 12> operations{{{MPI_SUM, Ours::sum},
                                                            {MPI_MIN, Ours::min},
                                                            {MPI_MAX, Ours::max},
                                                            {MPI_PROD, Ours::prod},
                                                            {MPI_LAND, Ours::land},
                                                            {MPI_BAND, Ours::band},
                                                            {MPI_LOR, Ours::lor},
                                                            {MPI_BOR, Ours::bor},
                                                            {MPI_LXOR, Ours::lxor},
                                                            {MPI_BXOR, Ours::bxor},
                                                            {MPI_MINLOC, Ours::minloc},
                                                            {MPI_MAXLOC, Ours::maxloc}}};
  for (const auto& [handle, ours] : operations) {
    if (op == handle) return ours;
  }
  return std::nullopt;
}

std::optional<int> home_of(const void* address) {
  if (gpu::on_device(address)) return pointer_info(address).device;
  return pointer_info(address).kind == MemoryKind::host ? std::optional(ReductionScratch::host)
                                                        : std::nullopt;
}

std::int64_t longest_share(const ReductionCall& call, int ranks) noexcept {
  std::int64_t longest = 0;
  for (int rank = 0; rank < ranks; ++rank) longest = std::max(longest, call.share(rank));
  return longest;
}

/// A rank that leaves a step out has others take messages of the next one for those of this: nobody has later
/// ones.
void exchange(MPI_Comm comm, FunctionRef<BlockMessages()> messages_of) {
  const auto channel = transport::CollectiveContext::of(comm);
  channel->or_spoil([&] { return insist([&] { return messages_of(); }); }).exchange();
}

}  // namespace

std::optional<Numbers> numbers_of(MPI_Datatype type, MPI_Op op) {
  const std::optional<typewarp::Operation> operation = operation_of(op);
  const std::optional<Named> named = operation ? mpi::named(type) : std::nullopt;
  if (!named || !reducible(*named, *operation)) return std::nullopt;
  return Numbers{type, *named, *operation, Datatype(*named).extent()};
}

std::int64_t aligned_part(std::int64_t count, std::int64_t parts) noexcept {
  return ((count + parts - 1) / parts + alignment - 1) / alignment * alignment;
}

std::optional<int> home_of(const void* in, const void* inout) {
  const std::optional<int> home = home_of(in);
  return home_of(inout) == home ? home : std::nullopt;
}

void wait_for(int home, Stream stream) {
  if (home != ReductionScratch::host) gpu::Event(home, stream).wait();
}

std::vector<std::int64_t> even_shares(std::int64_t count, int ranks) {
  const std::int64_t share = aligned_part(count, ranks);
  std::vector<std::int64_t> shares;
  for (int rank = 0; rank <= ranks; ++rank) shares.push_back(std::min(rank * share, count));
  return shares;
}

ReduceScatterAllgather::ReduceScatterAllgather(const ReductionCall& call, const Participants& ranks) noexcept
    : call_(call), ranks_(ranks), longest_(longest_share(call, ranks.all)) {
  // In some rank the own numbers may need a slot, too.
  const int slots = call.result == ReductionCall::Result::of_all ? ranks.all - 1 : ranks.all;
  const std::int64_t room =
      ReductionScratch::most_bytes() / slots / call.numbers.extent / alignment * alignment;
  const std::int64_t steps = room > 0 ? (longest_ + room - 1) / room : 0;
  piece_ = steps > 0 ? aligned_part(longest_, steps) : 0;
}

void ReduceScatterAllgather::prepare() {
  const std::optional<int> home = call_.from == nullptr ? std::nullopt
                                  : call_.to == nullptr ? home_of(call_.from, call_.from)
                                                        : home_of(call_.from, call_.to);
  if (!home || piece_ == 0) throw Error("typewarp: not for the engine to combine");
  take_memory(home);
}

void ReduceScatterAllgather::prepare_anyhow() {
  try {
    prepare();
  } catch (const Error&) {
    take_memory(std::nullopt);
  }
}

void ReduceScatterAllgather::take_memory(std::optional<int> home) {
  try {
    if (home && !pays_on_host(*home, piece_bytes())) return take_memory_at(*home);
  } catch (const Error&) {  // a device's is taken, or there is none left
  }
  is_apart_ = true;
  take_memory_at(ReductionScratch::host);
}

void ReduceScatterAllgather::take_memory_at(int home) {
  home_ = home;
  scratch_.emplace(home, (own_are_copied() ? ranks_.all : ranks_.all - 1) * piece_bytes());
}

std::exception_ptr ReduceScatterAllgather::make() noexcept {
  FirstFailure failure;
  const Stream stream = stream_of(call_.comm);
  for (std::int64_t offset = 0; offset < longest_; offset += piece_) {
    failure.attempt([&] { exchange(call_.comm, [&] { return gather(offset); }); });
    failure.attempt([&] {
      combine(offset, stream);
      wait_for(home_, stream);
    });
    failure.attempt([&] { exchange(call_.comm, [&] { return spread(offset); }); });
  }
  return failure.what();
}

std::byte* ReduceScatterAllgather::result(std::int64_t offset) const noexcept {
  if (!is_first()) return slot(0);
  if (own_are_copied()) return slot(ranks_.all - 1);
  return static_cast<std::byte*>(at(call_.to, place(ranks_.own, offset) * call_.numbers.extent));
}

const void* ReduceScatterAllgather::own_numbers(std::int64_t offset) const noexcept {
  if (own_are_copied()) return slot(ranks_.all - 1);
  return at(call_.from, place(ranks_.own, offset) * call_.numbers.extent);
}

BlockMessages ReduceScatterAllgather::gather(std::int64_t offset) {
  BlockMessages messages(call_.comm, ranks_.own);
  const std::int64_t own = length(ranks_.own, offset);
  int number = 0;
  for (int rank = 0; rank < ranks_.all; ++rank) {
    if (rank == ranks_.own) continue;
    messages.send(rank, side(call_.from), {length(rank, offset), place(rank, offset)});
    messages.receive(rank, side(slot(number++)), {own, 0});
  }
  if (own_are_copied()) {
    messages.send(ranks_.own, side(call_.from), {own, place(ranks_.own, offset)});
    messages.receive(ranks_.own, side(slot(number)), {own, 0});
  } else if (is_first() && call_.from != call_.to) {
    messages.send(ranks_.own, side(own_numbers(offset)), {own, 0});
    messages.receive(ranks_.own, side(result(offset)), {own, 0});
  }
  return messages;
}

void ReduceScatterAllgather::combine(std::int64_t offset, Stream stream) {
  const Numbers& of = call_.numbers;
  const std::int64_t count = length(ranks_.own, offset);
  if (count == 0) return;
  for (int rank = 1; rank < ranks_.all; ++rank) {
    const void* const next =
        rank == ranks_.own ? own_numbers(offset) : slot(rank < ranks_.own ? rank : rank - 1);
    reduce_local(next, result(offset), count, of.named, of.operation, stream);
  }
}

BlockMessages ReduceScatterAllgather::spread(std::int64_t offset) {
  BlockMessages messages(call_.comm, ranks_.own);
  const bool is_put_in_place = is_first() && !own_are_copied();
  const bool is_alone = call_.result == ReductionCall::Result::of_own;
  for (int rank = 0; rank < ranks_.all; ++rank) {
    if (rank == ranks_.own && is_put_in_place) continue;
    if (call_.goes(ranks_.own, rank))
      messages.send(rank, side(result(offset)), {length(ranks_.own, offset), 0});
    if (!call_.goes(rank, ranks_.own)) continue;
    messages.receive(rank, side(call_.to), {length(rank, offset), is_alone ? offset : place(rank, offset)});
  }
  return messages;
}

}  // namespace typewarp::interpose
