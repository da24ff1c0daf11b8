// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/comm_state.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>

#include <atomic>
#include <exception>
#include <memory>

namespace typewarp::interpose {

/// Whether any communicator may have settings.
inline constinit std::atomic<bool> any_comm_settings{false};

/// What the infos of the program have set for a communicator. As MPI has it, a duplicate does not take it
/// over.
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
  /// Throws MpiError, std::bad_alloc.
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

}  // namespace typewarp::interpose
