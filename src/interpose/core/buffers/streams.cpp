// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/streams.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/core.hpp"

namespace typewarp::interpose {
void name_stream(MPI_Comm comm, Stream stream) {
  const std::shared_ptr<CommSettings> settings = CommSettings::of(comm);
  settings->stream = stream;
  settings->has_stream = true;
}

std::optional<Stream> stream_named(MPI_Comm comm) noexcept {
  const std::shared_ptr<CommSettings> settings = CommSettings::find(comm);
  return settings && settings->has_stream ? std::optional(settings->stream.load()) : std::nullopt;
}

Stream stream_of(MPI_Comm comm) noexcept {
  if (!gpu::in_use()) return nullptr;
  return stream_named(comm).value_or(Stream(attachment.given_stream()));
}

}  // namespace typewarp::interpose
