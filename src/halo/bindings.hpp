// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/accumulation.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <vector>

namespace typewarp::halo {

/// What an exchange of one width needs of fields at some addresses.
struct Binding {
  std::vector<void*> data;
  std::int64_t width;
  std::unique_ptr<schedule::MessageStep> step;
  std::unique_ptr<Accumulation> accumulation;  ///< once it has been asked for
  bool packed_by_graph = false;                ///< whether a graph packs by this: it must stay then
  bool unpacked_by_graph = false;

  bool in_graphs() const noexcept { return packed_by_graph || unpacked_by_graph; }
};

/// The addresses that an exchange was bound to. The most recently used ones stay.
class Bindings {
 public:
  /// How many stay beside the bound one.
  static constexpr std::size_t most_others = 8;

  /// What is bound. Precondition: something was.
  Binding& bound() noexcept { return all_.front(); }
  /// Binds addresses that were bound before; false if they are not here.
  bool bind(const std::vector<void*>& data, std::int64_t width) {
    const auto known = std::ranges::find_if(
        all_, [&](const Binding& binding) { return binding.width == width && binding.data == data; });
    if (known == all_.end()) return false;
    all_.splice(all_.begin(), all_, known);
    return true;
  }
  void add(Binding binding) { all_.push_front(std::move(binding)); }
  /// Whether one has to go before another is added. Those that graphs use do not count.
  bool full() const noexcept {
    return std::ranges::count(all_, false, &Binding::in_graphs) > std::ptrdiff_t{most_others};
  }
  /// Gives up the one that was used least recently. Precondition: full().
  void drop() noexcept {
    const auto oldest = std::ranges::find(all_.rbegin(), all_.rend(), false, &Binding::in_graphs);
    all_.erase(std::prev(oldest.base()));
  }
  /// Whether a graph uses one of them.
  bool in_graphs() const noexcept { return std::ranges::any_of(all_, &Binding::in_graphs); }

 private:
  std::list<Binding> all_;  ///< the last used one first
};

}  // namespace typewarp::halo
