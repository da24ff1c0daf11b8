// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/connections.hpp"

#include "datatype/signature.hpp"
#include "engine/runtime/displaced.hpp"
#include "schedule/streams/packed_receives.hpp"
#include "plan/wire.hpp"
#include "plan/bounds.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace typewarp::exchange {
namespace {

/// Parts whose layouts take more bytes to tell one rank are carried. One of a list of 100,000 blocks takes
/// some 2 MB.
constexpr std::int64_t longest_wire = std::int64_t{16} << 20;

/// What a sender tells of a part.
struct Announcement {
  std::int64_t bytes, elements;
  std::uint64_t hash;

  friend bool operator==(const Announcement&, const Announcement&) = default;
};

Announcement announcement_of(const Part& part) {
  const Signature all = datatype::repeated(part.plan.datatype().signature(), part.count);
  return {part.bytes, all.elements, all.hash};
}

/// Where a receiver has a part, for a sender that stores there.
struct RemotePart {
  gpu::SharedMemory memory;  ///< from the lowest byte of the part on
  std::int64_t lowest;       ///< from the buffer to that byte
  std::int64_t count;
  std::int64_t wire_bytes;  ///< of the plan, which follow
  bool packed;              ///< whether that is not where it belongs
};

/// How the two ranks of a pair agree: the sender tells what it has, the receiver where it wants that, and the
/// sender which parts it will store there.
class ConnectionSetup {
 public:
  ConnectionSetup(ExchangeGroup& group, const Schedule& parts) : group_(group), parts_(parts) {
    for (const Part& part : parts.sends) destinations_[part.peer].parts.push_back(&part);
    for (const Part& part : parts.receives) sources_[part.peer].parts.push_back(&part);
    for (auto& [rank, peer] : destinations_) peer.flag = flags_++;
    for (auto& [rank, peer] : sources_) peer.flag = std::exchange(flags_, flags_ + 2);
  }

  Connections take() {
    const std::set<int> across_a_link = tell_devices();
    tell_counts();
    Packets told, places, choices;
    together(group_, [&] {
      packed_receives_ = packed_receives_of(parts_, across_a_link);
      told = tell();
    });
    told = group_.swap(std::move(told), ranks_of(sources_));
    together(group_, [&] { places = answer(told); });
    agree(group_, problem_);
    places = group_.swap(std::move(places), ranks_of(destinations_));
    together(group_, [&] { choices = choose(places); });
    choices = group_.swap(std::move(choices), ranks_of(sources_));
    together(group_, [&] { settle(choices); });
    // All begin with another rank, so that none is stored to by all at once; what stays comes last.
    std::ranges::stable_sort(made_.pushes, {}, [&](const Push& push) {
      return (push.part.peer - group_.rank() - 1 + group_.size()) % group_.size();
    });
    if (!made_.packed_receives.empty()) made_.packed_memory = std::move(packed_receives_.memory);
    return std::move(made_);
  }

 private:
  struct PeerParts {
    std::vector<const Part*> parts;
    /// Of this rank, which the peer raises: a destination as its credit, a source when it has stored all, and
    /// the next one when it has stored what it stores packed.
    int flag = 0;
    gpu::Flag* credit = nullptr;  ///< of a source, to be raised here
  };
  using Peers = std::map<int, PeerParts>;
  /// Where a sender may store a part, if nothing stands against it.
  struct Offer {
    NotDirectReason reason = NotDirectReason::none;
    gpu::SharedMemory memory = {};
    std::int64_t lowest = 0, count = 0;
    std::optional<Plan> plan = std::nullopt;
  };

  static std::set<int> ranks_of(const Peers& peers) {
    std::set<int> ranks;
    for (const auto& [rank, unused] : peers) ranks.insert(rank);
    return ranks;
  }
  bool is_self(int peer) const { return peer == group_.rank(); }

  /// Which device this rank uses, and where. Returns the ranks of this host that use other devices.
  std::set<int> tell_devices();
  void tell_counts() const;
  void put_flags(Packet& packet, int flag);
  gpu::Flag* take_flags(Packet& packet, int wanted);
  Packets tell();
  Packets answer(Packets& told);
  void answer_part(Packet& packet, const Part& part) const;
  /// What is not to take more than `room` bytes to tell.
  Offer offer_of(const Part& part, std::int64_t room) const;
  Packets choose(Packets& places);
  NotDirectReason choose_part(Packet& place, const Part& part, bool possible);
  void settle(Packets& choices);
  void settle_own(const Part& send, const Part& receive);
  static void carry(Carried& carried, const Part& part, NotDirectReason reason) {
    if (part.bytes == 0) return;
    carried.parts.push_back(part);
    carried.reasons.push_back(reason);
  }

  ExchangeGroup& group_;
  const Schedule& parts_;
  Peers destinations_, sources_;
  int flags_ = 1;           ///< the first one is the gate
  std::vector<int> hosts_;  ///< of all ranks
  PackedReceiveBuffers packed_receives_;
  std::string problem_;  ///< the first part that a sender has otherwise than this rank
  Connections made_;
};

std::set<int> ConnectionSetup::tell_devices() {
  struct Mine {
    int host;
    int has_device;
    gpu::DeviceName name;
  };
  Mine mine{group_.host(), 0, {}};
  together(group_, [&] {
    if (parts_.device < 0) return;
    mine.has_device = 1;
    mine.name = gpu::device_name(parts_.device);
    made_.flags = std::make_unique<gpu::DeviceFlags>(parts_.device, flags_);
  });
  const std::vector<Mine> all = gathered(group_, mine);
  const auto same = std::ranges::count_if(all, [&](const Mine& other) {
    return other.has_device != 0 && other.host == mine.host && other.name == mine.name;
  });
  made_.shares_device = mine.has_device != 0 && same > 1;
  std::set<int> across_a_link;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const Mine& other = all[static_cast<std::size_t>(rank)];
    hosts_.push_back(other.host);
    if (mine.has_device != 0 && other.has_device != 0 && other.host == mine.host && other.name != mine.name)
      across_a_link.insert(rank);
  }
  return across_a_link;
}

void ConnectionSetup::tell_counts() const {
  std::vector<int> sent(static_cast<std::size_t>(group_.size()));
  for (const auto& [rank, peer] : destinations_)
    sent[static_cast<std::size_t>(rank)] = static_cast<int>(peer.parts.size());
  const std::vector<int> expected = group_.transpose(sent);
  std::string problem;
  for (int peer = 0; peer < group_.size() && problem.empty(); ++peer) {
    const auto found = sources_.find(peer);
    const std::size_t here = found != sources_.end() ? found->second.parts.size() : 0;
    const int there = expected[static_cast<std::size_t>(peer)];
    if (here == static_cast<std::size_t>(there)) continue;
    problem = "receives: " + std::to_string(here) + " parts from rank " + std::to_string(peer) +
              ", which sends " + std::to_string(there);
  }
  agree(group_, problem);
}

void ConnectionSetup::put_flags(Packet& packet, int flag) {
  std::optional<gpu::SharedMemory> memory;
  if (made_.flags) memory = gpu::export_memory(made_.flags->at(0), made_.flags->bytes());
  packet.put(flag);
  packet.put(group_.host());
  packet.put(memory.has_value());
  if (memory) packet.put(*memory);
}

/// `wanted` flags of a peer that this rank's device can raise; null where it cannot.
gpu::Flag* ConnectionSetup::take_flags(Packet& packet, int wanted) {
  const int flag = packet.take<int>();
  const bool one_host = packet.take<int>() == group_.host();
  if (!packet.take<bool>()) return nullptr;
  const auto memory = packet.take<gpu::SharedMemory>();
  if (!one_host || parts_.device < 0) return nullptr;
  constexpr std::int64_t flag_bytes = sizeof(gpu::Flag);
  if (flag < 0 || memory.offset < 0 || flag > (memory.size - memory.offset) / flag_bytes - wanted)
    throw Error("a peer told of a flag that it has not");
  auto mapped = gpu::import_memory(memory, parts_.device);
  if (!mapped) return nullptr;
  auto* const first = reinterpret_cast<gpu::Flag*>(mapped->address());
  made_.mapped.push_back(std::move(*mapped));
  return first + flag;
}

Packets ConnectionSetup::tell() {
  Packets packets;
  for (const auto& [rank, peer] : destinations_) {
    Packet& packet = packets[rank];
    put_flags(packet, peer.flag);
    for (const Part* part : peer.parts) packet.put(announcement_of(*part));
  }
  return packets;
}

Packets ConnectionSetup::answer(Packets& told) {
  Packets packets;
  for (auto& [rank, peer] : sources_) {
    Packet& packet = told.at(rank);
    peer.credit = take_flags(packet, 1);
    for (std::size_t k = 0; k < peer.parts.size(); ++k) {
      const Announcement there = packet.take<Announcement>();
      const Announcement here = announcement_of(*peer.parts[k]);
      if (here == there || !problem_.empty()) continue;
      const std::string bytes =
          here.bytes != there.bytes
              ? std::to_string(here.bytes) + " bytes here, " + std::to_string(there.bytes) + " there"
              : "elements of other types, though of as many bytes";
      problem_ = "receives[" + std::to_string(peer.parts[k]->index) + "], part " + std::to_string(k) +
                 " from rank " + std::to_string(rank) + ": " + bytes;
    }
    Packet& mine = packets[rank];
    if (is_self(rank)) continue;
    put_flags(mine, peer.flag);
    mine.put(peer.credit != nullptr);
    for (const Part* part : peer.parts) answer_part(mine, *part);
  }
  return packets;
}

void ConnectionSetup::answer_part(Packet& packet, const Part& part) const {
  const Offer offer = offer_of(part, longest_wire - std::ssize(packet.bytes()));
  packet.put(offer.reason);
  if (offer.reason != NotDirectReason::none) return;
  const std::vector<std::byte> layout = *plan::to_wire(*offer.plan, longest_wire);
  packet.put(RemotePart{offer.memory, offer.lowest, offer.count, static_cast<std::int64_t>(layout.size()),
                        packed_receives_.places.contains(&part)});
  packet.put_bytes(layout);
}

ConnectionSetup::Offer ConnectionSetup::offer_of(const Part& part, std::int64_t room) const {
  if (part.memory.kind != MemoryKind::device) return {.reason = NotDirectReason::receiver};
  const auto place = packed_receives_.places.find(&part);
  const bool packed = place != packed_receives_.places.end();
  const plan::WireName* const wire = plan::wire_name(part.plan);
  const auto span = plan::bounds(part.plan, part.count);
  if (!packed && (!span || wire == nullptr || wire->bytes > room)) return {.reason = NotDirectReason::layout};
  const auto memory = packed ? gpu::export_memory(place->second, part.bytes)
                             : gpu::export_memory(gpu::displaced(part.buffer, span->lowest), span->span());
  if (!memory) return {.reason = NotDirectReason::allocation};
  if (packed) return {.memory = *memory, .count = part.bytes, .plan = commit(Named::byte)};
  return {.memory = *memory, .lowest = span->lowest, .count = part.count, .plan = part.plan};
}

Packets ConnectionSetup::choose(Packets& places) {
  Packets packets;
  for (const auto& [rank, peer] : destinations_) {
    Packet& choices = packets[rank];
    if (is_self(rank)) continue;
    Packet& place = places.at(rank);
    gpu::Flag* const arrival = take_flags(place, 2);  // of what belongs there, and of what is stored packed
    const bool possible = place.take<bool>() && arrival != nullptr;
    bool any_belongs = false;
    bool any_packed = false;
    for (const Part* part : peer.parts) {
      const NotDirectReason reason = choose_part(place, *part, possible);
      choices.put(reason);
      if (reason != NotDirectReason::none) {
        carry(made_.sent, *part, reason);
      } else {
        (made_.pushes.back().packed ? any_packed : any_belongs) = true;
      }
    }
    if (any_belongs || any_packed) made_.credits.awaited.push_back(made_.flags->at(peer.flag));
    if (any_belongs) made_.arrivals.raised.push_back(arrival);
    if (any_packed) made_.packed_arrivals.raised.push_back(arrival + 1);
  }
  return packets;
}

NotDirectReason ConnectionSetup::choose_part(Packet& packet, const Part& part, bool possible) {
  const auto there = packet.take<NotDirectReason>();
  RemotePart place{};
  std::span<const std::byte> wire;
  if (there == NotDirectReason::none) {
    place = packet.take<RemotePart>();
    wire = packet.take_bytes(static_cast<std::size_t>(place.wire_bytes));
  }
  if (!part.on_stream()) return NotDirectReason::sender;
  if (there == NotDirectReason::receiver) return there;
  if (hosts_[static_cast<std::size_t>(part.peer)] != group_.host()) return NotDirectReason::host;
  if (there != NotDirectReason::none) return there;
  if (!possible) return NotDirectReason::reach;
  auto mapped = gpu::import_memory(place.memory, parts_.device);
  if (!mapped) return NotDirectReason::reach;
  const Plan plan = plan::from_wire(wire);
  const auto span = plan::bounds(plan, place.count);
  std::int64_t bytes = 0;
  if (!span || span->lowest != place.lowest || span->span() > place.memory.size - place.memory.offset ||
      __builtin_mul_overflow(place.count, plan.size(), &bytes) || bytes != part.bytes) {
    throw Error("a peer told another layout than it has");
  }
  made_.pushes.push_back({part,
                          plan,
                          place.count,
                          gpu::displaced(mapped->address(), -place.lowest),
                          {MemoryKind::device, mapped->device()},
                          false,
                          place.packed});
  made_.mapped.push_back(std::move(*mapped));
  return NotDirectReason::none;
}

void ConnectionSetup::settle_own(const Part& send, const Part& receive) {
  const NotDirectReason reason = !send.on_stream()      ? NotDirectReason::sender
                                 : !receive.on_stream() ? NotDirectReason::receiver
                                                        : NotDirectReason::none;
  if (reason == NotDirectReason::none) {
    made_.pushes.push_back(
        {send, receive.plan, receive.count, static_cast<std::byte*>(receive.buffer), receive.memory, true});
    ++made_.direct_receives;
    return;
  }
  carry(made_.sent, send, reason);
  carry(made_.received, receive, reason);
}

void ConnectionSetup::settle(Packets& choices) {
  for (const auto& [rank, peer] : sources_) {
    if (is_self(rank)) {
      const std::vector<const Part*>& sends = destinations_.at(rank).parts;
      for (std::size_t k = 0; k < peer.parts.size(); ++k) settle_own(*sends[k], *peer.parts[k]);
      continue;
    }
    std::int64_t belong = 0;
    std::int64_t packed = 0;
    for (const Part* part : peer.parts) {
      const auto place = packed_receives_.places.find(part);
      const auto reason = choices.at(rank).take<NotDirectReason>();
      if (reason != NotDirectReason::none) {
        carry(made_.received, *part, reason);
      } else if (place == packed_receives_.places.end()) {
        ++belong;
      } else {
        made_.packed_receives.push_back({*part, place->second});
        ++packed;
      }
    }
    made_.direct_receives += belong + packed;
    if (belong + packed > 0 && peer.credit == nullptr)
      throw Error("a peer stores directly, and was told that it cannot");
    if (belong + packed > 0) made_.credits.raised.push_back(peer.credit);
    if (belong > 0) made_.arrivals.awaited.push_back(made_.flags->at(peer.flag));
    if (packed > 0) made_.packed_arrivals.awaited.push_back(made_.flags->at(peer.flag + 1));
  }
}

}  // namespace

Connections connected(ExchangeGroup& group, const Schedule& parts) {
  return ConnectionSetup(group, parts).take();
}

}  // namespace typewarp::exchange
