// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/gpu_fragments.hpp"

#include "transport/channel/gpu/gpu_channel.hpp"
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

/// The longest fragment that the sender can give to the link; 0: any.
struct LinkOffer {
  std::int32_t longest_fragment;
};

class LinkSend final : public RendezvousSend {
 public:
  LinkSend(const SendContext& message, MessageBuffer side, const GpuPath& path)
      : RendezvousSend(message, std::move(side)), path_(path) {}

 private:
  void announce(Offers& offers) override {
    offers.add(by_.id, LinkOffer{static_cast<std::int32_t>(path_.longest())});
  }
  Carrier carrier() override {
    if (!cts_.wants(by_)) return RendezvousSend::carrier();
    return {by_, link_send(path_, cts_.data())};
  }

  GpuPath path_;
};

}  // namespace

constinit const ProtocolRow mpi_row = row_by<the_mpi, 4>("gpu_aware", sent);

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
  const auto offer = message.rts.offers.find<LinkOffer>(message.by->id);
  if (!offer || offer->longest_fragment < 0) return nullptr;
  const std::optional<GpuPath> path = message.session.device_pools.link_way(message.side);
  return receive_fragments(
      message, path ? link_receive(*path, message.rts, offer->longest_fragment, message.session.profile.link)
                    : nullptr);
}

const char* sends_by_link(const SendCase& message, Protocol protocol) {
  const SessionState& session = message.session;
  const bool carried =
      session.link != nullptr && session.link->protocol() == protocol && session.link->carries(message.side);
  return carried && !is_plain(message.side.bytes, session.options) ? "a link carries the memory" : nullptr;
}

const char* receives_by_link(const ReceiveContext& message, Protocol protocol, ChannelId id) {
  const GpuChannel* const link = message.session.link.get();
  const bool possible = message.rts.bytes <= message.side.bytes && link != nullptr &&
                        link->protocol() == protocol && message.rts.offers.has(id);
  return possible ? "a link carries memory of both devices" : nullptr;
}

}  // namespace typewarp::transport
