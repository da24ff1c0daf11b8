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

/// What the infos of the program have set for a communicator. As MPI has it, a duplicate does not take it
/// over.
struct CommSettings final : transport::CommState::Member {
  static constexpr transport::CommSlot slot = transport::CommSlot::settings;

  /// Null where nothing has been set. Does not throw: an MPI that fails here has nothing.
  static std::shared_ptr<CommSettings> find(MPI_Comm comm) noexcept try {
    return comm != MPI_COMM_NULL ? transport::CommState::find<CommSettings>(comm) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
  /// Throws MpiError, std::bad_alloc.
  static std::shared_ptr<CommSettings> of(MPI_Comm comm) {
    if (auto found = transport::CommState::find<CommSettings>(comm)) return found;
    auto made = std::make_shared<CommSettings>();
    transport::CommState::keep(comm, made);
    return made;
  }

  std::atomic<Hints> hints{};
  std::atomic<Stream> stream{};
  std::atomic<bool> has_stream = false;
};

}  // namespace typewarp::interpose
