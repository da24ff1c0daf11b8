// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/patch.hpp"

#include "halo/fields.hpp"
#include "support/random.hpp"
#include "support/type_map.hpp"

#include <algorithm>
#include <numeric>

namespace typewarp::test {
namespace {

constexpr std::int64_t guard = 64;

std::vector<int> along_of(const Whole& whole) {
  std::vector<int> along;
  for (const Axis& axis : whole.axes) along.push_back(axis.along);
  return along;
}

}  // namespace

Patch::Patch(const halo::ProcessGrid& grid, const Whole& whole, std::uint64_t number)
    : grid_(grid), whole_(whole), number_(number) {
  for (const Axis& axis : whole.axes) {
    const int coordinate = axis.along < 0 ? 0 : grid.coordinates()[static_cast<std::size_t>(axis.along)];
    const auto here = axis.lengths.begin() + coordinate;
    const std::int64_t begin = axis.before + axis.minus;
    descriptors_.push_back(
        {axis.minus, axis.plus, begin, begin + *here, begin + *here + axis.plus + axis.after});
    origins_.push_back(std::accumulate(axis.lengths.begin(), here, std::int64_t{0}));
    totals_.push_back(std::accumulate(axis.lengths.begin(), axis.lengths.end(), std::int64_t{0}));
  }
  element_bytes_ = byte_map(whole.element);
  initialise();
  memory_ = allocate_field(static_cast<std::int64_t>(initial_.size()));
  fill();
}

halo::Field Patch::field() const {
  return {memory_ ? memory_->data() + first_ : nullptr, whole_.element, descriptors_, whole_.storage,
          along_of(whole_)};
}

void Patch::initialise() {
  const std::vector<std::int64_t> strides = field().strides();
  std::int64_t below = 0;
  std::int64_t above = whole_.element.extent();
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::int64_t reach = strides[d] * (descriptors_[d].total_length - 1);
    below += std::min<std::int64_t>(reach, 0);
    above += std::max<std::int64_t>(reach, 0);
  }
  first_ = guard - below;
  initial_ =
      pattern(guard + above - below + guard, 1000 * number_ + static_cast<std::uint64_t>(grid_.rank()));
  for_each([&](const auto& at, std::int64_t offset) {
    if (is_owned(at)) put(initial_, offset, at);
  });
}

Bytes Patch::contents() {
  Bytes found(initial_.size());
  memory_->read(found);
  return found;
}

Bytes Patch::element(const std::vector<std::int64_t>& at) {
  const halo::Field own = field();
  std::int64_t offset = first_;
  for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * own.strides()[d];
  const Bytes all = contents();
  return {all.begin() + offset, all.begin() + offset + whole_.element.extent()};
}

std::optional<std::string> Patch::difference(const std::vector<halo::Direction>& sides, std::int64_t width) {
  Bytes expected = initial_;
  for_each([&](const auto& at, std::int64_t offset) {
    if (!is_owned(at) && is_filled(at, sides, width)) put(expected, offset, at);
  });
  const Bytes found = contents();
  const auto [wrong, right] = std::ranges::mismatch(found, expected);
  if (wrong == found.end()) return std::nullopt;
  const std::int64_t place = wrong - found.begin() - first_;
  std::string text = "field " + std::to_string(number_) + ", byte " + std::to_string(place) + ": " +
                     std::to_string(static_cast<int>(*wrong)) + " instead of " +
                     std::to_string(static_cast<int>(*right));
  for_each([&](const auto& at, std::int64_t offset) {
    if (place + first_ < offset || place + first_ >= offset + whole_.element.extent()) return;
    text += ", of element";
    for (const std::int64_t index : at) text.append(" ").append(std::to_string(index));
  });
  return text;
}

template <typename Visit>
void Patch::for_each(Visit visit) const {
  const std::vector<std::int64_t> strides = field().strides();
  std::vector<std::int64_t> at(strides.size(), 0);
  std::int64_t offset = first_;
  for (;;) {
    visit(at, offset);
    std::size_t d = at.size();
    while (d > 0 && at[d - 1] + 1 == descriptors_[d - 1].total_length) {
      --d;
      offset -= strides[d] * at[d];
      at[d] = 0;
    }
    if (d == 0) return;
    ++at[d - 1];
    offset += strides[d - 1];
  }
}

bool Patch::is_owned(const std::vector<std::int64_t>& at) const {
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < descriptors_[d].begin || at[d] >= descriptors_[d].end) return false;
  }
  return true;
}

bool Patch::is_filled(const std::vector<std::int64_t>& at, const std::vector<halo::Direction>& sides,
                      std::int64_t width) const {
  halo::Direction side(grid_.dimensions(), 0);
  for (std::size_t d = 0; d < at.size(); ++d) {
    const halo::Descriptor& own = descriptors_[d];
    const std::int64_t below = own.begin - at[d];
    const std::int64_t above = at[d] - own.end + 1;
    if (below <= 0 && above <= 0) continue;
    const int p = whole_.axes[d].along;
    if (p < 0 || below > std::min(own.minus, width) || above > std::min(own.plus, width)) return false;
    const std::int64_t there = origins_[d] + at[d] - own.begin;
    const bool outside = there < 0 || there >= totals_[d];
    if (outside && !grid_.periodic()[static_cast<std::size_t>(p)]) return false;
    side[static_cast<std::size_t>(p)] = below > 0 ? -1 : 1;
  }
  return sides.empty() || std::ranges::find(sides, side) != sides.end();
}

std::int64_t Patch::global(std::size_t d, std::int64_t index) const {
  return (origins_[d] + index - descriptors_[d].begin + totals_[d]) % totals_[d];
}

void Patch::put(Bytes& bytes, std::int64_t offset, const std::vector<std::int64_t>& at) const {
  std::uint64_t name = number_ + 1;
  for (std::size_t d = 0; d < at.size(); ++d) {
    name = name * 1000003 + static_cast<std::uint64_t>(global(d, at[d]));
  }
  Random value(name);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < element_bytes_.size(); ++i) {
    if (i % sizeof word == 0) word = value.next();
    bytes[static_cast<std::size_t>(offset + element_bytes_[i])] =
        static_cast<std::byte>(word >> (i % sizeof word * 8));
  }
}

}  // namespace typewarp::test
