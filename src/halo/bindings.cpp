// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/bindings.hpp"

#include <algorithm>
#include <iterator>

namespace typewarp::halo {

std::vector<void*> addresses(std::span<const Field> fields) {
  std::vector<void*> data;
  for (const Field& field : fields) data.push_back(field.data());
  return data;
}

Binding prepared(const Setup& setup, std::span<const Field> fields, std::int64_t width) {
  std::vector<Stage> stages{transfers_of(setup.grid, fields, setup.options, width)};
  Binding made{addresses(fields), width, {}, nullptr};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t t = 0; t < stages[s].size(); ++t) {
      stages[s][t].received_order = setup.stages[s][t].received_order;
    }
    made.stages.emplace_back(setup, fields, stages[s]);
  }
  return made;
}

bool Bindings::bind(const std::vector<void*>& data, std::int64_t width) {
  const auto known = std::ranges::find_if(
      all_, [&](const Binding& binding) { return binding.width == width && binding.data == data; });
  if (known == all_.end()) return false;
  all_.splice(all_.begin(), all_, known);
  return true;
}

bool Bindings::in_graphs() const noexcept { return std::ranges::any_of(all_, &Binding::in_graphs); }

bool Bindings::full() const noexcept {
  return std::ranges::count(all_, false, &Binding::in_graphs) > std::ptrdiff_t{most_others};
}

void Bindings::drop() noexcept {
  const auto oldest = std::ranges::find(all_.rbegin(), all_.rend(), false, &Binding::in_graphs);
  all_.erase(std::prev(oldest.base()));
}

}  // namespace typewarp::halo
