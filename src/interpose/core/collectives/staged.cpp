// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/staged.hpp"

#include "interpose/core/buffers/refusal.hpp"
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

int hand_on(const StagedCall& call, const Form& form) noexcept {
  Call given = call.given();
  given.form = form;
  return given.hand_on(given);
}

void check(const StagedCall& call, int code) { mpi::check(code, name_of(call.given().number)); }

/// Over when the MPI's call is, and its copies are unpacked.
Request unpacked(MPI_Request made, const std::shared_ptr<StagedCall>& call) {
  return continued(made, call->given().comm, [call](const Status&, Moves& moves) { call->unpack(moves); });
}

void make_blocking(StagedCall& call) {
  std::vector<Request> messages = call.begin();
  check(call, hand_on(call, {}));
  Moves moves;
  call.unpack(moves);
  moves.reached(true);
  for (Request& message : messages) message.wait();
}

void make_nonblocking(const std::shared_ptr<StagedCall>& call, const Form& form) {
  std::vector<Request> messages = call->begin();
  MPI_Request made = MPI_REQUEST_NULL;
  check(*call, hand_on(*call, {&made}));
  messages.push_back(unpacked(made, call));
  *form.request = operations().add(call->given().comm, std::move(messages), call);
}

void make_persistent(const std::shared_ptr<StagedCall>& call, const Form& form) {
  const std::shared_ptr<MPI_Request> made(new MPI_Request(MPI_REQUEST_NULL), [](MPI_Request* held) {
    if (*held != MPI_REQUEST_NULL) PMPI_Request_free(held);
    delete held;
  });
  check(*call, hand_on(*call, {made.get(), true, form.info}));
  if (*made == MPI_REQUEST_NULL) return;  // it has failed, and the program's error handler has returned
  *form.request = operations().add_persistent(call->given().comm, [call, made] {
    std::vector<Request> messages = call->begin();
    mpi::check(PMPI_Start(made.get()), "MPI_Start");
    messages.push_back(unpacked(*made, call));
    return messages;
  });
}

}  // namespace

StagedCall::StagedCall(const Call& call, bool copy_sent, bool copy_received)
    : given_(call), fills_(copy_received && (call.fills() || may_hide_errors(call.comm))) {
  if (copy_sent) outgoing_ = copy_of(call, call.sent);
  if (copy_received) incoming_ = copy_of(call, call.received);
  if (outgoing_) given_.sent = outgoing_->given();
  if (incoming_) given_.received = incoming_->given();
}

std::unique_ptr<HostCopy> StagedCall::copy_of(const Call& call, const Blocks& side) {
  if (call.combines()) return std::make_unique<OperandCopy>(side);
  return std::make_unique<PackedBlocks>(side);
}

void StagedCall::add(std::unique_ptr<LongBlocks> blocks, std::shared_ptr<const void> arrays) noexcept {
  beside_ = std::move(blocks);
  arrays_ = std::move(arrays);
}

std::vector<Request> StagedCall::begin() {
  if (outgoing_) outgoing_->pack();
  if (incoming_ && fills_) incoming_->pack();
  return beside_ ? beside_->begin() : std::vector<Request>();
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
    const bool sent = call.sent.any_is_ours();
    const bool received = call.received.any_is_ours();
    is_ours = sent || received;
    if (!is_ours) return;
    const auto copies =  // others may wait for this rank in the MPI's call
        transport::insist([&] { return std::make_shared<StagedCall>(call, sent, received); });
    tell_taken(copies->bytes());
    make(copies, call.form);
  });
  if (code == MPI_SUCCESS && !is_ours) return std::nullopt;
  return code;
}

}  // namespace typewarp::interpose
