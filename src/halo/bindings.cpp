// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/bindings.hpp"

#include <algorithm>
#include <iterator>

namespace typewarp::halo {

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
