// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/direct_reductions.hpp"

#include "engine/device/gpu.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/job/job.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

using Result = gpu::NumbersOfRanks::Result;

/// Of each rank; false where counts are not valid.
bool put_shares(const Call& call, int ranks, gpu::NumbersOfRanks& numbers) noexcept {
  if (call.pattern != CallPattern::reduce_scatter) {
    numbers.share_evenly(call.combining.count, ranks);
  } else {
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t count = call.combining.count_of(static_cast<std::size_t>(rank));
      if (count < 0 || __builtin_add_overflow(numbers.shares[rank], count, &numbers.shares[rank + 1]))
        return false;
    }
  }
  return numbers.shares[ranks] > 0;
}

/// Of memory on a device; nothing of other memory.
std::optional<int> device_of(const void* address) {
  if (address == nullptr || !gpu::on_device(address)) return std::nullopt;
  look_for_device_users(address);
  const PointerInfo found = pointer_info(address);
  return found.kind == MemoryKind::device ? std::optional(found.device) : std::nullopt;
}

/// Of a broadcast.
std::optional<DirectNumbers> broadcast_bytes(const Call& call) {
  const Participants ranks(*call.group, call.root);
  const Data data = (ranks.is_root ? call.sent : call.received).data(0);
  if (ranks.all > gpu::NumbersOfRanks::most_ranks || data.is_moved_packed() || !is_dense(data.plan))
    return std::nullopt;
  const std::optional<int> device = device_of(data.address);
  if (!device || data.bytes() == 0) return std::nullopt;
  auto* const address = static_cast<std::byte*>(data.address);
  DirectNumbers own{
      {address, ranks.is_root ? nullptr : address, Named::byte, {}, Result::from_root, call.root},
      *device,
      data.bytes()};
  own.numbers.shares[ranks.all] = data.bytes();
  return own;
}

/// The blocks of a side, one behind the other without gaps. False where they lie otherwise.
class BlocksInARow {
 public:
  explicit BlocksInARow(const CallSide& side) {
    for (std::size_t i = 0; i < side.size; ++i) {
      const Data block = side.data(i);
      if (block.bytes() > 0) add(block);
      ends_.push_back(bytes_);
    }
  }
  bool are_so() const noexcept { return are_so_; }
  std::byte* address() const noexcept { return begin_; }
  std::int64_t end(std::size_t i) const noexcept { return ends_[i]; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void add(const Data& block) {
    auto* const address = static_cast<std::byte*>(block.address);
    if (begin_ == nullptr) begin_ = address;
    are_so_ = are_so_ && !block.is_moved_packed() && is_dense(block.plan) && address == begin_ + bytes_;
    bytes_ += block.bytes();
  }

  std::byte* begin_ = nullptr;
  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> ends_;
  bool are_so_ = true;
};

/// Of a call in which each rank gives each a block, or all the same one.
std::optional<DirectNumbers> moved_bytes(const Call& call) {
  const Participants ranks(*call.group);
  const bool gathers = call.pattern == CallPattern::allgather;
  const bool is_even = call.sent.is_regular() && call.received.is_regular();
  if (ranks.all > gpu::NumbersOfRanks::most_ranks || call.among_neighbours) return std::nullopt;
  if (!gathers && (call.in_place() || !is_even)) return std::nullopt;
  if (!call.received.is_given()) return std::nullopt;
  const BlocksInARow received(call.received);
  const std::optional<int> device = device_of(received.address());
  if (!received.are_so() || !device) return std::nullopt;
  DirectNumbers own{
      {nullptr, received.address(), Named::byte, {}, result_of(call.pattern)}, *device, received.bytes()};
  for (int rank = 0; rank < ranks.all; ++rank)
    own.numbers.shares[rank + 1] = received.end(static_cast<std::size_t>(rank));
  const std::int64_t first = own.numbers.shares[ranks.own], given = own.numbers.shares[ranks.own + 1] - first;
  if (call.in_place()) {
    own.numbers.in = received.address() + first;
    return own;
  }
  const BlocksInARow sent(call.sent);
  own.numbers.in = sent.address();
  if (!sent.are_so() || sent.bytes() != (gathers ? given : received.bytes())) return std::nullopt;
  return given == 0 || device_of(own.numbers.in) == device ? std::optional(own) : std::nullopt;
}

}  // namespace

Result result_of(CallPattern pattern) noexcept {
  switch (pattern) {
    case CallPattern::bcast:
      return Result::from_root;
    case CallPattern::allgather:
      return Result::gathered;
    case CallPattern::alltoall:
      return Result::exchanged;
    case CallPattern::allreduce:
      return Result::of_all;
    case CallPattern::reduce:
      return Result::of_root;
    case CallPattern::scan:
      return Result::up_to_own;
    case CallPattern::exscan:
      return Result::before_own;
    default:
      return Result::of_own;
  }
}

std::unique_ptr<exchange::PeerMemory> DirectNumbers::buffers_of(exchange::ExchangeGroup& group) const {
  const bool is_broadcast = numbers.result == Result::from_root;
  std::byte* const side = is_broadcast ? const_cast<std::byte*>(numbers.in) : numbers.out;
  return exchange::PeerMemory::of_given(group, device, side, bytes);
}

void DirectNumbers::use(const exchange::PeerMemory& buffers) noexcept {
  numbers.mapping = gpu::NumbersOfRanks::Mapping::known;
  std::ranges::copy(buffers.of_ranks(), numbers.buffers);
}

std::optional<DirectNumbers> direct_numbers_of(const Call& call) {
  if (call.pattern == CallPattern::bcast) return broadcast_bytes(call);
  if (call.pattern == CallPattern::allgather || call.pattern == CallPattern::alltoall)
    return moved_bytes(call);
  const auto ranks = static_cast<int>(call.group->size);
  const bool in_place = call.sent.in_place();
  if (ranks > gpu::NumbersOfRanks::most_ranks) return std::nullopt;
  if (call.pattern == CallPattern::reduce && (call.root < 0 || call.root >= ranks)) return std::nullopt;
  const bool has_result = call.pattern != CallPattern::reduce || call.group->rank == call.root;
  // Where a share takes the place of all numbers, others of these may not have been read yet.
  if (in_place && (call.pattern == CallPattern::reduce_scatter || !has_result)) return std::nullopt;
  const std::optional<Numbers> combined = numbers_of(call.sent.type, call.combining.op);
  if (!combined) return std::nullopt;
  const void* const in = in_place ? call.received.buffer : call.sent.buffer;
  void* const out = has_result ? const_cast<void*>(call.received.buffer) : nullptr;
  if ((!in_place && in == out) || out == MPI_IN_PLACE) return std::nullopt;
  DirectNumbers own{{static_cast<const std::byte*>(in), static_cast<std::byte*>(out), combined->named,
                     combined->operation, result_of(call.pattern), call.root},
                    -1,
                    0};
  if (!put_shares(call, ranks, own.numbers)) return std::nullopt;
  const auto own_share = static_cast<std::size_t>(call.group->rank);
  const bool gets_nothing = own.numbers.result == Result::of_own &&
                            own.numbers.shares[own_share] == own.numbers.shares[own_share + 1];
  if (gets_nothing) own.numbers.out = nullptr;
  const std::optional<int> device = device_of(in);
  if (!device || (own.numbers.out != nullptr && device_of(out) != device)) return std::nullopt;
  own.device = *device;
  own.bytes = own.numbers.shares[static_cast<std::size_t>(ranks)] * combined->extent;
  return own;
}

bool is_worth_tiles(const Call& call, const DirectNumbers& own) noexcept {
  return call.pattern == CallPattern::bcast ||
         own.numbers.are_in_packs(static_cast<int>(call.group->size), gpu::PeerReductionMemory::pack);
}

std::optional<DirectNumbers> numbers_started_at_once(const Call& call) noexcept {
  if (!boards()) return std::nullopt;
  try {
    return direct_numbers_of(call);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

DirectReductions::~DirectReductions() {
  if (memory_ && reduction_ && !reduction_->done()) abandon();
}

bool DirectReductions::may_wait_on(int device) {
  const bool has_others = program_has_threads();
  if (!has_others && calls_ == Calls::blocking) return true;
  if (!gpu::PeerReduction::leaves_room(device)) return false;
  // As it began: another way may combine in another order.
  if (seat_ && seat_->is_held()) return true;
  // Kernels of several processes run there beside each other, and nobody counts them.
  if (calls_ == Calls::nonblocking && gpu::sharing(device) == gpu::Sharing::mps) return false;
  seat_.emplace(has_others ? &WaitingKernels::reductions : &WaitingKernels::nonblocking);
  return seat_->is_held();
}

bool DirectReductions::is_able(const DirectNumbers& own) {
  if (reduction_ && reduction_->device() != own.device) return false;
  if (reduction_) load(own.numbers);
  return true;
}

std::uint64_t DirectReductions::bits_of(const DirectNumbers& own) {
  if (!is_able(own)) return 0;
  return fits | (may_wait_on(own.device) ? has_seat : 0);
}

bool DirectReductions::choose(std::uint64_t given_by_all) noexcept {
  const bool is_so = given_by_all == (fits | has_seat);
  if (given_by_all == fits) is_refused_ = true;
  if (!is_so && !has_reduced_) seat_.reset();
  has_reduced_ = has_reduced_ || is_so;
  return is_so;
}

bool DirectReductions::can_move(const DirectNumbers& own) {
  const bool is_first = !std::exchange(moves_.has_seen_one, true);
  return (!is_first || reduction_) && is_able(own) &&
         (!program_has_threads() || gpu::PeerReduction::leaves_room(own.device));
}

void DirectReductions::load(const gpu::NumbersOfRanks& numbers) {
  const Loaded wanted{numbers.type, numbers.combines() ? Result::of_all : numbers.result};
  if (std::ranges::find(loaded_, wanted) != loaded_.end()) return;
  loaded_.reserve(loaded_.size() + 1);
  reduction_->load(numbers);
  loaded_.push_back(wanted);
}

exchange::PeerMemory::Offer DirectReductions::offer(const DirectNumbers& own, int ranks) {
  memory_ = std::make_unique<exchange::PeerMemory>(own.device, gpu::PeerReduction::memory_bytes(ranks));
  return memory_->offer(own_host().number);
}

bool DirectReductions::map(const DirectNumbers& own, int rank,
                           std::span<const exchange::PeerMemory::Offer> all) {
  if (!memory_ || !memory_->map(rank, all).empty()) return false;
  reduction_ = std::make_unique<gpu::PeerReduction>(own.device, rank, memory_->of_ranks());
  load(own.numbers);
  return true;
}

void DirectReductions::refuse() noexcept {
  is_refused_ = true;
  reduction_.reset();
  memory_.reset();
  seat_.reset();
}

bool DirectReductions::prepare(const DirectNumbers& own, DirectPeers& peers) {
  try {
    exchange::ExchangeGroup& group = peers.group();
    memory_ = exchange::PeerMemory::of(group, own.device, gpu::PeerReduction::memory_bytes(group.size()));
    if (!memory_) return false;
    peers.together([&] {
      reduction_ = std::make_unique<gpu::PeerReduction>(own.device, group.rank(), memory_->of_ranks());
      load(own.numbers);
    });
    return true;
  } catch (const MpiError&) {
    throw;
  } catch (const std::exception&) {  // in all ranks
    reduction_.reset();
    return false;
  }
}

bool DirectReductions::done() {
  constexpr std::chrono::milliseconds between_looks{1};
  if (reduction_->done()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_device_ > between_looks) {
    looked_at_device_ = now;
    reduction_->check_device();
  }
  return false;
}

void DirectReductions::abandon() noexcept {
  is_refused_ = true;
  if (!reduction_) return;
  try {
    reduction_->close();
    // The program may use its memory again when it hears of the failure.
    constexpr std::chrono::milliseconds most{100};
    const auto begin = std::chrono::steady_clock::now();
    while (!reduction_->done() && std::chrono::steady_clock::now() - begin < most) std::this_thread::yield();
  } catch (const GpuError&) {  // nothing waits on a device that has failed
  }
  memory_->abandon();
}

bool DirectReductions::is_ready(const DirectNumbers& own, DirectPeers& peers) {
  if (reduction_ || prepare(own, peers)) return true;
  const bool combines = own.numbers.combines();
  (combines ? is_refused_ : moves_.are_refused) = true;
  if (combines) seat_.reset();
  return false;
}

void DirectReductions::make(const DirectNumbers& own, DirectPeers& peers, Stream stream,
                            CommAgreement& agreement) {
  const auto is_done = [&] { return reduction_->done(); };
  try {
    start(own, peers.stream_behind(stream, own.device));
    DirectPeers::wait(agreement, is_done, [&] { reduction_->check_device(); });
  } catch (...) {
    DirectPeers::give_up(agreement, is_done, [&] { reduction_->close(); });
    memory_->abandon();
    is_refused_ = moves_.are_refused = true;
    throw;
  }
  if (!own.numbers.combines()) moves_.patience_of(own.numbers.result).reward();
}

}  // namespace typewarp::interpose
