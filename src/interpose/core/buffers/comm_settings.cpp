// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/comm_settings.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/core.hpp"
#include "transport/mpi/comm_state.hpp"

#include <atomic>
#include <exception>
#include <memory>

namespace typewarp::interpose {
namespace {

/// Whether any communicator may have settings.
constinit std::atomic<bool> any_comm_settings{false};

struct CommSettings final : transport::CommState::Member {
  static constexpr transport::CommSlot slot = transport::CommSlot::settings;

  /// Null where nothing has been set, which is one load where no communicator has settings. Does not throw:
  /// an MPI that fails here has nothing.
  static std::shared_ptr<CommSettings> find(MPI_Comm comm) noexcept try {
    const bool may_have = any_comm_settings.load(std::memory_order_acquire) && comm != MPI_COMM_NULL;
    return may_have ? transport::CommState::find<CommSettings>(comm) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
  static std::shared_ptr<CommSettings> of(MPI_Comm comm) {
    if (auto found = find(comm)) return found;
    auto made = std::make_shared<CommSettings>();
    transport::CommState::keep(comm, made);
    any_comm_settings.store(true, std::memory_order_release);
    return made;
  }

  std::atomic<Hints> hints{};
  std::atomic<Stream> stream{};
  std::atomic<bool> has_stream = false;
};

}  // namespace

Hints hints_of(MPI_Comm comm) noexcept {
  const std::shared_ptr<CommSettings> settings = CommSettings::find(comm);
  return settings ? settings->hints.load() : Hints();
}

void set_hints(MPI_Comm comm, const Hints& hints) { CommSettings::of(comm)->hints = hints; }

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
