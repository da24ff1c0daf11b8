// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

/// Collective calls that the MPI makes on copies in host memory. A side of a call is Blocks, EvenBlocks or
/// Operand; other ranks need not know whether it is copied, since the copy has the same signature.
namespace typewarp::interpose {

/// The sides of a call, of which those that are ours are copied.
template <class Sent, class Received>
class Staged {
 public:
  /// `fills`: whether the call also reads what it receives into, or may leave some of it as it is, as any
  /// that fails does. Throws InvalidArgument, MpiError, GpuError, std::bad_alloc.
  Staged(const Sent& sent, bool copy_sent, const Received& received, bool copy_received, bool fills)
      : from(sent), to(received), fills_(fills || (copy_received && may_hide_errors(received.comm))) {
    if (copy_sent) from = outgoing_.emplace(sent).given();
    if (copy_received) to = incoming_.emplace(received).given();
  }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  /// Fills the copies, and starts what goes beside the MPI's call.
  std::vector<Request> begin() {
    fill();
    return {};
  }
  void fill() {
    if (outgoing_) outgoing_->pack();
    if (incoming_ && fills_) incoming_->pack();
  }
  void unpack(Moves& moves) {
    if (incoming_) incoming_->unpack(moves);
  }
  std::int64_t bytes() const noexcept {
    return std::max(outgoing_ ? outgoing_->bytes() : 0, incoming_ ? incoming_->bytes() : 0);
  }

  Sent from;  ///< what the MPI is given
  Received to;

 private:
  bool fills_;
  std::optional<typename Sent::Copy> outgoing_;
  std::optional<typename Received::Copy> incoming_;
};

// Each makes one call of a kind. `hand_on(from, to, ...)` makes the MPI's.

template <class Copies, class... Last>
using HandOn = FunctionRef<int(const decltype(Copies::from)&, const decltype(Copies::to)&, Last...)>;

/// That blocks.
template <class Copies>
void stage(int number, MPI_Comm, const std::shared_ptr<Copies>& copies, HandOn<Copies> hand_on) {
  std::vector<Request> messages = copies->begin();
  mpi::check(hand_on(copies->from, copies->to), names[static_cast<std::size_t>(number)]);
  Moves moves;
  copies->unpack(moves);
  moves.reached(true);
  for (Request& message : messages) message.wait();
}

/// Over when the MPI's call is, and its copies are unpacked.
template <class Copies>
Request unpacked(MPI_Request made, MPI_Comm comm, const std::shared_ptr<Copies>& copies) {
  return continued(made, comm, [copies](const Status&, Moves& moves) { copies->unpack(moves); });
}

/// That does not.
template <class Copies>
void stage(int number, MPI_Comm comm, const std::shared_ptr<Copies>& copies,
           HandOn<Copies, MPI_Request*> hand_on, MPI_Request* request) {
  std::vector<Request> messages = copies->begin();
  MPI_Request made = MPI_REQUEST_NULL;
  mpi::check(hand_on(copies->from, copies->to, &made), names[static_cast<std::size_t>(number)]);
  messages.push_back(unpacked(made, comm, copies));
  *request = operations().add(comm, std::move(messages), copies);
}

/// That makes a persistent request.
template <class Copies>
void stage(int number, MPI_Comm comm, const std::shared_ptr<Copies>& copies,
           HandOn<Copies, MPI_Info, MPI_Request*> hand_on, MPI_Info info, MPI_Request* request) {
  const std::shared_ptr<MPI_Request> made(new MPI_Request(MPI_REQUEST_NULL), [](MPI_Request* held) {
    if (*held != MPI_REQUEST_NULL) PMPI_Request_free(held);
    delete held;
  });
  mpi::check(hand_on(copies->from, copies->to, info, made.get()), names[static_cast<std::size_t>(number)]);
  if (*made == MPI_REQUEST_NULL) return;  // it has failed, and the program's error handler has returned
  *request = operations().add_persistent(comm, [copies, made, comm] {
    std::vector<Request> messages = copies->begin();
    mpi::check(PMPI_Start(made.get()), "MPI_Start");
    messages.push_back(unpacked(*made, comm, copies));
    return messages;
  });
}

/// The two sides of a call.
template <class Sent, class Received>
struct Sides {
  Sent sent;
  Received received;
  bool (*fills)(MPI_Comm);  ///< asked if what is received into is copied
};

inline bool always(MPI_Comm) noexcept { return true; }
inline bool never(MPI_Comm) noexcept { return false; }

/// Whether a buffer may be ours in a call that the MPI makes. Where the program uses no GPU it takes some 20
/// ns.
inline bool any_may_be_staged() noexcept { return any_may_be_ours(mpi_takes_device_memory()); }

/// A group for calls among nobody.
inline Group nobody(MPI_Comm) noexcept { return {}; }

/// The side of a call with one buffer that stands for it.
inline const EvenBlocks& used(const EvenBlocks& sent, const EvenBlocks& received,
                              const void* buffer) noexcept {
  return received.buffer == buffer ? sent : received;
}

template <class Count>
std::int64_t sum(const Count* counts, std::size_t size) noexcept {
  return counts == nullptr ? 0 : std::accumulate(counts, counts + size, std::int64_t{0});
}

/// As below, compiled once for the types of the sides and not once a call.
template <class Sent, class Received, class... Last>
int collective_of(int number, MPI_Comm comm, FunctionRef<Sides<Sent, Received>()> find_sides,
                  HandOn<Staged<Sent, Received>, Last...> hand_on, Last... last) noexcept {
  std::optional<Sides<Sent, Received>> sides;
  bool is_the_mpis = false;
  const int code = guarded(comm, [&] {
    sides.emplace(find_sides());
    const bool sent = sides->sent.any_is_ours();
    const bool received = sides->received.any_is_ours();
    is_the_mpis = !sent && !received;
    if (is_the_mpis) return;
    const auto copies = std::make_shared<Staged<Sent, Received>>(sides->sent, sent, sides->received, received,
                                                                 received && sides->fills(comm));
    tell_taken(copies->bytes());
    stage(number, comm, copies, hand_on, last...);
  });
  return is_the_mpis ? hand_on(sides->sent, sides->received, last...) : code;
}

/// One that the library does not improve: staged where a side is ours. `group_of(comm)` is who takes part,
/// and `sides_in(group)` what is significant then.
template <class SidesIn, class MpisCall, class... Last>
int collective(int number, MPI_Comm comm, Group (*group_of)(MPI_Comm), SidesIn sides_in, MpisCall mpis_call,
               Last... last) noexcept {
  const auto find_sides = [&] { return sides_in(group_of(comm)); };
  using Found = decltype(find_sides());
  const HandOn<Staged<decltype(Found::sent), decltype(Found::received)>, Last...> hand_on(mpis_call);
  return collective_of<decltype(Found::sent), decltype(Found::received)>(number, comm, find_sides, hand_on,
                                                                         last...);
}

}  // namespace typewarp::interpose
