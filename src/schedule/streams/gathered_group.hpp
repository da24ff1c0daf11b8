// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/group.hpp"

#include <typewarp/ranks.hpp>

namespace typewarp::exchange {

/// Ranks that a function of the caller's gathers from. Nothing is carried.
class GatheredGroup final : public ExchangeGroup {
 public:
  /// Collective. Throws Error for what the function must not return, and what it throws.
  GatheredGroup(int rank, int size, Ranks::AllGather all_gather);

  bool is_nobody(int peer) const noexcept override { return peer == -1; }
  std::string_view nobody() const noexcept override { return "-1"; }
  std::vector<std::byte> gather(std::span<const std::byte> own) override;
  std::vector<int> transpose(const std::vector<int>& numbers) override;
  Packets swap(Packets packets, const std::set<int>& from) override;
  std::optional<std::string> first_problem(const std::string& problem) override;
  std::unique_ptr<ExchangeGroup> another() const override;
  std::unique_ptr<HostTransport> host_transport(const Connections& connections, bool pinned) override;
  bool met() override;
  /// Gathers all the same: ranks that have met() would wait for this one for ever, or take what it gathers
  /// next for that.
  void abandon() noexcept override;

 private:
  std::vector<std::vector<std::byte>> gathered(std::span<const std::byte> own) const;

  Ranks::AllGather all_gather_;
  bool meets_ = false;
};

}  // namespace typewarp::exchange
