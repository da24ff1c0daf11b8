// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/problem.hpp"
#include "schedule/streams/packets.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace typewarp::exchange {

inline constexpr std::string_view call = "typewarp::Exchange";

class HostTransport;
struct Connections;

/// The ranks that make an exchange or the like, and how they meet while it is made and ended. What is
/// collective, all ranks call in one order, in the thread that makes or ends the exchange.
class ExchangeGroup {
 public:
  ExchangeGroup& operator=(ExchangeGroup&&) = delete;
  virtual ~ExchangeGroup() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// The same in the ranks of one host only.
  int host() const noexcept { return host_; }
  /// What they make: errors that they agree on begin with it.
  std::string_view maker() const noexcept { return maker_; }
  void set_maker(std::string_view maker) noexcept { maker_ = maker; }
  /// Whether a peer of this number is nobody: nothing moves.
  virtual bool is_nobody(int peer) const noexcept = 0;
  /// That number and what is said of it: "MPI_PROC_NULL".
  virtual std::string_view nobody() const noexcept = 0;

  /// Collective: what each rank gives, of equal length in all, in the order of ranks.
  virtual std::vector<std::byte> gather(std::span<const std::byte> own) = 0;
  /// Collective: one number to each rank and from each.
  virtual std::vector<int> transpose(const std::vector<int>& numbers) = 0;
  /// Sends each packet to its rank, and returns what the ranks `from` send.
  virtual Packets swap(Packets packets, const std::set<int>& from) = 0;
  /// Collective. If any rank has a problem, the text of the lowest such rank, which it begins with.
  virtual std::optional<std::string> first_problem(const std::string& problem) = 0;
  /// Collective: the same ranks once more, for another exchange beside this one.
  virtual std::unique_ptr<ExchangeGroup> another() const = 0;

  /// What carries messages that are not stored where they belong; null where nothing does. `pinned`: whether
  /// a device packs and unpacks.
  virtual std::unique_ptr<HostTransport> host_transport(const Connections& connections, bool pinned) = 0;

  /// Collective: whether all ranks have come to this call, of which each asks again until it is so.
  virtual bool met() = 0;
  /// This rank has failed, or others are late or gone: nothing waits for them, but where all can only gather
  /// together, whoever has not met() does it now.
  virtual void abandon() noexcept = 0;

 protected:
  int rank_ = 0, size_ = 1, host_ = 0;
  std::string_view maker_ = call;
};

/// Collective. Throws Error on all ranks, with the text of the lowest one that has a problem.
inline void agree(ExchangeGroup& group, const std::string& problem) {
  if (const auto text = group.first_problem(problem)) throw Error(std::string(group.maker()) + ": " + *text);
}

/// Collective: what each rank says, in the order of ranks.
template <typename Said>
  requires std::is_trivially_copyable_v<Said>
std::vector<Said> gathered(ExchangeGroup& group, const Said& own) {
  const std::vector<std::byte> told = group.gather(std::as_bytes(std::span(&own, 1)));
  std::vector<Said> all(static_cast<std::size_t>(group.size()));
  std::memcpy(all.data(), told.data(), told.size());
  return all;
}

/// Collective. Whether all ranks say the same.
template <typename Said>
bool are_alike(ExchangeGroup& group, const Said& own) {
  return std::ranges::count(gathered(group, own), own) == group.size();
}

/// Collective. Whether all ranks say so.
inline bool in_all(ExchangeGroup& group, bool own) {
  const std::vector<int> all = gathered(group, own ? 1 : 0);
  return std::ranges::find(all, 0) == all.end();
}

/// Calls `step`, which does not communicate, on all ranks. What it throws on one goes on there, and the
/// others throw Error with its text.
template <typename Step>
void together(ExchangeGroup& group, Step step) {
  typewarp::together([&](const std::string& problem) { agree(group, problem); }, step);
}

}  // namespace typewarp::exchange
