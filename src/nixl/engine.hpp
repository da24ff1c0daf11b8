// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nixl/back_end.hpp"
#include "nixl/mailbox.hpp"
#include "nixl/transfer.hpp"

#include <chrono>
#include <mutex>
#include <string>

namespace typewarp::nixl {

/// The back end: memory of GPUs, between processes of one user on one host. Peers elsewhere are not
/// supported, which lets NIXL take another back end for their connections. Descriptors of a transfer go by
/// one kernel for each GPU and length. Notifications follow the data, and leave when NIXL asks how the
/// transfer is.
///
/// What fails is told on stderr, since NIXL takes numbers only. Thread safe.
class Engine final : public BackEnd {
 public:
  /// Milliseconds that deregistering memory waits at most for what peers have under way there.
  static constexpr const char* time_limit = "time_limit_ms";
  static NixlParameters default_parameters() { return {{time_limit, "10000"}}; }

  /// Throws InvalidArgument that names a parameter, Error where there is no GPU, or no socket.
  explicit Engine(const InitialParameters& given);

  NixlStatus register_memory(const DescribedMemory& memory, const NixlMemory& kind,
                             NixlMetadata*& made) override;
  NixlStatus deregister_memory(NixlMetadata* memory) override;
  NixlStatus connect(const std::string& agent) override;
  NixlStatus disconnect(const std::string& agent) override;
  NixlStatus unload(NixlMetadata* memory) override;

  NixlStatus prepare(const NixlOperation& operation, const List& local, const List& remote,
                     const std::string& agent, NixlRequest*& made, const NixlOptions* options) const override;
  NixlStatus post(const NixlOperation& operation, const List& local, const List& remote,
                  const std::string& agent, NixlRequest*& request, const NixlOptions* options) const override;
  NixlStatus check(NixlRequest* request) const override;
  NixlStatus release(NixlRequest* request) const override;

  NixlStatus public_data(const NixlMetadata* memory, std::string& text) const override;
  NixlStatus connection(std::string& text) const override;
  NixlStatus load_connection(const std::string& agent, const std::string& text) override;
  NixlStatus load_remote(const DescribedMemory& memory, const NixlMemory& kind, const std::string& agent,
                         NixlMetadata*& made) override;
  NixlStatus load_local(NixlMetadata* memory, NixlMetadata*& made) override;

  NixlStatus take_messages(NixlMessages& messages) override;
  NixlStatus send_message(const std::string& agent, const std::string& message) const override;

 private:
  /// Calls `act` while nobody else is here. What it throws becomes a number.
  template <typename Act>
  NixlStatus guarded(const char* call, Act act) const noexcept;

  // NIXL calls most as const.
  mutable std::mutex mutex_;
  mutable Streams streams_;
  mutable Mailbox mailbox_;
  std::chrono::milliseconds time_limit_;
};

}  // namespace typewarp::nixl
