// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "overlap.hpp"

namespace typewarp::halo_bench {
namespace {

std::vector<Span3> sliced(const halo::Box& box, std::int64_t slices) {
  std::vector<Span3> result;
  const auto [first, planes] = box.front();
  for (std::int64_t i = 0; i < slices; ++i) {
    const std::int64_t begin = first + planes * i / slices;
    const std::int64_t end = first + planes * (i + 1) / slices;
    result.push_back({{begin, box[1].begin, box[2].begin}, {end - begin, box[1].length, box[2].length}});
  }
  return result;
}

}  // namespace

Overlap::Overlap(const Subject& subject, std::int64_t slices)
    : subject_(subject),
      slices_(sliced(subject.domain.interior(), slices)),
      next_(pingpong::allocate(subject.fields.place(), subject.fields.field_bytes())),
      exchange_(subject.domain.grid(), subject.fields.described()) {}

void Overlap::enqueue_stencil() const {
  for (const Span3& slice : slices_) {
    subject_.fields.compute(slice, reinterpret_cast<double*>(next_.get()));
  }
}

void Overlap::exchange() {
  exchange_.exchange(subject_.stream);
  subject_.wait();
}

void Overlap::compute() const {
  enqueue_stencil();
  subject_.wait();
}

void Overlap::both() {
  exchange_.overlap(subject_.stream, [&] { enqueue_stencil(); });
  subject_.wait();
}

}  // namespace typewarp::halo_bench
