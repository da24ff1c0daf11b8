// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "agenda.hpp"

#include "harness/arguments.hpp"

#include <limits>

namespace typewarp::halo_bench {
namespace {

struct Method {
  const char* name;
  std::int64_t most_edge = std::numeric_limits<std::int64_t>::max();
};

/// Longer, and what these take is known from smaller ones: their times grow with the whole array, or with
/// its rows.
constexpr std::int64_t most_slow = 256;

/// Of both ranks.
std::int64_t mib_of(const Case& which) {
  const std::int64_t length = which.edge + 2 * which.width;
  return 2 * which.fields * length * length * length * static_cast<std::int64_t>(sizeof(double)) >> 20;
}

const std::vector<Method>& methods(Place place) {
  static const std::vector<Method> on_device{{method::automatic},
                                             {method::tuned},
                                             {method::manual},
                                             {method::manual_pinned},
                                             {method::datatype},
                                             {method::kernels_staged},
                                             {method::kernels_peer},
                                             {method::memcpy3d_staged, most_slow},
                                             {method::datatype_on_copies, most_slow}};
  static const std::vector<Method> on_host{{method::automatic},     {method::tuned}, {method::manual},
                                           {method::datatype},      {method::loops}, {method::plain_mpi_pack},
                                           {method::plain_datatype}};
  return place == Place::device ? on_device : on_host;
}

/// By unchanged MPI calls in any memory.
const std::vector<Method>& preloaded_methods() {
  static const std::vector<Method> all{{method::preloaded_mpi_pack, most_slow}, {method::preloaded_datatype}};
  return all;
}

/// First what targets are set for, so that a run that ends early has that.
std::vector<Case> exchanges() {
  std::vector<Case> cases{{"eight-fields", 128, 8, 2}};
  for (const std::int64_t edge : {16, 32, 64, 128, 256, 512}) cases.push_back({"gcl", edge, 3, 2});
  cases.push_back({"comb", 100, 3, 1});
  for (const std::int64_t edge : {256, 512}) cases.push_back({"tempi", edge, 8, 3});
  return cases;
}

class Agenda {
 public:
  explicit Agenda(const Options& options) : options_(options), filter_(harness::compiled(options.filter)) {}

  void add(const Case& which, Place place, const Method& method) {
    if (which.edge > options_.most || which.edge > method.most_edge) return;
    Item item{std::ssize(items_), which, place, method.name};
    if (std::regex_search(item.text(), filter_)) items_.push_back(std::move(item));
  }
  void add_exchanges(Place place, const std::vector<Method>& methods) {
    for (const Case& which : exchanges()) {
      if (place == Place::host && mib_of(which) > options_.host_mib) continue;
      for (const Method& method : methods) add(which, place, method);
    }
  }
  std::vector<Item> take() { return std::move(items_); }

 private:
  const Options& options_;
  std::regex filter_;
  std::vector<Item> items_;
};

}  // namespace

std::string Item::text() const {
  return which.name + "/" + name(place) + "/" + method + "/" + std::to_string(which.edge);
}

bool Item::of_library() const {
  return method == method::automatic || method == method::tuned || method == method::manual ||
         method == method::manual_pinned || method == method::datatype || overlaps();
}

bool Item::preloaded() const {
  return method == method::preloaded_mpi_pack || method == method::preloaded_datatype;
}

bool Item::overlaps() const {
  return method == method::overlap || method == method::overlap_in_slices ||
         method == method::overlap_arithmetic;
}

std::vector<Item> agenda(const Options& options, bool devices) {
  const auto overlap = [](std::int64_t edge) { return Case{"overlap", edge, 1, 1}; };
  Agenda result(options);
  if (options.preloaded) {
    result.add_exchanges(devices ? Place::device : Place::host, preloaded_methods());
    return result.take();
  }
  if (devices) {
    for (const char* const how :
         {method::automatic, method::overlap, method::overlap_in_slices, method::overlap_arithmetic}) {
      result.add(overlap(512), Place::device, {how});
    }
    result.add_exchanges(Place::device, methods(Place::device));
  }
  result.add(overlap(64), Place::host, {method::overlap});
  result.add_exchanges(Place::host, methods(Place::host));
  return result.take();
}

}  // namespace typewarp::halo_bench
