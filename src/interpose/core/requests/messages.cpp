// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/messages.hpp"

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"

#include <typewarp/mpi.hpp>

#include <climits>
#include <utility>

namespace typewarp::interpose {
namespace {

using Kind = transport::BufferPath::Kind;

transport::Staging staging_for(const Data& data) {
  if (data.is_moved_packed()) return staging_for_moves(data.bytes());
  const Kind kind = transport::route("typewarp", "buf", data.address, data.count, data.plan).kind;
  return transport::Staging(kind == Kind::device ? Kind::device : Kind::host, data.bytes());
}

/// Has `receive` begin with what no kernel reaches in one piece, too. `receive(address, count, plan)`.
template <class Receive>
Request begin_receive_by(const Data& data, MPI_Comm comm, Receive receive) {
  if (!data.is_moved_packed()) return receive(data.address, data.count, data.plan);
  const auto memory = std::make_shared<const transport::Staging>(staging_for_moves(data.bytes()));
  const auto begin = [&] { return receive(memory->data(), data.bytes(), bytes_plan()); };
  return continued(begin, comm, [memory, data](const Status& status, Moves& moves) {
    moves.unpack(memory->data(), status.bytes, data);
  });
}

}  // namespace

PackedCopy::PackedCopy(const Data& data) : bytes_(data.bytes()), memory_(staging_for(data)) {
  Moves moves;
  moves.pack(data, memory_.data());
  moves.reached(true);
}

Request begin_send(Begin begin, const Data& data, const End& to) {
  if (!data.is_moved_packed())
    return begin(data.address, data.count, data.plan, to.rank, to.tag, to.comm, data.stream);
  const auto copy = std::make_shared<const PackedCopy>(data);
  const auto begin_packed = [&] {
    return begin(copy->data(), copy->bytes(), bytes_plan(), to.rank, to.tag, to.comm, data.stream);
  };
  return continued(begin_packed, to.comm, [copy](const Status&, Moves&) {});
}

Request begin_receive(const Data& data, const End& from) {
  return begin_receive_by(data, from.comm, [&](void* address, std::int64_t count, const Plan& plan) {
    return irecv(address, count, plan, from.rank, from.tag, from.comm, data.stream);
  });
}

Request begin_receive(const Data& data, Message&& message, MPI_Comm comm) {
  return begin_receive_by(data, comm, [&](void* address, std::int64_t count, const Plan& plan) {
    return imrecv(address, count, plan, std::move(message), comm, data.stream);
  });
}

BothMessages::BothMessages(const Side& sent, const Side& received, Posting& posting)
    : BothMessages(sent, received) {
  decide(posting);
  posting.end();
}

std::optional<BothMessages> BothMessages::if_any_is_ours(const Side& sent, const Side& received,
                                                         Posting& posting) {
  BothMessages both(sent, received);
  both.decide(posting);
  const bool any_is_ours = both.incoming_ || both.outgoing_;
  if (!any_is_ours || !is_end_of_send(sent.end) || !is_end_of_receive(received.end)) return std::nullopt;
  posting.end();
  return both;
}

void BothMessages::decide(Posting& posting) {
  incoming_ = data_to_receive(received_.buffer, received_.count, received_.type, received_.end, posting);
  // Which has just looked whether a GPU is used.
  if (!idle()) outgoing_ = data_to_send(sent_.buffer, sent_.count, sent_.type, sent_.end);
}

Data BothMessages::data_of(const Side& side, const std::optional<Data>& ours) {
  if (side.end.rank == MPI_PROC_NULL) return data_needed(nullptr, 0, MPI_BYTE, side.end.comm);
  return ours ? *ours : data_needed(side.buffer, side.count, side.type, side.end.comm);
}

std::vector<Request> BothMessages::begin() const {
  const Data sent = data_of(sent_, outgoing_);
  tell_taken(sent.bytes());
  std::vector<Request> messages;
  messages.reserve(2);
  messages.push_back(begin_receive(data_of(received_, incoming_), received_.end));
  messages.push_back(begin_send(isend, sent, sent_.end));
  return messages;
}

void send_buffered(const PackedCopy& copy, int destination, int tag, MPI_Comm comm) {
#if MPI_VERSION >= 4
  mpi::check(PMPI_Bsend_c(copy.data(), copy.bytes(), MPI_PACKED, destination, tag, comm), "MPI_Bsend_c");
#else
  if (copy.bytes() > INT_MAX) {
    throw InvalidArgument("MPI_Bsend", "count", copy.bytes(), "bytes are more than this MPI can buffer");
  }
  mpi::check(PMPI_Bsend(copy.data(), static_cast<int>(copy.bytes()), MPI_PACKED, destination, tag, comm),
             "MPI_Bsend");
#endif
}

MatchedMessages& matched_messages() {
  static NeverDestroyed<MatchedMessages> instance;
  return instance.get();
}

void MatchedMessages::open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }

void MatchedMessages::close() noexcept { PMPI_Comm_free(&self_); }

MPI_Message MatchedMessages::add(MatchedMessage& message) {
  constexpr int self = 0;
  constexpr int tag = 0;
  const std::lock_guard lock(mutex_);
  Table made;
  made.try_emplace(MPI_MESSAGE_NULL);
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Message handle = MPI_MESSAGE_NULL;
  mpi::check(PMPI_Isend(nullptr, 0, MPI_BYTE, self, tag, self_, &sent), "MPI_Isend");
  mpi::check(PMPI_Mprobe(self, tag, self_, &handle, MPI_STATUS_IGNORE), "MPI_Mprobe");
  PMPI_Request_free(&sent);
  // From here on nothing can fail.
  Place place = made.extract(made.begin());
  place.mapped() = std::move(message);
  place.key() = handle;
  messages_.insert(std::move(place));
  return handle;
}

void MatchedMessages::note(MPI_Message handle, MPI_Comm comm) noexcept {
  if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC) return;
  try {
    const std::lock_guard lock(mutex_);
    comms_.insert_or_assign(handle, comm);
  } catch (const std::bad_alloc&) {
    return;  // its errors are told to fallback_comm() then
  }
}

MPI_Comm MatchedMessages::comm_of(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto ours = messages_.find(handle); ours != messages_.end()) return ours->second.comm;
  const auto theirs = comms_.find(handle);
  return theirs != comms_.end() ? theirs->second : fallback_comm();
}

MPI_Comm MatchedMessages::take_comm(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = comms_.find(handle);
  if (found == comms_.end()) return fallback_comm();
  const MPI_Comm comm = found->second;
  comms_.erase(found);
  return comm;
}

MatchedMessages::Place MatchedMessages::take(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = messages_.find(handle);
  return found != messages_.end() ? messages_.extract(found) : Place();
}

void MatchedMessages::put_back(Place place) noexcept {
  const std::lock_guard lock(mutex_);
  messages_.insert(std::move(place));
}

void MatchedMessages::end(MPI_Message& handle) noexcept {
  PMPI_Mrecv(nullptr, 0, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
}

}  // namespace typewarp::interpose
