// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/cts.hpp"

#include <string>

namespace typewarp::transport {

void sender_failed(int sender) {
  throw Error("typewarp: the sender, rank " + std::to_string(sender) +
              " of the Session, failed in the middle of a message");
}

void CtsReply::give(Cts::Code verdict, std::int64_t fragment_bytes) {
  clearance_ = {verdict, data_tag_.value(), fragment_bytes};
  if (ring_) {
    rings_->answer(sender_, *ring_, clearance_);
  } else {
    posted_ = start_send(reinterpret_cast<const std::byte*>(&clearance_), sizeof(clearance_),
                         comm_.peer(sender_, reply_tag_));
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
