// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/truncated.hpp"

#include <array>
#include <string>

namespace typewarp::transport {
namespace {

std::string text(std::int64_t bytes, std::int64_t room) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(MPI_ERR_TRUNCATE, text.data(), &length);
  return std::string(text.data(), static_cast<std::size_t>(length)) + " (" + std::to_string(bytes) +
         " bytes came where there is room for " + std::to_string(room) + ")";
}

}  // namespace

Truncated::Truncated(const Status& status, std::int64_t room)
    : MpiError("MPI_Irecv", MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, text(status.bytes, room), false),
      status_(status),
      room_(room) {}

}  // namespace typewarp::transport
