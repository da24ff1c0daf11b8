// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include "gpu.hpp"

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

/// Of every array, as of what cudaMalloc returns.
constexpr std::int64_t alignment = 256;

/// Calls `visit(cell, indices)`: to find the indices of each cell takes the host longer than to use them.
template <typename Visit>
void for_each_cell(const Cube& cube, Visit visit) {
  const std::int64_t length = cube.length();
  std::int64_t cell = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      for (std::int64_t k = 0; k < length; ++k) visit(cell++, Indices{{i, j, k}});
    }
  }
}

void compute_on_host(const Stencil& stencil, const Span3& cells) {
  for (std::int64_t i = cells.begin[0]; i < cells.begin[0] + cells.size[0]; ++i) {
    for (std::int64_t j = cells.begin[1]; j < cells.begin[1] + cells.size[1]; ++j) {
      const std::int64_t row = (i * stencil.length + j) * stencil.length + cells.begin[2];
      for (std::int64_t k = 0; k < cells.size[2]; ++k) stencil(row + k);
    }
  }
}

}  // namespace

Fields::Fields(Place place, const Cube& cube, std::int64_t count, Stream stream)
    : place_(place), cube_(cube), count_(count), stream_(stream) {
  memory_ = harness::allocate(place, bytes());
}

std::int64_t Fields::field_bytes() const noexcept {
  const std::int64_t bytes = cube_.cells() * static_cast<std::int64_t>(sizeof(double));
  return (bytes + alignment - 1) / alignment * alignment;
}

double* Fields::data(std::int64_t field) const {
  return reinterpret_cast<double*>(memory_.get() + field * field_bytes());
}

std::vector<halo::Field> Fields::described() const {
  const std::vector<halo::Descriptor> descriptors(3, halo::with_halo(cube_.edge, cube_.width));
  std::vector<halo::Field> result;
  for (std::int64_t f = 0; f < count_; ++f) result.emplace_back(data(f), descriptors);
  return result;
}

void Fields::fill() {
  ++number_;
  for (std::int64_t f = 0; f < count_; ++f) {
    const Contents contents{cube_, f, number_};
    if (place_ == Place::device) {
      gpu::fill(data(f), contents, stream_);
    } else {
      double* const array = data(f);
      for_each_cell(cube_, [&](std::int64_t cell, const Indices& at) { array[cell] = contents.before(at); });
    }
  }
}

/// Those that are wrong.
template <typename Cells>
std::int64_t Fields::count(const Cells& cells) const {
  if (place_ == Place::device) return gpu::count_wrong(cells, stream_);
  std::int64_t wrong = 0;
  for_each_cell(cube_, [&](std::int64_t cell, const Indices& at) { wrong += cells.wrong(cell, at) ? 1 : 0; });
  return wrong;
}

std::int64_t Fields::wrong() const {
  std::int64_t wrong = 0;
  for (std::int64_t f = 0; f < count_; ++f) wrong += count(Exchanged{data(f), {cube_, f, number_}});
  return wrong;
}

void Fields::compute(const Span3& cells, double* next, int rounds) const {
  const Stencil stencil{data(0), next, cube_.length(), rounds};
  place_ == Place::device ? gpu::compute(stencil, cells, stream_) : compute_on_host(stencil, cells);
}

void Fields::clear(double* next) const {
  if (place_ == Place::device) {
    gpu::clear(next, cube_.cells(), stream_);
  } else {
    std::fill_n(next, cube_.cells(), untouched);
  }
}

std::int64_t Fields::wrong(const Span3& cells, double* next, int rounds) const {
  return count(Computed{{data(0), next, cube_.length(), rounds}, cells});
}

}  // namespace typewarp::halo_bench
