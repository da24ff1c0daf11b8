// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "blocks.hpp"
#include "indices.hpp"
#include "operand.hpp"
#include "plans.hpp"
#include "view.hpp"

#include <typewarp/engine.hpp>

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// Rows of the first `depth` dimensions of a view, which are added one after the other.
class Rows {
 public:
  Rows(View& x, std::size_t depth) : x_(x), array_(without_memory(x.array())) {
    check_strided("x", x);
    if (array_.dimensions.empty()) refuse("x", "has no dimensions, so no rows");
    const auto row = array_.dimensions.begin() + static_cast<std::ptrdiff_t>(depth);
    stride_ = row[-1].stride;
    Array one = array_;
    one.dimensions.assign(row, array_.dimensions.end());
    blocks_ = {{}, {}, stride_, merged(one)};
    array_.dimensions.erase(array_.dimensions.begin(), row - 1);
  }

  std::int64_t stride() const noexcept { return stride_; }
  void add(std::int64_t displacement, std::int64_t rows) {
    rows_ += rows;
    if (x_.elements() > 0) blocks_.append(displacement, rows);
  }
  std::unique_ptr<View> view(bool repeats) && {
    array_.dimensions.front().size = rows_;
    blocks_.displacements.shrink_to_fit();
    blocks_.lengths.shrink_to_fit();
    std::vector<Blocks> parts;
    if (!blocks_.lengths.empty()) parts.push_back(std::move(blocks_));
    return std::make_unique<View>(nb::find(x_), std::move(array_), std::move(parts), repeats, x_.hints());
  }

 private:
  View& x_;
  Array array_;
  std::int64_t stride_ = 0;
  Blocks blocks_;
  std::int64_t rows_ = 0;
};

/// Ranges of rows.
struct Ranges {
  std::vector<std::int64_t> starts, lengths;

  /// Whether two of them have a row in common.
  bool overlap() const {
    std::vector<std::size_t> order(starts.size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](std::size_t i) { return lengths[i] == 0; });
    const auto before = [&](std::size_t a, std::size_t b) { return starts[a] < starts[b]; };
    if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
    const auto meet = [&](std::size_t a, std::size_t b) { return starts[b] - starts[a] < lengths[a]; };
    return std::ranges::adjacent_find(order, meet) != order.end();
  }
};

[[noreturn]] void refuse_index(const std::string& text) { throw nb::index_error(text.c_str()); }

/// As they are told, from the end where a start is negative, within `size` rows. `alone`: each is of one row.
Ranges within(std::int64_t size, std::vector<std::int64_t> starts, std::vector<std::int64_t> lengths,
              bool alone) {
  if (starts.size() != lengths.size()) {
    refuse("lengths", "are " + std::to_string(lengths.size()) + ", must be as many as the index has, " +
                          std::to_string(starts.size()));
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t told = starts[i];
    if (told < 0) starts[i] += size;
    if (starts[i] < 0 || starts[i] > size || (alone && starts[i] == size)) {
      refuse_index("index: " + std::to_string(told) + " is beyond the " + std::to_string(size) +
                   " rows of x");
    }
    if (lengths[i] < 0 || lengths[i] > size - starts[i]) {
      refuse_index("lengths: " + std::to_string(lengths[i]) + " rows from row " + std::to_string(starts[i]) +
                   " on are not in x, which has " + std::to_string(size));
    }
  }
  return {std::move(starts), std::move(lengths)};
}

/// Range i is of `lengths[i]` rows from row `starts[i]` on; one each without `lengths`.
std::unique_ptr<View> of_ranges(View& x, View& starts, std::uintptr_t stream, View* lengths,
                                std::uintptr_t lengths_stream) {
  Rows rows(x, 1);
  std::vector<std::int64_t> first = integers_of("index", starts, stream);
  std::vector<std::int64_t> many(first.size(), 1);
  if (lengths != nullptr) many = integers_of("lengths", *lengths, lengths_stream);
  const Ranges ranges =
      within(x.array().dimensions.front().size, std::move(first), std::move(many), lengths == nullptr);
  for (std::size_t i = 0; i < ranges.starts.size(); ++i) {
    const std::int64_t displacement = x.elements() > 0 ? ranges.starts[i] * rows.stride() : 0;
    rows.add(displacement, ranges.lengths[i]);
  }
  return std::move(rows).view(ranges.overlap());
}

/// The rows of the mask's dimensions for which it is true.
std::unique_ptr<View> of_mask(View& x, View& mask, std::uintptr_t stream) {
  check_strided("x", x);
  const std::vector<Dimension>&whole = x.array().dimensions, &shape = mask.array().dimensions;
  const std::size_t depth = shape.size();
  bool fits = depth > 0 && depth <= whole.size();
  for (std::size_t d = 0; fits && d < depth; ++d) fits = whole[d].size == shape[d].size;
  if (!fits) refuse("index", "is a mask, whose shape must be that of the first dimensions of x");
  Rows rows(x, depth);
  std::vector<std::int64_t> at(depth);
  std::int64_t displacement = 0;
  bool repeats = false;
  for (const Dimension& d : std::span(whole).first(depth)) repeats = repeats || (d.size > 1 && d.stride == 0);
  for (const std::byte take : bytes_of("index", mask, stream)) {
    if (take != std::byte{0}) rows.add(displacement, 1);
    if (x.elements() == 0) continue;
    for (std::size_t d = depth; d-- > 0;) {
      if (++at[d] < whole[d].size) {
        displacement += whole[d].stride;
        break;
      }
      displacement -= (whole[d].size - 1) * whole[d].stride;
      at[d] = 0;
    }
  }
  return std::move(rows).view(repeats);
}

/// What one stream may read and write together: of one library, in memory of one kind and device.
void check_alike(const View& first, const View& other, std::size_t i) {
  const std::string argument = "x[" + std::to_string(i) + "]";
  const Array &a = first.array(), &b = other.array();
  const PointerInfo there = pointer_info(first.first()), here = pointer_info(other.first());
  if (b.place != a.place || here.kind != there.kind || here.device != there.device) {
    refuse(argument.c_str(), "lies in other memory than x[0]");
  }
  if (first.on_gpu() && (a.exchange != b.exchange || a.stream != b.stream)) {
    refuse(argument.c_str(), "is of another library than x[0], or on another stream");
  }
}

bool equal(const Element& a, const Element& b) { return a.matches(b) && a.name() == b.name(); }

/// All elements of one after all of the other; as bytes, where they are of several types. With the hints that
/// all have.
std::unique_ptr<View> joined(const std::vector<View*>& views) {
  if (views.empty()) refuse("x", "has no arrays");
  const View* first = views.front();
  for (const View* view : views) first = first->elements() > 0 ? first : view;
  Array whole = without_memory(first->array());
  std::vector<Blocks> parts;
  std::int64_t bytes = 0;
  bool repeats = false, of_one_type = true, alike = true;
  nb::list owners;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const View& view = *views[i];
    whole.readonly = whole.readonly || view.array().readonly;
    alike = alike && view.hints() == first->hints();
    of_one_type = of_one_type && equal(view.array().element, whole.element);
    if (view.elements() == 0) continue;
    check_alike(*first, view, i);
    view.add_strided(owners);
    repeats = repeats || view.repeats();
    if (__builtin_add_overflow(bytes, view.bytes(), &bytes)) refuse("x", "has more bytes than 64 bits count");
    const std::int64_t place = view.array().data - whole.data;
    if (view.strided()) parts.push_back({{place}, {1}, 0, merged(view.array())});
    for (Blocks part : view.parts()) {
      for (std::int64_t& displacement : part.displacements) displacement += place;
      parts.push_back(std::move(part));
    }
  }
  if (bytes == 0) first->add_strided(owners);
  if (!of_one_type) whole.element = Element::of_format(nullptr, 1);
  whole.dimensions = {{bytes / whole.element.bytes(), whole.element.bytes()}};
  return std::make_unique<View>(nb::tuple(owners), std::move(whole), std::move(parts), repeats,
                                alike ? first->hints() : Hints());
}

}  // namespace

void bind_layout(nb::module_& module) {
  module.def("of_ranges", &of_ranges, "x"_a, "starts"_a, "stream"_a, "lengths"_a.none(), "lengths_stream"_a,
             "The rows of x in ranges of its first dimension.");
  module.def("of_mask", &of_mask, "x"_a, "mask"_a, "stream"_a, "The rows of x for which a mask is true.");
  module.def("joined", &joined, "views"_a, "The elements of one view after those of the other.");
}

}  // namespace typewarp::python
