// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device of these tests has no kernels that wait for each other: nothing is made by devices at once.
#include "engine/device/peer_reduction.hpp"
#include "engine/runtime/share.hpp"
#include "schedule/streams/direct_schedule.hpp"
#include "schedule/streams/peer_memory.hpp"

namespace typewarp {
namespace gpu {

std::uint64_t allocation_number(const void*) noexcept { return 0; }

PeerReduction::PeerReduction(int device, int rank, std::span<std::byte* const>, bool in_a_row)
    : device_(device),
      rank_(rank),
      ranks_(0),
      in_a_row_(in_a_row),
      gate_(device, 1),
      counts_(device, 0),
      news_(0) {}
bool PeerReduction::leaves_room(int) { return true; }
void PeerReduction::load(const NumbersOfRanks&) const {}
void PeerReduction::enqueue(const NumbersOfRanks&, Stream) {}
std::uint64_t PeerReduction::ended() const noexcept { return 0; }
bool PeerReduction::waits() const noexcept { return false; }
bool PeerReduction::waits_anew() noexcept { return false; }
void PeerReduction::check_device() const {}

}  // namespace gpu

namespace exchange {

std::unique_ptr<DirectSchedule> DirectSchedule::of(ExchangeGroup&, std::span<const OutgoingPart>,
                                                   std::span<const IncomingPart>) {
  return nullptr;
}
struct DirectSchedule::State {};
DirectSchedule::~DirectSchedule() = default;
void DirectSchedule::start(Stream) {}
bool DirectSchedule::done() const noexcept { return true; }
void DirectSchedule::check_device() const {}
void DirectSchedule::release() {}
void DirectSchedule::abandon() noexcept {}

std::unique_ptr<PeerMemory> PeerMemory::of(ExchangeGroup&, int, std::int64_t, std::string*) {
  return nullptr;
}
std::unique_ptr<PeerMemory> PeerMemory::of_given(ExchangeGroup&, int, std::byte*, std::int64_t,
                                                 std::string*) {
  return nullptr;
}
PeerMemory::PeerMemory(int device, std::int64_t bytes) : device_(device), bytes_(bytes), data_(nullptr) {}
PeerMemory::Offer PeerMemory::offer(int host) const { return {host, 0, {}}; }
std::string PeerMemory::map(int, std::span<const Offer>) { return "this device has no memory for peers"; }

}  // namespace exchange
}  // namespace typewarp
