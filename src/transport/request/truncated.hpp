// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/request.hpp>

#include <cstdint>

namespace typewarp::transport {

/// The error of a message for which a receive had not enough room, of class MPI_ERR_TRUNCATE.
class Truncated : public MpiError {
 public:
  /// `status`: of the whole message. The MPI has not found it out.
  Truncated(const Status& status, std::int64_t room);
  /// It has, and says so by `error`. What `status` has for length is the MPI's choice.
  Truncated(const MpiError& error, const Status& status, std::int64_t room)
      : MpiError(error), status_(status), room_(room) {}

  const Status& status() const noexcept { return status_; }
  std::int64_t room() const noexcept { return room_; }

 private:
  Status status_;
  std::int64_t room_;
};

}  // namespace typewarp::transport
