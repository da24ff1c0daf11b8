// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nixl/back_end.hpp"
#include "nixl/mailbox.hpp"
#include "nixl/transfer.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace typewarp::nixl {

/// The back end: memory of GPUs, between processes of one user on one host. Peers elsewhere are not
/// supported, which lets NIXL take another back end for their connections. The descriptors of a transfer go
/// by one kernel for each GPU and length. Notifications follow the data, and leave when NIXL asks how the
/// transfer is.
///
/// NIXL passes on numbers only, so reasons of failures are printed on stderr. Thread safe.
class Engine final : public BackEnd {
 public:
  /// Throws InvalidArgument that names a parameter, as there are none; Error where there is no GPU, or no
  /// socket.
  explicit Engine(const InitialParameters& given);
  /// Waits for the transfers of this agent, and up to a second for peers to have room for notifications.
  ~Engine() override;

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
  /// Waits until it is over.
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
  /// What `act` throws becomes a number.
  template <typename Act>
  static NixlStatus guarded(const char* call, Act act) noexcept;
  /// The same while nobody else is here.
  template <typename Act>
  NixlStatus locked(const char* call, Act act) const noexcept;

  std::unique_ptr<AgentWords> words_;  ///< null until memory is registered
  PeersWords peers_words_;
  // NIXL calls most as const.
  mutable std::mutex mutex_;
  mutable Streams streams_;
  mutable Mailbox mailbox_;
};

}  // namespace typewarp::nixl
