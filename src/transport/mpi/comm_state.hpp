// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace typewarp::transport {

/// The kinds of members. When a communicator is freed they leave in this order.
enum class CommSlot : std::uint8_t {
  nccl,
  direct,
  agreement,
  in_turn,
  exchanges,
  session,
  settings,
  host,
  job
};

/// All that this library keeps with a communicator: one MPI attribute, which duplicates do not get, with a
/// slot for each kind of member. Members are made at their first use. Thread safe.
class CommState {
 public:
  /// A class of members has `static constexpr CommSlot slot`.
  class Member {
   public:
    Member& operator=(Member&&) = delete;
    virtual ~Member() = default;

    /// The communicator is about to be freed, or another member takes this one's place. The MPI may hold
    /// locks of its own meanwhile. What it throws becomes an error of the call that frees the communicator.
    virtual void leave() {}
  };

  /// Null where there is none. Throws MpiError.
  template <class T>
  static std::shared_ptr<T> find(MPI_Comm comm) {
    return std::static_pointer_cast<T>(find_member(comm, T::slot));
  }
  /// In place of what is kept there. Throws MpiError, std::bad_alloc.
  template <class T>
  static void keep(MPI_Comm comm, std::shared_ptr<T> member) {
    keep_member(comm, T::slot, std::move(member));
  }
  /// Calls `act` with each member of a kind that is kept now. It must not call the MPI.
  template <class T, class Act>
  static void for_each(const Act& act) {
    const Lock lock = lock_all();
    for (CommState* const state : all()) {
      if (const auto member = std::static_pointer_cast<T>(state->get(T::slot))) act(*member);
    }
  }
  /// As if the communicator were freed.
  static void drop(MPI_Comm comm) noexcept;
  /// From now on nothing is found that is kept now; it leaves with its communicators.
  static void forget_all() noexcept;
  /// Before a Session: the MPI may have been initialised again since the last one, by sessions of its own,
  /// and may have given the number of our keyval to others. Then nothing is kept.
  static void renew_if_unused() noexcept;

 private:
  static constexpr std::size_t slots = static_cast<std::size_t>(CommSlot::job) + 1;
  using Lock = std::unique_lock<std::mutex>;
  struct Registry;

  static Registry& registry() noexcept;
  static Lock lock_all();
  static std::span<CommState* const> all() noexcept;
  static std::shared_ptr<Member> find_member(MPI_Comm comm, CommSlot slot);
  static void keep_member(MPI_Comm comm, CommSlot slot, std::shared_ptr<Member> member);
  static CommState* find_state(MPI_Comm comm);
  static CommState& make_state(MPI_Comm comm);
  static int leave_all(MPI_Comm, int, void* attribute, void*);

  std::shared_ptr<Member> get(CommSlot slot);

  std::mutex mutex_;  ///< of the slots
  std::array<std::shared_ptr<Member>, slots> members_;
};

}  // namespace typewarp::transport
