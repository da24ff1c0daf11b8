// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/engine.hpp"

#include "engine/runtime/device.hpp"
#include "engine/runtime/event.hpp"

#include <typewarp/error.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp::nixl {
namespace {

NixlStatus told(const char* call, const char* what, NixlStatus status) noexcept {
  std::fprintf(stderr, "%.*s: %s: %s\n", static_cast<int>(caller.size()), caller.data(), call, what);
  return status;
}

}  // namespace

template <typename Act>
NixlStatus Engine::guarded(const char* call, Act act) noexcept {
  try {
    return act();
  } catch (const Disconnected& error) {
    return told(call, error.what(), NixlStatus::disconnected);
  } catch (const InvalidArgument& error) {
    return told(call, error.what(), NixlStatus::invalid_argument);
  } catch (const std::exception& error) {
    return told(call, error.what(), NixlStatus::failed);
  }
}

template <typename Act>
NixlStatus Engine::locked(const char* call, Act act) const noexcept {
  return guarded(call, [&] {
    const std::lock_guard lock(mutex_);
    mailbox_.flush();
    return act();
  });
}

Engine::Engine(const InitialParameters& given) : BackEnd(given), mailbox_(given.agent) {
  for (const auto& [name, value] : *given.parameters)
    throw InvalidArgument(caller, name, value, "is a parameter, of which there are none");
  if (!gpu::present()) throw Error(std::string(caller) + ": there is no usable GPU");
}

Engine::~Engine() {
  constexpr auto patience = std::chrono::seconds(1);
  guarded("destructor", [&] {
    for (const gpu::Event& event : streams_.reached()) event.wait();
    const auto begin = std::chrono::steady_clock::now();
    while (!mailbox_.flush() && std::chrono::steady_clock::now() - begin < patience)
      std::this_thread::yield();
    return NixlStatus::success;
  });
}

NixlStatus Engine::register_memory(const DescribedMemory& memory, const NixlMemory& kind,
                                   NixlMetadata*& made) {
  return locked("registerMem", [&] {
    if (kind != NixlMemory::device) return NixlStatus::not_supported;
    if (!words_) words_ = std::make_unique<AgentWords>();
    made = new OwnMemory(memory, *words_);
    return NixlStatus::success;
  });
}

// NIXL forgets the memory whatever this returns, and the program frees it: so it waits as long as it takes.
// Others may go on meanwhile, as what is waited for may depend on them.
NixlStatus Engine::deregister_memory(NixlMetadata* memory) {
  return guarded("deregisterMem", [&] {
    const std::unique_ptr<OwnMemory> own(static_cast<OwnMemory*>(memory));
    std::vector<gpu::Event> reached;  // of all GPUs: another one may move what lies in this one's memory
    {
      const std::lock_guard lock(mutex_);
      mailbox_.flush();
      reached = streams_.reached();
    }
    for (const gpu::Event& event : reached) event.wait();
    own->end();
    return NixlStatus::success;
  });
}

NixlStatus Engine::connect(const std::string& agent) {
  return locked("connect",
                [&] { return mailbox_.knows(agent) ? NixlStatus::success : NixlStatus::not_found; });
}

NixlStatus Engine::disconnect(const std::string& agent) {
  return locked("disconnect", [&] {
    if (agent != agent_) mailbox_.disconnect(agent);
    return NixlStatus::success;
  });
}

NixlStatus Engine::unload(NixlMetadata* memory) {
  return locked("unloadMD", [&] {
    delete memory;
    return NixlStatus::success;
  });
}

NixlStatus Engine::prepare(const NixlOperation& operation, const List& local, const List& remote,
                           const std::string& agent, NixlRequest*& made, const NixlOptions* options) const {
  return locked("prepXfer", [&] {
    if (options != nullptr && options->has_message) Mailbox::check_length(options->message);
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
  return locked("postXfer", [&] {
    PageTransfer& transfer = *static_cast<PageTransfer*>(request);
    if (transfer.is_under_way()) return NixlStatus::repost_active;
    const bool tells = options != nullptr && options->has_message;
    if (tells) Mailbox::check_length(options->message);
    transfer.notification.reset();
    if (tells) transfer.notification = {agent, options->message};
    transfer.post();
    return NixlStatus::in_progress;
  });
}

NixlStatus Engine::check(NixlRequest* request) const {
  return locked("checkXfer", [&] {
    PageTransfer& transfer = *static_cast<PageTransfer*>(request);
    if (!transfer.is_posted()) return NixlStatus::not_posted;
    if (!transfer.is_over()) return NixlStatus::in_progress;
    if (const auto told = std::exchange(transfer.notification, std::nullopt))
      mailbox_.send(told->agent, told->message);
    return NixlStatus::success;
  });
}

// Nothing stops a kernel, and NIXL 1.5 asks once more at most: then it forgets the transfer whatever this
// returns. So it waits. Others may go on meanwhile.
NixlStatus Engine::release(NixlRequest* request) const {
  static_cast<PageTransfer*>(request)->wait();
  return locked("releaseReqH", [&] {
    delete request;
    return NixlStatus::success;
  });
}

NixlStatus Engine::public_data(const NixlMetadata* memory, std::string& text) const {
  return locked("getPublicData", [&] {
    text = static_cast<const OwnMemory*>(memory)->handle();
    return NixlStatus::success;
  });
}

NixlStatus Engine::connection(std::string& text) const {
  return locked("getConnInfo", [&] {
    text = mailbox_.address();
    return NixlStatus::success;
  });
}

NixlStatus Engine::load_connection(const std::string& agent, const std::string& text) {
  return locked("loadRemoteConnInfo", [&] {
    return mailbox_.connect(agent, text) ? NixlStatus::success : NixlStatus::not_supported;
  });
}

NixlStatus Engine::load_remote(const DescribedMemory& memory, const NixlMemory& kind,
                               const std::string& agent, NixlMetadata*& made) {
  static_cast<void>(agent);  // NIXL has this of peers whose connection was refused, too: prepare() says so
  return locked("loadRemoteMD", [&] {
    if (kind != NixlMemory::device) return NixlStatus::not_supported;
    made = new OtherMemory(memory, peers_words_);
    return NixlStatus::success;
  });
}

NixlStatus Engine::load_local(NixlMetadata* memory, NixlMetadata*& made) {
  return locked("loadLocalMD", [&] {
    made = new OtherMemory(*static_cast<OwnMemory*>(memory));
    return NixlStatus::success;
  });
}

NixlStatus Engine::take_messages(NixlMessages& messages) {
  return locked("getNotifs", [&] {
    mailbox_.take(messages);
    return NixlStatus::success;
  });
}

NixlStatus Engine::send_message(const std::string& agent, const std::string& message) const {
  return locked("genNotif", [&] {
    mailbox_.send(agent, message);
    return NixlStatus::success;
  });
}

}  // namespace typewarp::nixl
