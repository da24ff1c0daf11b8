// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/ranks.hpp>

#include "schedule/streams/host_transport.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace typewarp {
namespace exchange {
namespace {

/// Equal in all processes on one kernel, and in no others.
std::string name_of_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  std::getline(file, name);
  return name;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

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
  std::unique_ptr<ExchangeGroup> another() const override {
    return std::make_unique<GatheredGroup>(rank_, size_, all_gather_);
  }
  std::unique_ptr<HostTransport> host_transport(const Connections&, bool) override { return nullptr; }
  bool met() override {
    meets_ = true;
    gathered({});
    return true;
  }
  void abandon() noexcept override;

 private:
  std::vector<std::vector<std::byte>> gathered(std::span<const std::byte> own) const;

  Ranks::AllGather all_gather_;
  bool meets_ = false;
};

GatheredGroup::GatheredGroup(int rank, int size, Ranks::AllGather all_gather)
    : all_gather_(std::move(all_gather)) {
  rank_ = rank;
  size_ = size;
  const std::string own = name_of_host();
  const auto names = gathered(bytes_of(own));
  const auto same = [&](const std::vector<std::byte>& name) {
    return std::ranges::equal(name, bytes_of(own));
  };
  host_ = own.empty() ? rank : static_cast<int>(std::ranges::find_if(names, same) - names.begin());
}

std::vector<std::vector<std::byte>> GatheredGroup::gathered(std::span<const std::byte> own) const {
  auto all = all_gather_(own);
  if (std::ssize(all) != size_) {
    throw Error("typewarp::Ranks: all_gather returned " + std::to_string(all.size()) +
                " values, must return one for each of " + std::to_string(size_) + " ranks");
  }
  if (std::ranges::equal(all[static_cast<std::size_t>(rank_)], own)) return all;
  throw Error("typewarp::Ranks: all_gather returned other bytes for rank " + std::to_string(rank_) +
              " than it gave");
}

std::vector<std::byte> GatheredGroup::gather(std::span<const std::byte> own) {
  std::vector<std::byte> all;
  for (const std::vector<std::byte>& one : gathered(own)) {
    if (one.size() != own.size()) throw Error("typewarp::Ranks: ranks do not gather in one order");
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::vector<int> GatheredGroup::transpose(const std::vector<int>& numbers) {
  const std::vector<std::byte> all = gather(std::as_bytes(std::span(numbers)));
  std::vector<int> own(numbers.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::memcpy(&own[i], all.data() + (i * own.size() + static_cast<std::size_t>(rank_)) * sizeof(int),
                sizeof(int));
  }
  return own;
}

// Each rank gets what all tell all; that is some KB a pair.
Packets GatheredGroup::swap(Packets packets, const std::set<int>& from) {
  Packet own;
  own.put(packets.size());
  for (const auto& [to, packet] : packets) {
    own.put(to);
    own.put(packet.bytes().size());
    own.put_bytes(packet.bytes());
  }
  const auto all = gathered(own.bytes());
  Packets received;
  for (const int rank : from) {
    Packet told(all[static_cast<std::size_t>(rank)]);
    for (auto left = told.take<std::size_t>(); left > 0; --left) {
      const int to = told.take<int>();
      const auto bytes = told.take_bytes(told.take<std::size_t>());
      if (to == rank_) received.emplace(rank, Packet({bytes.begin(), bytes.end()}));
    }
    if (!received.contains(rank)) throw Error("typewarp::Ranks: ranks do not gather in one order");
  }
  return received;
}

std::optional<std::string> GatheredGroup::first_problem(const std::string& problem) {
  const auto all = gathered(bytes_of(problem));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    return "rank " + std::to_string(rank) + ": " +
           std::string(reinterpret_cast<const char*>(all[rank].data()), all[rank].size());
  }
  return std::nullopt;
}

// Gathers all the same: ranks that have met() would wait for this one for ever, or take what it gathers next
// for that.
void GatheredGroup::abandon() noexcept {
  if (meets_) return;
  try {
    met();
  } catch (const std::exception&) {  // nobody is left to be told
  }
}

}  // namespace
}  // namespace exchange

Ranks::Ranks(int rank, int size, AllGather all_gather) {
  if (size < 1) throw InvalidArgument("typewarp::Ranks", "size", size, "must be positive");
  if (rank < 0 || rank >= size)
    throw InvalidArgument("typewarp::Ranks", "rank", rank, "must be one of " + std::to_string(size));
  if (!all_gather) throw InvalidArgument("typewarp::Ranks", "all_gather", "empty", "must be a function");
  make_ = [rank, size, all_gather = std::move(all_gather)] {
    return std::make_unique<exchange::GatheredGroup>(rank, size, all_gather);
  };
}

std::unique_ptr<exchange::ExchangeGroup> Ranks::group() const { return make_(); }

}  // namespace typewarp
