// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/gpu_fragments.hpp"

#include "transport/channel/gpu_mpi.hpp"
#include "transport/channel/transfer_channel.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

constexpr GpuLibrary the_mpi{
    .protocol = Protocol::gpu_aware, .present = mpi_is_gpu_aware, .make = make_mpi_link};

class LinkSend final : public RendezvousSend {
 public:
  LinkSend(const SendContext& message, MessageBuffer side, const GpuPath& path)
      : RendezvousSend(message, std::move(side)), path_(path) {}

 private:
  void announce(Rts& rts) override {
    rts.link_bytes = path_.pool == nullptr ? Rts::any_length : static_cast<std::int32_t>(path_.longest());
  }
  Carrier carrier() override {
    if (cts_.cts.verdict != Code::linked) return RendezvousSend::carrier();
    return {by_, link_send(path_, cts_.data())};
  }

  GpuPath path_;
};

}  // namespace

constinit const ProtocolRow mpi_row = row_of<the_mpi>("gpu_aware", sent);

bool mpi_is_gpu_aware(MPI_Comm comm) {
  return mpi_declares_gpu_awareness(comm, [] {
    return std::ranges::any_of(protocols(), [](const ProtocolRow* row) {
      const GpuLibrary* const library = row->library;
      return library != nullptr && library->takes_for_mpi != nullptr && library->takes_for_mpi();
    });
  });
}

std::shared_ptr<RendezvousSend> start_by_link(const SendContext& message, MessageBuffer& side) {
  const std::optional<GpuPath> path = message.session->device_pools.link_way(side);
  return path ? std::make_shared<LinkSend>(message, std::move(side), *path) : nullptr;
}

std::unique_ptr<ReceiveProtocol> receive_by_link(const ReceiveContext& message) {
  const std::optional<GpuPath> path = message.session.device_pools.link_way(message.side);
  return receive_fragments(message,
                           path ? link_receive(*path, message.rts, message.session.profile.link) : nullptr);
}

}  // namespace typewarp::transport
