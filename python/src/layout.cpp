// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "blocks.hpp"
#include "indices.hpp"
#include "operand.hpp"
#include "plans.hpp"
#include "view.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// The array of rows of the first `depth` dimensions, with a new first dimension of `rows` in their place.
Array rows_of(const Array& whole, std::size_t depth, std::int64_t rows) {
  Array result = whole;
  // The view of `whole` keeps what its library handed out.
  result.memory.reset();
  result.held = nullptr;
  const auto begin = result.dimensions.begin(), last = begin + static_cast<std::ptrdiff_t>(depth) - 1;
  last->size = rows;
  result.dimensions.erase(begin, last);
  return result;
}

Blocks no_blocks(const Array& whole, std::size_t depth) {
  Array row = whole;
  row.memory.reset();
  row.dimensions.erase(row.dimensions.begin(), row.dimensions.begin() + static_cast<std::ptrdiff_t>(depth));
  return {{}, {}, whole.dimensions[depth - 1].stride, merged(row)};
}

void check_rows(const View& x) {
  check_strided("x", x);
  if (x.array().dimensions.empty()) throw nb::value_error("x: has no dimensions, so no rows");
}

std::unique_ptr<View> view_of(View& x, std::size_t depth, std::int64_t rows, Blocks blocks, bool repeats) {
  std::vector<Blocks> parts;
  if (!blocks.rows.empty()) parts.push_back(std::move(blocks));
  return std::make_unique<View>(nb::find(x), rows_of(x.array(), depth, rows), std::move(parts), repeats);
}

/// Whether two ranges of rows have one in common.
bool overlap(const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& lengths) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return lengths[i] == 0; });
  const auto before = [&](std::size_t a, std::size_t b) { return starts[a] < starts[b]; };
  if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
  return std::ranges::adjacent_find(order, [&](std::size_t a, std::size_t b) {
           return starts[b] - starts[a] < lengths[a];
         }) != order.end();
}

/// Range i is of `lengths[i]` rows from row `starts[i]` on; one each without `lengths`.
std::unique_ptr<View> of_ranges(View& x, View& starts, View* lengths, std::uintptr_t stream) {
  check_rows(x);
  std::vector<std::int64_t> first = integers_of("index", starts, stream);
  std::vector<std::int64_t> many(first.size(), 1);
  if (lengths != nullptr) many = integers_of("lengths", *lengths, stream);
  if (many.size() != first.size()) {
    throw nb::value_error(("lengths: are " + std::to_string(many.size()) +
                           ", must be as many as the index has, " + std::to_string(first.size()))
                              .c_str());
  }
  const auto [size, stride] = x.array().dimensions.front();
  Blocks blocks = no_blocks(x.array(), 1);
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int64_t told = first[i];
    if (told < 0) first[i] += size;
    const bool inside = first[i] >= 0 && (first[i] < size || (lengths != nullptr && first[i] == size));
    if (!inside) {
      throw nb::index_error(
          ("index: " + std::to_string(told) + " is beyond the " + std::to_string(size) + " rows of x")
              .c_str());
    }
    if (many[i] < 0 || many[i] > size - first[i]) {
      throw nb::index_error(("lengths: " + std::to_string(many[i]) + " rows from row " +
                             std::to_string(first[i]) + " on are not in x, which has " + std::to_string(size))
                                .c_str());
    }
    blocks.append(first[i] * stride, many[i]);
    rows += many[i];
  }
  const bool repeats = overlap(first, many);
  return view_of(x, 1, rows, std::move(blocks), repeats);
}

/// The rows of the mask's dimensions for which it is true.
std::unique_ptr<View> of_mask(View& x, View& mask, std::uintptr_t stream) {
  check_rows(x);
  const std::vector<Dimension>&whole = x.array().dimensions, &shape = mask.array().dimensions;
  const std::size_t depth = shape.size();
  bool fits = depth > 0 && depth <= whole.size();
  for (std::size_t d = 0; fits && d < depth; ++d) fits = whole[d].size == shape[d].size;
  if (!fits) throw nb::value_error("index: is a mask, whose shape must be that of the first dimensions of x");
  const std::vector<std::byte> taken = bytes_of(mask, stream);
  Blocks blocks = no_blocks(x.array(), depth);
  std::vector<std::int64_t> at(depth);
  std::int64_t rows = 0, displacement = 0;
  bool repeats = false;
  for (const Dimension& d : std::span(whole).first(depth)) repeats = repeats || (d.size > 1 && d.stride == 0);
  for (const std::byte take : taken) {
    if (take != std::byte{0}) {
      blocks.append(displacement, 1);
      ++rows;
    }
    for (std::size_t d = depth; d-- > 0;) {
      displacement += whole[d].stride;
      if (++at[d] < whole[d].size) break;
      displacement -= whole[d].size * whole[d].stride;
      at[d] = 0;
    }
  }
  return view_of(x, depth, rows, std::move(blocks), repeats);
}

void check_alike(const Array& first, const Array& other, std::size_t i) {
  const std::string argument = "x[" + std::to_string(i) + "]: ";
  if (other.place != first.place || other.device != first.device) {
    throw nb::value_error((argument + "lies in other memory than x[0]").c_str());
  }
  if (!other.element.matches(first.element)) {
    throw nb::value_error((argument + "has elements of " + other.element.name() + ", x[0] of " +
                           first.element.name() + "; view both as bytes to join them")
                              .c_str());
  }
}

/// All elements of one after all of the other.
std::unique_ptr<View> joined(const std::vector<View*>& views) {
  if (views.empty()) throw nb::value_error("x: has no arrays");
  const Array& first = views.front()->array();
  Array whole = first;
  whole.memory.reset();
  whole.held = nullptr;
  std::vector<Blocks> parts;
  std::int64_t elements = 0;
  bool repeats = false;
  nb::list owners;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const View& view = *views[i];
    check_alike(first, view.array(), i);
    owners.append(nb::find(view));
    whole.readonly = whole.readonly || view.array().readonly;
    repeats = repeats || view.repeats();
    if (view.elements() == 0) continue;
    if (parts.empty()) whole.data = view.array().data;
    if (__builtin_add_overflow(elements, view.elements(), &elements)) {
      throw nb::value_error("x: has more bytes than 64 bits count");
    }
    const std::int64_t place = view.array().data - whole.data;
    if (view.strided()) parts.push_back({{place}, {1}, 0, merged(view.array())});
    for (Blocks part : view.parts()) {
      for (std::int64_t& displacement : part.displacements) displacement += place;
      parts.push_back(std::move(part));
    }
  }
  whole.dimensions = {{elements, first.element.bytes()}};
  return std::make_unique<View>(nb::tuple(owners), std::move(whole), std::move(parts), repeats);
}

}  // namespace

void bind_layout(nb::module_& module) {
  module.def("of_ranges", &of_ranges, "x"_a, "starts"_a, "lengths"_a.none(), "stream"_a,
             "The rows of x in ranges of its first dimension.");
  module.def("of_mask", &of_mask, "x"_a, "mask"_a, "stream"_a, "The rows of x for which a mask is true.");
  module.def("is_mask", &is_mask, "x"_a, "Whether the elements are true and false.");
  module.def("joined", &joined, "views"_a, "The elements of one view after those of the other.");
}

}  // namespace typewarp::python
