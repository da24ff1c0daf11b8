// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/select/protocol_row.hpp"

#include "base/environment.hpp"
#include "mpi/agree.hpp"
#include "transport/memory/reserve.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace typewarp::transport {
namespace {

template <typename Reason>
ProtocolChoice first_behind(const ProtocolRow* after, Reason reason) {
  bool behind = after == nullptr;
  for (const ProtocolRow* const row : protocols()) {
    if (const char* const why = behind ? reason(*row) : nullptr) return {row, why};
    behind = behind || row == after;
  }
  return {};
}

// Whether this rank would take the library. To ask for a device starts its driver.
bool would_take(const GpuLibrary& library, Protocol wanted, bool one_host, MPI_Comm comm) noexcept {
  const bool asked_for = wanted == library.protocol || (wanted == Protocol::automatic && !one_host);
  try {
    return asked_for && gpu::present() && library.present(comm);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

ProtocolChoice select(const SendCase& message, const ProtocolRow* after) {
  return first_behind(after, [&](const ProtocolRow& row) {
    const bool possible = row.start == nullptr || message.receiver;
    return possible ? row.sends(message) : nullptr;
  });
}

ProtocolChoice select(const ReceiveContext& message) {
  return first_behind(message.by, [&](const ProtocolRow& row) {
    return row.receives != nullptr ? row.receives(message) : nullptr;
  });
}

const ProtocolRow* row_of(ChannelId channel) noexcept {
  const auto found = std::ranges::find(protocols(), channel, &ProtocolRow::id);
  return found == protocols().end() ? nullptr : *found;
}

bool is_plain(std::int64_t bytes, const SessionOptions& options) noexcept {
  if (bytes < rts_bytes) return true;
  if (bytes == rts_bytes || options.protocol == Protocol::pipelined) return false;
  return bytes <= options.eager_bytes;
}

void tell(const char* call, std::int64_t bytes, int peer, const ProtocolChoice& choice) noexcept {
  static const bool verbose = environment::is_set("TYPEWARP_VERBOSE");
  if (!verbose) return;
  std::fprintf(stderr, "typewarp: %s of %lld bytes, rank %d, by %s: %s\n", call,
               static_cast<long long>(bytes), peer, choice.by->name, choice.why);
}

std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm) {
  for (const ProtocolRow* const row : protocols()) {
    if (row->library == nullptr) continue;
    if (!mpi::in_all(comm, would_take(*row->library, wanted, one_host, comm))) continue;
    std::unique_ptr<GpuChannel> link = row->library->make(comm);
    if (mpi::in_all(comm, link != nullptr) && proves_itself(*link, comm)) return link;
  }
  return nullptr;
}

void prepare(SessionState& session) {
  Reserve::fill();
  for (const ProtocolRow* const row : protocols()) {
    if (row->prepare != nullptr) session.channels[row->id] = row->prepare(session);
  }
}

void connect(SessionState& session) {
  session.link_by(make_gpu_channel(session.options.protocol, session.comm.is_one_host(), session.comm.get()));
  session.share_by(gpu_ipc());
  for (const auto& channel : session.channels) {
    if (channel != nullptr) channel->connect(session);
  }
}

}  // namespace typewarp::transport
