// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/device_reduction.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/reduce_scatter_allgather.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/collectives/nonblocking_reduction.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/operations.hpp"

#include <typewarp/mpi.hpp>

#include <new>
#include <utility>

namespace typewarp::interpose::device_reduction {
namespace {

using Result = ReductionCall::Result;

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

/// `call_of(numbers, ranks)` is the call at this rank.
using CallOf = FunctionRef<ReductionCall(const Numbers&, const Ranks&)>;

// Where this fails the call is the MPI's, on copies, which tells the program.
bool any_is_ours(const ReductionCall& call) noexcept {
  const auto is_ours = [&](const void* buffer) {
    return buffer != nullptr && items_are_ours(buffer, call.count(), call.numbers.type, call.comm);
  };
  try {
    return is_ours(call.from) || is_ours(call.to);
  } catch (const std::exception&) {
    return false;
  }
}

/// Whether all ranks can make the call with this library, as they tell each other. `prepare()` throws where
/// this one cannot. Where a rank lacks memory for that all throw std::bad_alloc: the MPI would combine in
/// another order, and other bits might come out.
bool all_make(const ReductionCall& call, const ReduceScatterAllgather& steps, Asking asking,
              FunctionRef<void()> prepare) {
  using MoveAbility = LocalCapability::MoveAbility;
  const auto own = [&] {
    MoveAbility moves = MoveAbility::whole;
    try {
      prepare();
    } catch (const std::bad_alloc&) {
      moves = MoveAbility::lacks_memory;
    } catch (...) {  // others must hear of any
      moves = MoveAbility::none;
    }
    const std::int64_t piece = steps.piece_bytes();
    return LocalCapability{
        .use = device_use(any_is_ours(call)), .moves = moves, .longest = piece, .common = piece};
  };
  constexpr std::int64_t of_any_length = 1;
  const Path path = agree(call.comm, of_any_length, own, asking).path;
  if (path == Path::refuse) throw std::bad_alloc();
  return path != Path::forward;
}

/// Whether the ranks made it.
bool made(const ReductionCall& call, const Ranks& ranks) {
  ReduceScatterAllgather steps(call, ranks);
  if (!all_make(call, steps, Asking::in_turn, [&] { steps.prepare(); })) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  agree_on_end(call.comm, steps.make());
  return true;
}

/// Whether this rank has what the call needs of it: whatever memory, but not what the MPI must refuse.
bool can_take_part(const ReductionCall& call, const ReduceScatterAllgather& steps) noexcept {
  return call.from != nullptr && steps.piece_bytes() != 0;
}

/// A call that gives a request.
bool started(const ReductionCall& call, const Ranks& ranks, const Form& form) {
  if (mpi_takes_device_memory() || !everyone_of(call.comm)) return false;
  if (!can_take_part(call, ReduceScatterAllgather(call, ranks))) return false;
  const auto has_ours = [&] { return std::optional(any_is_ours(call)); };
  if (!nonblocking_path_is_ours(call.comm, Reach::all_ranks, has_ours)) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  Request reduction = start_reduction(call, ranks, ReductionChannel::of(call.comm), stream_of(call.comm));
  *form.request = operations().add(call.comm, one(std::move(reduction)));
  return true;
}

/// To make a persistent request may wait for others, so the ranks ask.
bool made_persistent(const ReductionCall& call, const Ranks& ranks, const Form& form) {
  const ReduceScatterAllgather steps(call, ranks);
  const auto prepare = [&] {
    if (!can_take_part(call, steps)) throw Error("typewarp: this is the MPI's to refuse");
  };
  if (!all_make(call, steps, Asking::always, prepare)) return false;
  get_ready();
  tell_taken(call.count() * call.numbers.extent);
  const Stream stream = stream_of(call.comm);
  *form.request = operations().add_persistent(
      call.comm, [call, ranks, channel = ReductionChannel::apart(call.comm), stream] {
        return one(start_reduction(call, ranks, channel, stream));
      });
  return true;
}

std::optional<int> make(MPI_Datatype type, MPI_Op op, MPI_Comm comm, int root, const Form& form,
                        CallOf call_of) noexcept {
  const Ranks ranks(comm, root);
  if (!ranks) return std::nullopt;
  bool is_made = false;
  const int code = guarded(comm, [&] {
    const std::optional<Numbers> numbers = numbers_of(type, op);
    if (!numbers) return;
    const ReductionCall call = call_of(*numbers, ranks);
    is_made = form.blocks()        ? made(call, ranks)
              : form.is_persistent ? made_persistent(call, ranks, form)
                                   : started(call, ranks, form);
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

}  // namespace

std::optional<int> Allreduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm, const Form& form) noexcept {
  if (packed_bytes(count, type) < least) return std::nullopt;
  return make(type, op, comm, 0, form, [&](const Numbers& numbers, const Ranks& ranks) {
    return ReductionCall{
        comm, numbers, input(sendbuf, recvbuf), recvbuf, even_shares(count, ranks.all), Result::of_all};
  });
}

std::optional<int> Reduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root, MPI_Comm comm, const Form& form) noexcept {
  if (packed_bytes(count, type) < least) return std::nullopt;
  return make(type, op, comm, root, form, [&](const Numbers& numbers, const Ranks& ranks) {
    const void* const leaf = sendbuf == MPI_IN_PLACE ? nullptr : sendbuf;
    return ReductionCall{comm,
                         numbers,
                         ranks.is_root ? input(sendbuf, recvbuf) : leaf,
                         ranks.is_root ? recvbuf : nullptr,
                         even_shares(count, ranks.all),
                         Result::of_root,
                         root};
  });
}

std::optional<int> Reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                        const Form& form) noexcept {
  return reduce_scatter(sendbuf, recvbuf, [=](int) { return count; }, type, op, comm, form);
}

std::optional<int> reduce_scatter(const void* sendbuf, void* recvbuf, FunctionRef<std::int64_t(int)> count_of,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Form& form) noexcept {
  const Ranks ranks(comm);
  std::int64_t count = 0;
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (count_of(rank) < 0 || __builtin_add_overflow(count, count_of(rank), &count)) return std::nullopt;
  }
  if (packed_bytes(count, type) < least) return std::nullopt;
  return make(type, op, comm, 0, form, [&](const Numbers& numbers, const Ranks& all) {
    std::vector<std::int64_t> shares{0};
    for (int rank = 0; rank < all.all; ++rank) shares.push_back(shares.back() + count_of(rank));
    // A rank that gets nothing may have no room for it.
    const bool gets_nothing = recvbuf == nullptr && count_of(all.own) == 0 && sendbuf != MPI_IN_PLACE;
    const void* const from = gets_nothing ? sendbuf : input(sendbuf, recvbuf);
    return ReductionCall{comm, numbers, from, recvbuf, std::move(shares), Result::of_own};
  });
}

std::optional<int> Reduce_local(const void* inbuf, void* inoutbuf, std::int64_t count, MPI_Datatype type,
                                MPI_Op op) noexcept {
  if (packed_bytes(count, type) == 0 || inbuf == MPI_IN_PLACE || input(inbuf, inoutbuf) == nullptr)
    return std::nullopt;
  bool is_made = false;
  const int code = guarded(MPI_COMM_SELF, [&] {
    const std::optional<Numbers> numbers = numbers_of(type, op);
    const auto is_ours = [&](const void* buffer) {
      return items_are_ours(buffer, count, type, MPI_COMM_SELF);
    };
    if (!numbers || (!is_ours(inbuf) && !is_ours(inoutbuf))) return;
    const std::optional<int> home = home_of(inbuf, inoutbuf);
    if (!home) return;
    is_made = true;
    tell_taken(count * numbers->extent);
    const Stream stream = stream_of(MPI_COMM_NULL);
    reduce_local(inbuf, inoutbuf, count, numbers->named, numbers->operation, stream);
    wait_for(*home, stream);
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

}  // namespace typewarp::interpose::device_reduction
