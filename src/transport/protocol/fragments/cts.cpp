// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/cts.hpp"

#include <algorithm>
#include <string>

namespace typewarp::transport {

void sender_failed(int sender) {
  throw Error("typewarp: the sender, rank " + std::to_string(sender) +
              " of the Session, failed in the middle of a message");
}

CtsReply::CtsReply(SessionState& session, const Rts& rts) : session_(session), rts_(rts) {
  if (rts.reply_tag != Rts::answered_by_channel) return;
  const auto answers = [&](const ProtocolRow* row) {
    return row->answer != nullptr && rts.offers.has(row->id);
  };
  const auto found = std::ranges::find_if(protocols(), answers);
  if (found == protocols().end()) {
    throw Error("typewarp: an announcement of rank " + std::to_string(rts.sender) +
                " of the Session cannot be answered");
  }
  channel_ = *found;
  channel_->answer(session, rts, nullptr);
}

void CtsReply::give(Cts::Code code, const ProtocolRow* by, std::int32_t detail, std::int64_t fragment_bytes) {
  cts_ = {code, by == nullptr ? 0 : by->id, detail, data_tag_.value(), fragment_bytes};
  if (channel_ != nullptr) {
    channel_->answer(session_, rts_, &cts_);
  } else {
    posted_ = start_send(reinterpret_cast<const std::byte*>(&cts_), sizeof(cts_),
                         session_.comm.peer(rts_.sender, rts_.reply_tag));
  }
  given_ = true;
}

void CtsListener::await() {
  posted_ = start_receive(reinterpret_cast<std::byte*>(&cts), sizeof(cts), answers());
}

bool CtsListener::arrived() {
  MPI_Status status{};
  const bool awaited = awaits();
  if (!posted_.test(&status)) return false;
  if (awaited && received_bytes(status) != std::int64_t{sizeof(cts)}) refuse("is of another length");
  return true;
}

void CtsListener::refuse(const char* rule) const {
  throw Error("typewarp: the answer of the receiver, rank " + std::to_string(receiver_) +
              " of the Session, " + rule);
}

void CtsListener::cancel() {
  posted_.cancel();
  posted_.finish(true);
}

}  // namespace typewarp::transport
