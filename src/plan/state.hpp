// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/encoding.hpp"

#include <typewarp/plan.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace typewarp::plan {

/// What an engine keeps with a plan, for instance a lookaside buffer uploaded to one device.
struct Attachment {
  Attachment& operator=(Attachment&&) = delete;
  virtual ~Attachment() = default;
};

/// Slots of the attachments: the host engine and the wire have one, each device has two.
inline constexpr std::size_t max_devices = 64;
inline constexpr std::size_t host_slot = 0;
constexpr std::size_t device_slot(int device) { return 1 + 2 * static_cast<std::size_t>(device); }
/// For what a device needs only where it moves a plan by the generic kernel.
constexpr std::size_t generic_slot(int device) { return device_slot(device) + 1; }
inline constexpr std::size_t wire_slot = device_slot(max_devices);
inline constexpr std::size_t attachment_slots = wire_slot + 1;

/// What a Plan points to.
struct State {
  explicit State(const Datatype& type);
  /// Of a layout that came without its datatype, which stays null: engines need the layout only.
  State(Layout items, std::int64_t distance, Datatype type = {});
  ~State();

  Datatype datatype;
  Layout layout;
  Encoding encoding;
  std::int64_t size;
  std::int64_t extent;
  mutable std::array<std::atomic<Attachment*>, attachment_slots> attachments{};
};

/// What only the library does with a Plan.
struct Internal {
  static Plan make(std::shared_ptr<const State> state) noexcept { return Plan(std::move(state)); }
  static const State& state(const Plan& plan) noexcept { return *plan.state_; }
};
inline const State& state_of(const Plan& plan) noexcept { return Internal::state(plan); }

/// The attachment in `slot`, made by `make()` (returning std::unique_ptr<T>) on first use. Threads that race
/// for the first use may each make one; one of them wins, the others are destroyed.
template <typename T, typename Make>
const T& attached(const State& state, std::size_t slot, Make make) {
  std::atomic<Attachment*>& place = state.attachments.at(slot);
  Attachment* present = place.load(std::memory_order_acquire);
  if (present == nullptr) {
    std::unique_ptr<T> made = make();
    if (place.compare_exchange_strong(present, made.get(), std::memory_order_acq_rel))
      present = made.release();
  }
  return static_cast<const T&>(*present);
}

}  // namespace typewarp::plan
