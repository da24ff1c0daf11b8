// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/links.hpp"

#include "datatype/signature.hpp"
#include "engine/runtime/displaced.hpp"
#include "exchange/agreement.hpp"
#include "exchange/landings.hpp"
#include "plan/wire.hpp"
#include "plan/bounds.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace typewarp::exchange {
namespace {

/// Layouts that take more to tell one rank are carried. One of a list of 100,000 blocks takes some 2 MB.
constexpr std::int64_t longest_wire = std::int64_t{16} << 20;

/// What a sender tells of a part.
struct Told {
  std::int64_t bytes, elements;
  std::uint64_t hash;

  friend bool operator==(const Told&, const Told&) = default;
};

Told told_of(const Part& part) {
  const Signature all = datatype::repeated(part.plan.datatype().signature(), part.count);
  return {part.bytes, all.elements, all.hash};
}

/// Where a receiver has a part, for a sender that stores there.
struct Place {
  gpu::SharedMemory memory;  ///< from the lowest byte of the part on
  std::int64_t lowest;       ///< from the buffer to that byte
  std::int64_t count;
  std::int64_t wire_bytes;  ///< of the plan, which follow
  bool lands;               ///< whether that is not where it belongs
};

/// How the ranks of each pair come to terms: the sender tells what it has, the receiver where it wants it,
/// and the sender which parts it will store there.
class Linking {
 public:
  Linking(Group& group, const Schedule& parts) : group_(group), parts_(parts) {
    for (const Part& part : parts.sends) destinations_[part.peer].push_back(&part);
    for (const Part& part : parts.receives) sources_[part.peer].push_back(&part);
    int next = 1;
    for (const auto& [peer, unused] : destinations_) credit_[peer] = next++;
    for (const auto& [peer, unused] : sources_) arrival_[peer] = std::exchange(next, next + 2);
    flags_ = next;
  }

  Links take() {
    tell_devices();
    tell_counts();
    together(group_, [&] { landings_ = landings_of(parts_, across_a_link_); });
    Packets told, places, choices;
    together(group_, [&] { told = tell(); });
    told = group_.swap(std::move(told), ranks_of(sources_));
    together(group_, [&] { places = answer(told); });
    agree(group_, problem_);
    places = group_.swap(std::move(places), ranks_of(destinations_));
    together(group_, [&] { choices = choose(places); });
    choices = group_.swap(std::move(choices), ranks_of(sources_));
    together(group_, [&] { settle(choices); });
    if (!links_.landings.empty()) links_.landing_memory = std::move(landings_.memory);
    return std::move(links_);
  }

 private:
  using Peers = std::map<int, std::vector<const Part*>>;
  /// Where a sender may store a part, if nothing stands against it.
  struct Offer {
    Obstacle obstacle = Obstacle::none;
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

  void tell_devices();
  void tell_counts() const;
  void put_flags(Packet& packet, int flag);
  gpu::Flag* take_flags(Packet& packet, int wanted);
  Packets tell();
  Packets answer(Packets& told);
  void answer_part(Packet& packet, const Part& part) const;
  /// What is not to take more than `room` bytes to tell.
  Offer offer_of(const Part& part, std::int64_t room) const;
  Packets choose(Packets& places);
  Obstacle choose_part(Packet& place, const Part& part, bool possible);
  void settle(Packets& choices);
  void settle_own(const Part& send, const Part& receive);
  static void carry(Carried& carried, const Part& part, Obstacle reason) {
    if (part.bytes == 0) return;
    carried.parts.push_back(part);
    carried.reasons.push_back(reason);
  }

  Group& group_;
  const Schedule& parts_;
  Peers destinations_, sources_;
  std::map<int, int> credit_;   ///< which of this rank's flags a peer raises,
  std::map<int, int> arrival_;  ///< and which when it has stored all; the next one when it has what lands
  int flags_;
  std::vector<int> hosts_;                   ///< of all ranks
  std::map<int, gpu::Flag*> mapped_credit_;  ///< of senders, to be raised here
  std::set<int> across_a_link_;              ///< ranks of this host that use other devices
  Landings landings_;
  std::string problem_;  ///< the first part that a sender has otherwise than this rank
  Links links_;
};

/// Which device a rank uses, and where.
void Linking::tell_devices() {
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
    links_.flags = std::make_unique<gpu::DeviceFlags>(parts_.device, flags_);
  });
  std::vector<Mine> all(static_cast<std::size_t>(group_.size()));
  const std::vector<std::byte> told = group_.gather(std::as_bytes(std::span(&mine, 1)));
  std::memcpy(all.data(), told.data(), told.size());
  const auto same = std::ranges::count_if(all, [&](const Mine& other) {
    return other.has_device != 0 && other.host == mine.host && other.name == mine.name;
  });
  links_.shares_device = mine.has_device != 0 && same > 1;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const Mine& other = all[static_cast<std::size_t>(rank)];
    if (mine.has_device != 0 && other.has_device != 0 && other.host == mine.host && other.name != mine.name)
      across_a_link_.insert(rank);
  }
  for (const Mine& other : all) hosts_.push_back(other.host);
}

void Linking::tell_counts() const {
  std::vector<int> sent(static_cast<std::size_t>(group_.size()));
  for (const auto& [peer, parts] : destinations_)
    sent[static_cast<std::size_t>(peer)] = static_cast<int>(parts.size());
  const std::vector<int> expected = group_.transpose(sent);
  std::string problem;
  for (int peer = 0; peer < group_.size() && problem.empty(); ++peer) {
    const auto found = sources_.find(peer);
    const std::size_t here = found != sources_.end() ? found->second.size() : 0;
    const int there = expected[static_cast<std::size_t>(peer)];
    if (here == static_cast<std::size_t>(there)) continue;
    problem = "receives: " + std::to_string(here) + " parts from rank " + std::to_string(peer) +
              ", which sends " + std::to_string(there);
  }
  agree(group_, problem);
}

void Linking::put_flags(Packet& packet, int flag) {
  std::optional<gpu::SharedMemory> memory;
  if (links_.flags) memory = gpu::export_memory(links_.flags->at(0), links_.flags->bytes());
  packet.put(flag);
  packet.put(group_.host());
  packet.put(memory.has_value());
  if (memory) packet.put(*memory);
}

/// `wanted` flags of a peer that this rank's device can raise; null where it cannot.
gpu::Flag* Linking::take_flags(Packet& packet, int wanted) {
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
  links_.mapped.push_back(std::move(*mapped));
  return first + flag;
}

Packets Linking::tell() {
  Packets packets;
  for (const auto& [peer, parts] : destinations_) {
    Packet& packet = packets[peer];
    put_flags(packet, credit_[peer]);
    for (const Part* part : parts) packet.put(told_of(*part));
  }
  return packets;
}

Packets Linking::answer(Packets& told) {
  Packets packets;
  for (const auto& [peer, parts] : sources_) {
    Packet& packet = told.at(peer);
    gpu::Flag* const credit = take_flags(packet, 1);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Told there = packet.take<Told>();
      const Told here = told_of(*parts[k]);
      if (here == there || !problem_.empty()) continue;
      const std::string bytes =
          here.bytes != there.bytes
              ? std::to_string(here.bytes) + " bytes here, " + std::to_string(there.bytes) + " there"
              : "elements of other types, though of as many bytes";
      problem_ = "receives[" + std::to_string(parts[k]->index) + "], part " + std::to_string(k) +
                 " from rank " + std::to_string(peer) + ": " + bytes;
    }
    Packet& mine = packets[peer];
    if (is_self(peer)) continue;
    mapped_credit_[peer] = credit;
    put_flags(mine, arrival_[peer]);
    mine.put(credit != nullptr);
    for (const Part* part : parts) answer_part(mine, *part);
  }
  return packets;
}

void Linking::answer_part(Packet& packet, const Part& part) const {
  const Offer offer = offer_of(part, longest_wire - std::ssize(packet.bytes()));
  packet.put(offer.obstacle);
  if (offer.obstacle != Obstacle::none) return;
  const std::vector<std::byte> layout = *plan::to_wire(*offer.plan, longest_wire);
  packet.put(Place{offer.memory, offer.lowest, offer.count, static_cast<std::int64_t>(layout.size()),
                   landings_.places.contains(&part)});
  packet.put_bytes(layout);
}

Linking::Offer Linking::offer_of(const Part& part, std::int64_t room) const {
  if (part.memory.kind != MemoryKind::device) return {.obstacle = Obstacle::receiver};
  const auto landing = landings_.places.find(&part);
  const bool lands = landing != landings_.places.end();
  const plan::WireName* const wire = plan::wire_name(part.plan);
  const auto span = plan::bounds(part.plan, part.count);
  if (!lands && (!span || wire == nullptr || wire->bytes > room)) return {.obstacle = Obstacle::layout};
  const auto memory = lands ? gpu::export_memory(landing->second, part.bytes)
                            : gpu::export_memory(gpu::displaced(part.buffer, span->lowest), span->span());
  if (!memory) return {.obstacle = Obstacle::allocation};
  if (lands) return {.memory = *memory, .count = part.bytes, .plan = commit(Named::byte)};
  return {.memory = *memory, .lowest = span->lowest, .count = part.count, .plan = part.plan};
}

Packets Linking::choose(Packets& places) {
  Packets packets;
  for (const auto& [peer, parts] : destinations_) {
    Packet& choices = packets[peer];
    if (is_self(peer)) continue;
    Packet& place = places.at(peer);
    gpu::Flag* const arrival = take_flags(place, 2);  // of what belongs there, and of what lands
    const bool possible = place.take<bool>() && arrival != nullptr;
    bool any_belongs = false;
    bool any_lands = false;
    for (const Part* part : parts) {
      const Obstacle obstacle = choose_part(place, *part, possible);
      choices.put(obstacle);
      if (obstacle != Obstacle::none) {
        carry(links_.sent, *part, obstacle);
      } else {
        (links_.pushes.back().lands ? any_lands : any_belongs) = true;
      }
    }
    if (any_belongs || any_lands) links_.credits_awaited.push_back(links_.flags->at(credit_[peer]));
    if (any_belongs) links_.arrivals_raised.push_back(arrival);
    if (any_lands) links_.landings_raised.push_back(arrival + 1);
  }
  return packets;
}

Obstacle Linking::choose_part(Packet& packet, const Part& part, bool possible) {
  const auto there = packet.take<Obstacle>();
  Place place{};
  std::span<const std::byte> wire;
  if (there == Obstacle::none) {
    place = packet.take<Place>();
    wire = packet.take_bytes(static_cast<std::size_t>(place.wire_bytes));
  }
  if (!part.on_stream()) return Obstacle::sender;
  if (there == Obstacle::receiver) return there;
  if (hosts_[static_cast<std::size_t>(part.peer)] != group_.host()) return Obstacle::host;
  if (there != Obstacle::none) return there;
  if (!possible) return Obstacle::reach;
  auto mapped = gpu::import_memory(place.memory, parts_.device);
  if (!mapped) return Obstacle::reach;
  const Plan plan = plan::from_wire(wire);
  const auto span = plan::bounds(plan, place.count);
  std::int64_t bytes = 0;
  if (!span || span->lowest != place.lowest || span->span() > place.memory.size - place.memory.offset ||
      __builtin_mul_overflow(place.count, plan.size(), &bytes) || bytes != part.bytes) {
    throw Error("a peer told another layout than it has");
  }
  links_.pushes.push_back({part,
                           plan,
                           place.count,
                           gpu::displaced(mapped->address(), -place.lowest),
                           {MemoryKind::device, mapped->device()},
                           false,
                           place.lands});
  links_.mapped.push_back(std::move(*mapped));
  return Obstacle::none;
}

void Linking::settle_own(const Part& send, const Part& receive) {
  const Obstacle obstacle = !send.on_stream()      ? Obstacle::sender
                            : !receive.on_stream() ? Obstacle::receiver
                                                   : Obstacle::none;
  if (obstacle == Obstacle::none) {
    links_.pushes.push_back(
        {send, receive.plan, receive.count, static_cast<std::byte*>(receive.buffer), receive.memory, true});
    ++links_.direct_receives;
    return;
  }
  carry(links_.sent, send, obstacle);
  carry(links_.received, receive, obstacle);
}

void Linking::settle(Packets& choices) {
  for (const auto& [peer, parts] : sources_) {
    if (is_self(peer)) {
      const std::vector<const Part*>& sends = destinations_.at(peer);
      for (std::size_t k = 0; k < parts.size(); ++k) settle_own(*sends[k], *parts[k]);
      continue;
    }
    std::int64_t belong = 0;
    std::int64_t land = 0;
    for (const Part* part : parts) {
      const auto landing = landings_.places.find(part);
      const auto obstacle = choices.at(peer).take<Obstacle>();
      if (obstacle != Obstacle::none) {
        carry(links_.received, *part, obstacle);
      } else if (landing == landings_.places.end()) {
        ++belong;
      } else {
        links_.landings.push_back({*part, landing->second});
        ++land;
      }
    }
    links_.direct_receives += belong + land;
    if (belong + land > 0) links_.credits_raised.push_back(mapped_credit_.at(peer));
    if (belong > 0) links_.arrivals_awaited.push_back(links_.flags->at(arrival_[peer]));
    if (land > 0) links_.landings_awaited.push_back(links_.flags->at(arrival_[peer] + 1));
  }
}

}  // namespace

Links linked(Group& group, const Schedule& parts) { return Linking(group, parts).take(); }

}  // namespace typewarp::exchange
