// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/chunks.hpp"
#include "transport/descriptor.hpp"
#include "transport/layouts.hpp"
#include "transport/progress.hpp"
#include "transport/ranks.hpp"
#include "transport/sharing.hpp"
#include "transport/tags.hpp"

#include <typewarp/transport.hpp>

namespace typewarp::transport {

/// What the messages of a Transport share. Lives until the Transport and the last of its operations are gone.
class Core {
 public:
  /// Collective over `comm`. Throws MpiError.
  Core(MPI_Comm comm, const TransportOptions& options);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  /// How a message of `bytes` bytes goes to a rank of the Transport.
  bool is_plain(std::int64_t bytes) const noexcept;
  /// The longest message that comes as it is.
  std::int64_t longest_plain() const noexcept { return options_.eager_bytes; }

  /// Collective: from now on memory is shared in this way, between ranks that can. Throws MpiError.
  void share_by(const Sharing& sharing);
  const Sharing& sharing() const noexcept { return *sharing_; }
  /// Whether this rank may read memory of that one, and the other way round, if both can name it.
  bool shares_with(int rank) const noexcept { return sharing_ranks_[static_cast<std::size_t>(rank)]; }

  const TransportOptions& options() const noexcept { return options_; }
  const Identity& identity() const noexcept { return identity_; }
  /// The private communicator, and who this is there.
  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }

  /// Never frees the private communicator: where other ranks may still be in a call on it.
  void keep_communicator() noexcept { frees_communicator_ = false; }

  /// The shares of the pool: what is to be sent, and what is received (docs/transport.md tells why).
  Chunks outgoing;
  Chunks incoming;
  Tags tags;
  Layouts layouts;
  Ranks ranks;
  Progress progress;

 private:
  TransportOptions options_;
  Identity identity_;
  MPI_Comm comm_;
  int rank_;
  const Sharing* sharing_ = nullptr;
  std::vector<bool> sharing_ranks_;
  bool frees_communicator_ = true;
};

/// The process's Transport, or null.
std::shared_ptr<Core> current();
/// Throws the Error for that.
[[noreturn]] void refuse_second();
/// `core` must be null where there is one already: Error.
void set_current(std::shared_ptr<Core> core);

}  // namespace typewarp::transport
