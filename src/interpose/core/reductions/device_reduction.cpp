// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/reductions/call_in_turn.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>
#include <typewarp/request.hpp>

#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace typewarp::interpose::device_reduction {
namespace {

using Result = ReductionCall::Result;
using transport::insist;  // other ranks may wait for this one from the start

/// Packed bytes of all numbers from which on a call takes less time than through the host. Between two H100
/// 128 KiB to 1 MiB take 73 to 80 us, where through the host 64 KiB take 47 and 256 KiB 137. Measured for
/// blocking calls only.
constexpr std::int64_t least = std::int64_t{128} << 10;

/// Where the numbers of this rank lie. Null where the MPI is to refuse the call.
const void* input(const void* sendbuf, const void* recvbuf) noexcept {
  if (recvbuf == MPI_IN_PLACE) return nullptr;
  if (sendbuf == MPI_IN_PLACE) return recvbuf;
  return sendbuf == recvbuf || recvbuf == nullptr ? nullptr : sendbuf;
}

/// Whether numbers of this rank are ours. Throws std::bad_alloc; where it fails otherwise the call is the
/// MPI's, on copies, which tells the program.
bool any_is_ours(const ReductionCall& call) {
  const auto is_ours = [&](const void* buffer) {
    return buffer != nullptr && items_are_ours(buffer, call.count(), call.numbers.type, call.comm);
  };
  try {
    return is_ours(call.from) || is_ours(call.to);
  } catch (const Error&) {
    return false;
  }
}

/// The same, where a rank that cannot find out makes the call with us, which tells the others.
bool any_may_be(const ReductionCall& call) noexcept {
  try {
    return insist([&] { return any_is_ours(call); });
  } catch (const std::exception&) {
    return true;
  }
}

/// Whether all ranks can make the call with this library, as they tell each other. `prepare()` throws where
/// this one cannot. Where a rank lacks memory for that all throw std::bad_alloc: the MPI would combine in
/// another order, and other bits might come out.
bool all_make(const Call& of, const ReductionCall& call, const ReduceScatterAllgather& steps, Asking asking,
              FunctionRef<void()> prepare) {
  using MoveAbility = LocalCapability::MoveAbility;
  const auto own = [&] {
    MoveAbility moves = MoveAbility::whole;
    bool is_ours = true;  // unless this rank finds out
    try {
      is_ours = any_is_ours(call);
      prepare();
    } catch (const std::bad_alloc&) {
      moves = MoveAbility::unable;
    } catch (...) {  // others must hear of any
      moves = MoveAbility::none;
    }
    const std::int64_t piece = steps.piece_bytes();
    return LocalCapability{.use = device_use(is_ours), .moves = moves, .longest = piece, .common = piece};
  };
  constexpr std::int64_t of_any_length = 1;
  const Path path = agree(of, of_any_length, own, asking).path;
  if (path == Path::refuse) throw std::bad_alloc();
  return path == Path::move;
}

std::unique_ptr<ReduceScatterAllgather> steps_of(const ReductionCall& call, const Participants& ranks) {
  return insist([&] { return std::make_unique<ReduceScatterAllgather>(call, ranks); });
}

/// Whether the ranks made it.
bool made(const Call& of, const ReductionCall& call, const Participants& ranks) {
  const std::unique_ptr<ReduceScatterAllgather> steps = steps_of(call, ranks);
  if (!all_make(of, call, *steps, Asking::in_turn, [&] { steps->prepare(); })) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  agree_on_end(call.comm, steps->make());
  return true;
}

/// Whether this rank has what the call needs of it: whatever memory, but not what the MPI must refuse.
bool can_take_part(const ReductionCall& call, const ReduceScatterAllgather& steps) noexcept {
  return call.from != nullptr && steps.piece_bytes() != 0;
}

/// On the Session's communicator, which stays: the channel knows who is meant.
ReductionCall on_private_comm(ReductionCall call) {
  call.comm = transport::current()->comm.get();
  return call;
}

class NonblockingReduction final : public CallInTurn {
 public:
  NonblockingReduction(const ReductionCall& call, const std::optional<DirectNumbers>& at_once,
                       const Participants& ranks, std::shared_ptr<TurnChannel> channel, Stream stream)
      : CallInTurn(call.comm, ranks, std::move(channel), at_once), call_(on_private_comm(call)) {
    follow_numbers(stream);
    take_turn();
  }

 private:
  enum class Phase : std::uint8_t { begins, gathers, combines, spreads, tells, over };

  bool go_on_by_messages() override {
    while (phase_ != Phase::over) {
      if (!has_ended()) return false;
      phase_ = following();
      failure().attempt([&] { begin(); });
    }
    return true;
  }
  std::uint64_t steps_by_messages() const noexcept override {
    return static_cast<std::uint64_t>(phase_) + static_cast<std::uint64_t>(offset_);
  }

  void follow_numbers(Stream stream) noexcept {
    std::optional<int> home;
    try {
      home = home_of(call_.from, call_.to == nullptr ? call_.from : call_.to);
    } catch (const std::exception&) {  // what lies anywhere may be a device's
      home.reset();
    }
    if (home != ReductionScratch::host) follow(stream, home);
  }

  bool has_ended() {
    if (phase_ == Phase::begins) return true;
    if (phase_ != Phase::combines) return messages().over(failure());
    bool is_done = true;
    failure().attempt([&] { is_done = !combined_ || combined_->done(); });
    return is_done;
  }

  Phase following() noexcept {
    combined_.reset();
    switch (phase_) {
      case Phase::begins:
        return Phase::gathers;
      case Phase::gathers:
        return Phase::combines;
      case Phase::combines:
        return Phase::spreads;
      case Phase::spreads:
        offset_ += steps_->piece();
        return offset_ < steps_->longest() ? Phase::gathers : Phase::tells;
      default:
        return Phase::over;
    }
  }

  void begin() {
    switch (phase_) {
      case Phase::gathers:
        if (!steps_) prepare();
        return messages().begin([&] { return steps_->gather(offset_); }, stream());
      case Phase::combines:
        return combine();
      case Phase::spreads:
        return messages().begin([&] { return steps_->spread(offset_); }, stream());
      case Phase::tells:
        return messages().tell(failure() ? ChannelMessages::all_bits : ChannelMessages::none, stream());
      default:
        steps_.reset();  // gives its memory back
    }
  }

  /// Without memory of the host nothing can be exchanged, so the channel is of no use from here on.
  void prepare() {
    try {
      transport::insist([&] { steps_.emplace(call_, messages().ranks()).prepare_anyhow(); });
      if (steps_->piece() == 0) throw Error("typewarp: the MPI has been finalized");
    } catch (...) {
      channel().messages()->spoil();
      phase_ = Phase::over;
      steps_.reset();
      throw;
    }
  }

  void combine() {
    if (messages().is_given_up()) return;
    // Made before what it is to follow.
    if (steps_->home() != ReductionScratch::host) combined_.emplace(steps_->home());
    steps_->combine(offset_, stream());
    if (combined_) combined_->record(stream());
  }

  ReductionCall call_;
  Phase phase_ = Phase::begins;
  std::int64_t offset_ = 0;  ///< of the step
  std::optional<ReduceScatterAllgather> steps_;
  std::optional<gpu::Event> combined_;
};

/// Begins a reduction that does not block, a call in turn. By messages it takes part whatever memory it has:
/// what the engine cannot combine where it lies is brought to memory of the host. Others wait for a rank that
/// can send nothing any more.
Request start_reduction(const ReductionCall& call, const std::optional<DirectNumbers>& at_once,
                        const Participants& ranks, const std::shared_ptr<TurnChannel>& channel,
                        Stream stream) {
  const auto made = transport::insist(
      [&] { return std::make_shared<NonblockingReduction>(call, at_once, ranks, channel, stream); });
  made->advance(false);
  return transport::Internal::request(made);
}

/// A call that gives a request.
bool started(const Call& of, const ReductionCall& call, const Participants& ranks) {
  if (mpi_takes_device_memory() || !everyone_of(call.comm)) return false;
  if (!can_take_part(call, *steps_of(call, ranks))) return false;
  const auto has_ours = [&] { return std::optional(any_may_be(call)); };
  if (!nonblocking_path_is_ours(call.comm, Reach::all_ranks, has_ours)) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  const auto channel = insist([&] { return TurnChannel::of(call.comm); });
  const std::optional<DirectNumbers> at_once = numbers_started_at_once(of);
  const auto start = [&] { return start_reduction(call, at_once, ranks, channel, stream_of(call.comm)); };
  // Others wait for a rank that has no request.
  *of.form.request = channel->messages()->or_spoil(
      [&] { return operations().add_started(call.comm, [&] { return one_begun(start); }); });
  return true;
}

/// To make a persistent request may wait for others, so the ranks ask.
bool made_persistent(const Call& of, const ReductionCall& call, const Participants& ranks) {
  const std::unique_ptr<ReduceScatterAllgather> steps = steps_of(call, ranks);
  const auto prepare = [&] {
    if (!can_take_part(call, *steps)) throw Error("typewarp: this is the MPI's to refuse");
  };
  if (!all_make(of, call, *steps, Asking::always, prepare)) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  const Stream stream = stream_of(call.comm);
  const auto channel = TurnChannel::apart(call.comm);
  const auto start = [=] {
    return one_begun([&] { return start_reduction(call, {}, ranks, channel, stream); });
  };
  *of.form.request = operations().add_persistent(call.comm, start);
  return true;
}

/// In place, only with what is received into.
const void* numbers_of_rank(const Call& call, const Participants& ranks) noexcept {
  const void* const sent = call.sent.buffer;
  if (call.pattern == CallPattern::reduce && !ranks.is_root) return sent == MPI_IN_PLACE ? nullptr : sent;
  // A rank that gets nothing may have no room for it.
  const bool gets_nothing = call.received.buffer == nullptr && call.received.count == 0;
  if (call.pattern == CallPattern::reduce_scatter && gets_nothing && sent != MPI_IN_PLACE) return sent;
  return input(sent, call.received.buffer);
}

std::vector<std::int64_t> shares_of(const Call& call, const Participants& ranks) {
  if (call.pattern != CallPattern::reduce_scatter) return even_shares(call.combining.count, ranks.all);
  std::vector<std::int64_t> shares{0};
  for (int rank = 0; rank < ranks.all; ++rank)
    shares.push_back(shares.back() + call.combining.count_of(static_cast<std::size_t>(rank)));
  return shares;
}

ReductionCall reduction_of(const Call& call, const Participants& ranks, const Numbers& numbers) {
  const bool has_result = call.pattern != CallPattern::reduce || ranks.is_root;
  return {call.comm,
          numbers,
          numbers_of_rank(call, ranks),
          has_result ? const_cast<void*>(call.received.buffer) : nullptr,
          shares_of(call, ranks),
          call.pattern == CallPattern::allreduce        ? Result::of_all
          : call.pattern == CallPattern::reduce_scatter ? Result::of_own
                                                        : Result::of_root,
          call.root};
}

/// Of all numbers that this rank gives; 0 where counts are not valid.
std::int64_t bytes_of(const Call& call, const Participants& ranks) noexcept {
  if (call.pattern != CallPattern::reduce_scatter) return packed_bytes(call.combining.count, call.sent.type);
  std::int64_t count = 0;
  for (int rank = 0; rank < ranks.all; ++rank) {
    const std::int64_t own = call.combining.count_of(static_cast<std::size_t>(rank));
    if (own < 0 || __builtin_add_overflow(count, own, &count)) return 0;
  }
  return packed_bytes(count, call.sent.type);
}

}  // namespace

std::optional<int> make(Call& call) noexcept {
  const bool is_scattered = call.pattern == CallPattern::reduce_scatter;
  if (!is_scattered && bytes_of(call, {}) < least) return std::nullopt;  // takes no more than this
  const Participants ranks = call.ranks();
  if (!ranks || (is_scattered && bytes_of(call, ranks) < least)) return std::nullopt;
  bool is_made = false;
  const int code = guarded(call.comm, [&] {
    const auto numbers = insist([&] { return numbers_of(call.sent.type, call.combining.op); });
    if (!numbers) return;
    const ReductionCall reduction = insist([&] { return reduction_of(call, ranks, *numbers); });
    is_made = call.form.blocks()        ? made(call, reduction, ranks)
              : call.form.is_persistent ? made_persistent(call, reduction, ranks)
                                        : started(call, reduction, ranks);
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

std::optional<int> make_local(Call& call) noexcept {
  if (!any_may_be_staged()) return std::nullopt;
  const void* const in = call.sent.buffer;
  void* const inout = const_cast<void*>(call.received.buffer);
  if (packed_bytes(call.combining.count, call.sent.type) == 0 || in == MPI_IN_PLACE ||
      input(in, inout) == nullptr)
    return std::nullopt;
  bool is_made = false;
  const int code = guarded(MPI_COMM_SELF, [&] {
    const std::optional<Numbers> numbers = numbers_of(call.sent.type, call.combining.op);
    const auto is_ours = [&](const void* buffer) {
      return items_are_ours(buffer, call.combining.count, call.sent.type, MPI_COMM_SELF);
    };
    if (!numbers || (!is_ours(in) && !is_ours(inout))) return;
    const std::optional<int> home = home_of(in, inout);
    if (!home) return;
    is_made = true;
    tell_taken(call.combining.count * numbers->extent);
    const Stream stream = stream_of(MPI_COMM_NULL);
    reduce_local(in, inout, call.combining.count, numbers->named, numbers->operation, stream);
    wait_for(*home, stream);
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

}  // namespace typewarp::interpose::device_reduction
