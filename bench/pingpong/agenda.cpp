// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "agenda.hpp"

#include "harness/arguments.hpp"
#include "by_hand.hpp"
#include "halo_exchange.hpp"
#include "methods.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace typewarp::pingpong {
namespace {

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t mebi = kibi * kibi;

constexpr std::array<std::int64_t, 5> first_sizes{kibi, mebi, 16 * mebi, 64 * mebi, 256 * mebi};
/// Of contiguous messages alone: those of the table of paper 004.
constexpr std::array<std::int64_t, 3> table_sizes{8, 512, 2 * kibi};
constexpr std::array<std::int64_t, 7> other_sizes{64,        256,        4 * kibi, 16 * kibi,
                                                  64 * kibi, 256 * kibi, 4 * mebi};
constexpr std::array<std::int64_t, 2> halo_interiors{32, 128};

constexpr std::int64_t most_eager = 16 * mebi;  // longer than anybody would send so

/// Noncontiguous host memory takes long to fill and to compare.
constexpr std::int64_t most_quick = mebi;

constexpr int turn_of_targets = 0;
constexpr int turn_of_others = 1;
constexpr int turn_of_long = 2;

constexpr Pair host_host{Place::host, Place::host};
constexpr Pair device_device{Place::device, Place::device};
constexpr std::array mixed{Pair{Place::host, Place::device}, Pair{Place::device, Place::host}};

/// By which nothing else goes.
bool between_devices(const std::string& protocol) { return protocol == "gpu_aware" || protocol == "ucx"; }

class Agenda {
 public:
  Agenda(const Options& options, const Means& means)
      : options_(options), means_(means), filter_(harness::compiled(options.filter)) {}

  void add_case(const Case& which, std::int64_t bytes, int turn) {
    if (bytes < which.least || bytes > which.most || bytes < options_.least || bytes > options_.most) return;
    const bool contiguous = which.name == contiguous_case;
    for (const std::string& protocol : means_.protocols) {
      if (protocol == "eager" && bytes > most_eager) continue;
      if (means_.devices) add(&which, protocol, device_device, bytes, turn);
      if (between_devices(protocol)) continue;
      const bool automatic = protocol == means_.protocols.front();
      const bool host = bytes <= which.most_on_host;
      if (means_.devices && host && (contiguous || (automatic && turn == turn_of_targets))) {
        for (const Pair pair : mixed) add(&which, protocol, pair, bytes, turn);
      }
      if (host) add(&which, protocol, host_host, bytes, turn);
    }
    if (bytes <= which.most_on_host) add(&which, mpi_method, host_host, bytes, turn);
    if (!means_.devices) return;
    if (options_.gpu_mpi && contiguous) add(&which, mpi_device_method, device_device, bytes, turn);
    add(&which, blocking_2d, device_device, bytes, turn);
    add(&which, pipelined_2d, device_device, bytes, turn);
    if (contiguous) add(&which, copy_method, device_device, bytes, turn);
  }
  void add_halo(std::int64_t interior) {
    const std::int64_t bytes = halo_bytes(interior);
    if (bytes < options_.least || bytes > options_.most) return;
    for (const std::string& protocol : means_.protocols) {
      if (means_.devices) add(nullptr, protocol, device_device, interior, turn_of_targets);
      if (!between_devices(protocol)) add(nullptr, protocol, host_host, interior, turn_of_targets);
    }
    add(nullptr, mpi_method, host_host, interior, turn_of_targets);
  }
  std::vector<Item> take() { return std::move(items_); }

 private:
  void add(const Case* which, const std::string& method, Pair pair, std::int64_t bytes, int turn) {
    const bool reference = method == mpi_method && which != nullptr && which->name == contiguous_case;
    const bool host = pair.from == Place::host || pair.to == Place::host;
    if (which != nullptr && host && bytes > most_quick && !reference) turn = turn_of_long;
    Item item{static_cast<std::int64_t>(items_.size()), which, method, pair, bytes, turn};
    if (std::regex_search(item.text(), filter_)) items_.push_back(std::move(item));
  }

  const Options& options_;
  const Means& means_;
  std::regex filter_;
  std::vector<Item> items_;
};

/// Of each turn case by case, and of each case the methods one behind the other, so that a protocol is set up
/// once.
void sort(std::vector<Item>& items, const std::vector<Case>& cases) {
  const auto order = [&](const Item& item) {
    return item.which == nullptr ? std::ssize(cases) : item.which - cases.data();
  };
  std::ranges::sort(items, [&](const Item& a, const Item& b) {
    return std::tuple(a.turn, order(a), a.method, a.index) < std::tuple(b.turn, order(b), b.method, b.index);
  });
}

}  // namespace

std::string Item::case_name() const { return which == nullptr ? halo_case : which->name; }

std::string Item::text() const {
  return case_name() + "/" + name(pair) + "/" + method + "/" + std::to_string(bytes);
}

std::vector<Item> agenda(const std::vector<Case>& cases, const Options& options, const Means& means) {
  Agenda result(options, means);
  for (const Case& which : cases) {
    for (const std::int64_t bytes : first_sizes) result.add_case(which, bytes, turn_of_targets);
    for (const std::int64_t bytes : other_sizes) result.add_case(which, bytes, turn_of_others);
    if (which.name != contiguous_case) continue;
    for (const std::int64_t bytes : table_sizes) result.add_case(which, bytes, turn_of_targets);
  }
  for (const std::int64_t interior : halo_interiors) result.add_halo(interior);
  std::vector<Item> items = result.take();
  sort(items, cases);
  for (std::size_t i = 0; i < items.size(); ++i) items[i].index = static_cast<std::int64_t>(i);
  return items;
}

}  // namespace typewarp::pingpong
