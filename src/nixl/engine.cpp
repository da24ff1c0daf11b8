// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/engine.hpp"

#include "engine/runtime/device.hpp"

#include <typewarp/error.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace typewarp::nixl {
namespace {

std::chrono::milliseconds time_limit_of(const InitialParameters& given) {
  NixlParameters parameters = Engine::default_parameters();
  for (const auto& [name, value] : *given.parameters) {
    if (!parameters.contains(name))
      throw InvalidArgument("typewarp: NIXL back end", name, value,
                            "is no parameter: there is time_limit_ms");
    parameters[name] = value;
  }
  const std::string& text = parameters[Engine::time_limit];
  std::int32_t limit = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit < 0) {
    throw InvalidArgument("typewarp: NIXL back end", Engine::time_limit, text,
                          "must be a number of milliseconds below 2^31; 0: for ever");
  }
  return std::chrono::milliseconds(limit);
}

NixlStatus told(const char* call, const char* what, NixlStatus status) noexcept {
  std::fprintf(stderr, "typewarp: NIXL back end: %s: %s\n", call, what);
  return status;
}

}  // namespace

template <typename Act>
NixlStatus Engine::guarded(const char* call, Act act) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    return act();
  } catch (const Disconnected& error) {
    return told(call, error.what(), NixlStatus::disconnected);
  } catch (const InvalidArgument& error) {
    return told(call, error.what(), NixlStatus::invalid_argument);
  } catch (const std::exception& error) {
    return told(call, error.what(), NixlStatus::failed);
  }
}

Engine::Engine(const InitialParameters& given)
    : BackEnd(given), mailbox_(given.agent), time_limit_(time_limit_of(given)) {
  if (!gpu::present()) throw Error("typewarp: NIXL back end: there is no usable GPU");
}

NixlStatus Engine::register_memory(const DescribedMemory& memory, const NixlMemory& kind,
                                   NixlMetadata*& made) {
  return guarded("registerMem", [&] {
    if (kind != NixlMemory::device) return NixlStatus::not_supported;
    made = new OwnMemory(memory, time_limit_);
    return NixlStatus::success;
  });
}

NixlStatus Engine::deregister_memory(NixlMetadata* memory) {
  return guarded("deregisterMem", [&] {
    static_cast<OwnMemory*>(memory)->end();  // it stays where this fails
    delete memory;
    return NixlStatus::success;
  });
}

NixlStatus Engine::connect(const std::string& agent) {
  return guarded("connect",
                 [&] { return mailbox_.knows(agent) ? NixlStatus::success : NixlStatus::not_found; });
}

NixlStatus Engine::disconnect(const std::string& agent) {
  return guarded("disconnect", [&] {
    if (agent != agent_) mailbox_.disconnect(agent);
    return NixlStatus::success;
  });
}

NixlStatus Engine::unload(NixlMetadata* memory) {
  return guarded("unloadMD", [&] {
    delete memory;
    return NixlStatus::success;
  });
}

NixlStatus Engine::prepare(const NixlOperation& operation, const List& local, const List& remote,
                           const std::string& agent, NixlRequest*& made, const NixlOptions* options) const {
  static_cast<void>(options);  // post() has them, too
  return guarded("prepXfer", [&] {
    if (!mailbox_.knows(agent)) throw Disconnected("agent " + agent + " is not connected on this host");
    if (local.kind() != NixlMemory::device || remote.kind() != NixlMemory::device)
      return NixlStatus::not_supported;
    made = new PageTransfer(operation, local, remote, streams_);
    return NixlStatus::success;
  });
}

NixlStatus Engine::post(const NixlOperation& operation, const List& local, const List& remote,
                        const std::string& agent, NixlRequest*& request, const NixlOptions* options) const {
  static_cast<void>(operation), static_cast<void>(local), static_cast<void>(remote);  // as prepared
  return guarded("postXfer", [&] {
    PageTransfer& transfer = *static_cast<PageTransfer*>(request);
    if (transfer.is_under_way()) return NixlStatus::repost_active;
    transfer.tells = options != nullptr && options->has_message;
    if (transfer.tells) transfer.message = options->message;
    transfer.told_agent = agent;
    transfer.post();
    return NixlStatus::in_progress;
  });
}

NixlStatus Engine::check(NixlRequest* request) const {
  return guarded("checkXfer", [&] {
    PageTransfer& transfer = *static_cast<PageTransfer*>(request);
    mailbox_.flush();
    if (!transfer.is_posted()) return NixlStatus::not_posted;
    if (!transfer.is_over()) return NixlStatus::in_progress;
    if (std::exchange(transfer.tells, false)) mailbox_.send(transfer.told_agent, transfer.message);
    return NixlStatus::success;
  });
}

NixlStatus Engine::release(NixlRequest* request) const {
  return guarded("releaseReqH", [&] {
    PageTransfer& transfer = *static_cast<PageTransfer*>(request);
    // What a kernel has begun nobody stops; NIXL asks again.
    if (transfer.is_under_way() && !transfer.is_over()) return NixlStatus::repost_active;
    delete request;
    return NixlStatus::success;
  });
}

NixlStatus Engine::public_data(const NixlMetadata* memory, std::string& text) const {
  return guarded("getPublicData", [&] {
    text = static_cast<const OwnMemory*>(memory)->handle();
    return NixlStatus::success;
  });
}

NixlStatus Engine::connection(std::string& text) const {
  return guarded("getConnInfo", [&] {
    text = mailbox_.address();
    return NixlStatus::success;
  });
}

NixlStatus Engine::load_connection(const std::string& agent, const std::string& text) {
  return guarded("loadRemoteConnInfo", [&] {
    return mailbox_.connect(agent, text) ? NixlStatus::success : NixlStatus::not_supported;
  });
}

NixlStatus Engine::load_remote(const DescribedMemory& memory, const NixlMemory& kind,
                               const std::string& agent, NixlMetadata*& made) {
  static_cast<void>(agent);  // NIXL has this of peers whose connection was refused, too: prepare() says so
  return guarded("loadRemoteMD", [&] {
    if (kind != NixlMemory::device) return NixlStatus::not_supported;
    made = new OtherMemory(memory);
    return NixlStatus::success;
  });
}

NixlStatus Engine::load_local(NixlMetadata* memory, NixlMetadata*& made) {
  return guarded("loadLocalMD", [&] {
    made = new OtherMemory(*static_cast<OwnMemory*>(memory));
    return NixlStatus::success;
  });
}

NixlStatus Engine::take_messages(NixlMessages& messages) {
  return guarded("getNotifs", [&] {
    mailbox_.flush();
    mailbox_.take(messages);
    return NixlStatus::success;
  });
}

NixlStatus Engine::send_message(const std::string& agent, const std::string& message) const {
  return guarded("genNotif", [&] {
    mailbox_.send(agent, message);
    return NixlStatus::success;
  });
}

}  // namespace typewarp::nixl
