// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/session.hpp"

#include "base/never_destroyed.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace typewarp::transport {
namespace {

struct Current {
  std::atomic<bool> present{false};  // spares programs without a Session the lock
  std::mutex mutex;
  std::shared_ptr<SessionState> session;
  std::atomic<SessionState*> sole{nullptr};
};

Current& the_current() {
  static NeverDestroyed<Current> instance;
  return instance.get();
}

bool only_one_thread_calls() {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  return granted != MPI_THREAD_MULTIPLE;
}

}  // namespace

SessionState::SessionState(PrivateComm& over, const SessionOptions& in_force, const Profile& of_machine,
                           bool is_mixed)
    : options(in_force),
      mixed(is_mixed),
      profile(of_machine),
      comm(over),
      comms(comm.get()),
      host_pools(options.pool_bytes, options.chunk_bytes),
      ipc(comm.size()),
      device_pools(options.device_pool_bytes),
      progress(gather, options.time_limit) {}

void SessionState::share_by(const Ipc& sharing) {
  const bool excluded = options.protocol == Protocol::eager || options.protocol == Protocol::pipelined ||
                        (link != nullptr && options.protocol == link->protocol());
  // Whether there is a device is not asked for a program that may have no use for one: asking starts its
  // driver.
  ipc.share_by(sharing, !excluded && (mixed || sharing.present()), comm);
  device_pools.make_by(ipc.sharing(), link.get(), profile.direct.fragment_bytes);
}

void SessionState::link_by(std::unique_ptr<GpuChannel> made) {
  close_link();
  link = std::move(made);
  progress.drive(link.get());
  device_pools.make_by(ipc.sharing(), link.get(), profile.direct.fragment_bytes);
}

bool SessionState::shares_host_memory(int rank) const noexcept {
  const auto shares = [rank](const auto& channel) {
    return channel != nullptr && channel->shares_host_memory(rank);
  };
  return ipc.reaches_host_memory(rank) || std::ranges::any_of(channels, shares);
}

void SessionState::close_link() noexcept {
  progress.drive(nullptr);
  link.reset();
}

bool SessionState::possible(Protocol protocol) const noexcept {
  if (protocol == Protocol::direct) return ipc.reaches_any();
  const bool needs_link = protocol == Protocol::gpu_aware || protocol == Protocol::ucx;
  return !needs_link || (link != nullptr && link->protocol() == protocol);
}

std::shared_ptr<SessionState> current() {
  Current& global = the_current();
  if (!global.present.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(global.mutex);
  return global.session;
}

SessionState* sole() noexcept { return the_current().sole.load(std::memory_order_acquire); }

void refuse_second() { throw Error("typewarp::Session: this process has one already, which must go first"); }

void set_current(std::shared_ptr<SessionState> session) {
  Current& global = the_current();
  const std::lock_guard lock(global.mutex);
  if (session != nullptr && global.session != nullptr) refuse_second();
  global.present.store(session != nullptr, std::memory_order_release);
  global.sole.store(session != nullptr && only_one_thread_calls() ? session.get() : nullptr,
                    std::memory_order_release);
  global.session.swap(session);
}

std::shared_ptr<Progress> progress_of(const std::shared_ptr<SessionState>& session) noexcept {
  return session ? std::shared_ptr<Progress>(session, &session->progress) : nullptr;
}

}  // namespace typewarp::transport
