// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/staged.hpp"

#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::insist;  // others may wait for this rank in the MPI's call

/// What begins with the MPI's call, `start()`. It is over when that is, and its copies are unpacked.
template <class Start>
std::vector<Request> started(const std::shared_ptr<StagedCall>& call, const Start& start) {
  Request beside = call->begin();
  std::vector<Request> messages;
  insist([&] { messages.reserve(2); });
  if (beside.active()) messages.push_back(std::move(beside));
  const auto unpack = [call](const Status&, Moves& moves) { call->unpack(moves); };
  messages.push_back(insist([&] { return continued(start, call->given().comm, unpack); }));
  return messages;
}

void make_blocking(StagedCall& call) {
  Request beside = call.begin();
  call.hand_on({});
  Moves moves;
  call.unpack(moves);
  moves.reached(true);
  beside.wait();
}

void make_nonblocking(const std::shared_ptr<StagedCall>& call, const Form& form) {
  const auto start = [&] {
    MPI_Request made = MPI_REQUEST_NULL;
    call->hand_on({&made});
    return made;
  };
  *form.request = operations().add_started(call->given().comm, [&] { return started(call, start); }, call);
}

void make_persistent(const std::shared_ptr<StagedCall>& call, const Form& form) {
  struct Made {
    MPI_Request request = MPI_REQUEST_NULL;
    ~Made() {
      if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
    }
  };
  const std::shared_ptr<Made> made = insist([] { return std::make_shared<Made>(); });
  call->hand_on({&made->request, true, form.info});
  if (made->request == MPI_REQUEST_NULL)
    return;  // it has failed, and the program's error handler has returned
  const auto start = [made] {
    mpi::check(PMPI_Start(&made->request), "MPI_Start");
    return made->request;
  };
  *form.request = operations().add_persistent(call->given().comm, [=] { return started(call, start); });
}

}  // namespace

StagedCall::StagedCall(const Call& call, bool copy_sent, bool copy_received)
    : given_(call), fills_(copy_received && (call.fills() || may_hide_errors(call.comm))) {
  if (copy_sent) outgoing_ = copy_of(call, call.sent);
  if (copy_received) incoming_ = copy_of(call, call.received);
  if (outgoing_) given_.sent = outgoing_->given();
  if (incoming_) given_.received = incoming_->given();
}

std::unique_ptr<HostCopy> StagedCall::copy_of(const Call& call, const CallSide& side) {
  if (call.combines()) return std::make_unique<OperandCopy>(side);
  return std::make_unique<PackedBlocks>(side);
}

void StagedCall::add(std::unique_ptr<LongBlocks> blocks, std::shared_ptr<const void> arrays) noexcept {
  beside_ = std::move(blocks);
  arrays_ = std::move(arrays);
}

Request StagedCall::begin() {
  std::exception_ptr failure;
  try {
    insist([&] {
      if (outgoing_) outgoing_->pack();
      if (incoming_ && fills_) incoming_->pack();
    });
  } catch (...) {
    failure = std::current_exception();
  }
  has_begun_ = true;
  Request beside = beside_ ? beside_->begin(failure) : Request();
  if (failure) std::rethrow_exception(failure);
  return beside;
}

void StagedCall::hand_on(const Form& form) {
  given_.form = form;
  is_handed_on_ = true;
  mpi::check(given_.hand_on(given_), name_of(given_.number));
}

void StagedCall::unpack(Moves& moves) {
  if (incoming_) incoming_->unpack(moves);
}

std::int64_t StagedCall::bytes() const noexcept {
  return std::max(outgoing_ ? outgoing_->bytes() : 0, incoming_ ? incoming_->bytes() : 0);
}

void make(const std::shared_ptr<StagedCall>& call, const Form& form) {
  if (form.blocks()) return make_blocking(*call);
  form.is_persistent ? make_persistent(call, form) : make_nonblocking(call, form);
}

std::optional<int> stage(Call& call) noexcept {
  if (!any_may_be_staged()) return std::nullopt;
  bool is_ours = false;
  const int code = guarded(call.comm, [&] {
    call.join();
    const auto copies = insist([&]() -> std::shared_ptr<StagedCall> {
      const bool sent = call.sent.any_is_ours();
      const bool received = call.received.any_is_ours();
      is_ours = sent || received;
      return is_ours ? std::make_shared<StagedCall>(call, sent, received) : nullptr;
    });
    if (!is_ours) return;
    tell_taken(copies->bytes());
    make(copies, call.form);
  });
  if (code == MPI_SUCCESS && !is_ours) return std::nullopt;
  return code;
}

}  // namespace typewarp::interpose
