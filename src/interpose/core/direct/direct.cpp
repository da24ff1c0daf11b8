// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/direct/direct_calls.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/mpi/comm_state.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <exception>

namespace typewarp::interpose::direct {
namespace {

/// All of a communicator: moves and reductions.
class Direct final : public transport::CommState::Member {
 public:
  static constexpr transport::CommSlot slot = transport::CommSlot::direct;

  explicit Direct(MPI_Comm comm) noexcept : peers_(comm) {}
  /// That of `comm`, whose ranks all have the library. Throws MpiError, std::bad_alloc.
  static std::shared_ptr<Direct> of(MPI_Comm comm) {
    if (const auto kept = transport::CommState::find<Direct>(comm)) return kept;
    const auto made = std::make_shared<Direct>(comm);
    transport::CommState::keep(comm, made);
    return made;
  }

  DirectCalls& moves() noexcept { return moves_; }
  DirectReductions& reductions() noexcept { return reductions_; }
  DirectPeers& peers() noexcept { return peers_; }

 private:
  DirectPeers peers_;
  DirectCalls moves_{peers_};
  DirectReductions reductions_{DirectReductions::Calls::blocking};
};

/// What all ranks give, of which this one gives what `own()` finds, and whether it has device data. `bytes`:
/// all must give the same, or it is nothing. Throws InvalidArgument for device data of a captured stream,
/// which no call can move before it returns.
std::uint64_t given_by_all(CommAgreement& agreement, Stream stream, std::int64_t bytes,
                           FunctionRef<std::uint64_t(bool& has_device_data)> own) {
  using DeviceUse = LocalCapability::DeviceUse;
  LocalCapability capability{.common = bytes};
  bool has_device_data = false;
  bool is_captured = false;
  if (any_may_be_staged()) {
    try {
      const std::uint64_t given = own(has_device_data);
      is_captured = has_device_data && gpu::capturing(stream);
      capability.direct = is_captured ? 0 : given;
    } catch (const std::exception&) {  // others must hear of any: this rank gives nothing
    }
    capability.use = has_device_data ? DeviceUse::in_call : DeviceUse::elsewhere;
  }
  constexpr std::int64_t of_any_length = 0;
  const Agreed agreed = agreement.agree(capability, of_any_length);
  if (is_captured)
    throw InvalidArgument("typewarp", "stream", "being captured", "must not be in a call that waits");
  return agreed.alike ? agreed.direct : 0;
}

/// Packed bytes of a move whose blocks all ranks know.
struct MoveBytes {
  std::int64_t longest;
  std::int64_t common;  ///< tells the lengths of all blocks
};

/// Nothing of arguments that are the MPI's to refuse.
MoveBytes bytes_of(const Call& call) noexcept {
  const bool is_sent = call.pattern == CallPattern::bcast && call.sent.size != 0;
  const CallSide& side = is_sent ? call.sent : call.received;
  if (!side.is_given()) return {};
  if (side.is_regular()) {
    const std::int64_t bytes = packed_bytes(side.count, side.type);
    return {bytes, bytes};
  }
  std::int64_t longest = 0;
  std::uint64_t mixed = 0;
  for (std::size_t i = 0; i < side.size; ++i) {
    const std::int64_t bytes = packed_bytes(side.count_of(i), side.type);
    longest = std::max(longest, bytes);
    mixed = combined_hash(mixed, static_cast<std::uint64_t>(bytes));
  }
  return {longest, static_cast<std::int64_t>(mixed >> 1)};
}

/// What a rank gives that can make a move through the memory of reductions.
constexpr std::uint64_t can_use_memory = DirectCalls::may_be_prepared << 1;

/// Whether a call is one of those that go through it where their bytes have no gaps. Between two ranks a
/// broadcast is one part, which the other way stores at once.
bool may_use_memory(const Call& call) noexcept {
  if (call.among_neighbours || call.group->size > gpu::NumbersOfRanks::most_ranks) return false;
  if (call.pattern == CallPattern::bcast) return call.group->size > 2;
  return call.pattern == CallPattern::allgather ||
         (call.pattern == CallPattern::alltoall && call.sent.is_regular() && call.received.is_regular());
}

/// Whether it is so short that mapped buffers would gain nothing.
bool is_in_one_step(std::int64_t longest, const Group& group) noexcept {
  return longest <= gpu::PeerReduction::one_step_bytes(static_cast<int>(group.size));
}

/// Whether the call was made.
bool move(const Call& call, Direct& direct, CommAgreement& agreement) {
  DirectCalls& calls = direct.moves();
  DirectReductions& memory = direct.reductions();
  const bool fits_memory = may_use_memory(call);
  const bool asks_of_moves = calls.asks_next();
  const bool asks_of_memory = fits_memory && memory.asks_next_move(result_of(call.pattern), asks_of_moves);
  if (!asks_of_memory && !asks_of_moves) return false;
  const MoveBytes lengths = fits_memory ? bytes_of(call) : MoveBytes{};
  const bool is_short = fits_memory && is_in_one_step(lengths.longest, *call.group);
  // Once prepared, short blocks that each rank gets alone are stored where they belong in less time, but not
  // between two ranks, which take 17 us through memory and 20 by a schedule (decision 100).
  constexpr std::size_t pair = 2;
  const bool prefers_steps = is_short && call.pattern == CallPattern::alltoall && call.group->size > pair;
  const HeldSeat seat(&WaitingKernels::move);
  const Stream stream = stream_of(call.comm);
  std::optional<DirectKey> key;
  std::optional<DirectNumbers> bytes;
  const auto own = [&](bool& has_device_data) -> std::uint64_t {
    if (asks_of_memory) bytes = direct_numbers_of(call);
    has_device_data = bytes.has_value();
    const bool can_move = bytes && seat.is_held() && memory.can_move(*bytes);
    std::uint64_t ways = can_move && (is_short || is_worth_tiles(call, *bytes)) ? can_use_memory : 0;
    if (ways != 0 && !asks_of_moves) return ways;
    key.emplace(call);
    has_device_data = has_device_data || key->has_device_data();
    if (asks_of_moves && seat.is_held()) ways |= calls.bits_of(*key);
    return ways;
  };
  const std::uint64_t given = given_by_all(agreement, stream, lengths.common, own);
  const std::uint64_t given_of_moves = given & ~can_use_memory;
  const auto chosen = [&](const DirectNumbers* mapped) {
    return given_of_moves != 0 ? calls.choose(given_of_moves, call, *key, mapped) : nullptr;
  };
  PreparedCall* prepared = prefers_steps ? chosen(nullptr) : nullptr;
  const bool by_memory =
      prepared == nullptr && (given & can_use_memory) != 0 && memory.is_ready(*bytes, direct.peers());
  if (!prefers_steps && !(by_memory && is_short)) prepared = chosen(by_memory ? &*bytes : nullptr);
  exchange::DirectSchedule* const schedule = prepared != nullptr ? prepared->schedule.get() : nullptr;
  if (by_memory && schedule == nullptr) {
    if (prepared != nullptr) bytes->use(*prepared->buffers);
    memory.make(*bytes, direct.peers(), stream, agreement);
    calls.reward();
    tell_taken(bytes->bytes);
    return true;
  }
  if (schedule == nullptr) return false;
  tell_taken(schedule->bytes());
  calls.make(*schedule, stream, agreement);
  return true;
}

bool combine(const Call& call, Direct& direct, CommAgreement& agreement) {
  DirectReductions& reductions = direct.reductions();
  if (!reductions.asks_next()) return false;
  const Stream stream = stream_of(call.comm);
  std::optional<DirectNumbers> numbers;
  const std::uint64_t given = given_by_all(agreement, stream, 0, [&](bool& has_device_data) {
    numbers = direct_numbers_of(call);
    has_device_data = numbers.has_value();
    return numbers ? reductions.bits_of(*numbers) : 0;
  });
  if (!reductions.choose(given) || !reductions.is_ready(*numbers, direct.peers())) return false;
  reductions.make(*numbers, direct.peers(), stream, agreement);
  tell_taken(numbers->bytes);
  return true;
}

/// Whether others take part. The call has been joined, as its arguments were looked at.
bool has_peers(const Call& call) noexcept {
  return call.group && (call.among_neighbours || (!call.group->between_groups && call.group->size > 1));
}

/// Whether copies in host memory take less time than kernels that wait for each other.
bool is_short_broadcast(const Call& call) noexcept {
  constexpr std::int64_t longest = 4096;
  return call.pattern == CallPattern::bcast && bytes_of(call).longest <= longest;
}

bool make_among(const Call& call) {
  CommAgreement* const agreement = CommAgreement::of(call.comm);
  if (agreement == nullptr || !boards()) return false;
  const std::shared_ptr<Direct> direct =
      agreement->or_give_up([&] { return transport::insist([&] { return Direct::of(call.comm); }); });
  return call.combines() ? combine(call, *direct, *agreement) : move(call, *direct, *agreement);
}

}  // namespace

std::optional<int> make(Call& call) noexcept {
  if (call.comm == MPI_COMM_NULL || mpi_takes_device_memory()) return std::nullopt;
  if (!has_peers(call) || is_short_broadcast(call)) return std::nullopt;
  bool is_made = false;
  const int code = guarded(call.comm, [&] { is_made = make_among(call); });
  return is_made || code != MPI_SUCCESS ? std::optional(code) : std::nullopt;
}

}  // namespace typewarp::interpose::direct
