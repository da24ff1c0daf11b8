// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "overlap.hpp"

namespace typewarp::halo_bench {
namespace {

Span3 span_of(const halo::Box& box) {
  return {{box[0].begin, box[1].begin, box[2].begin}, {box[0].length(), box[1].length(), box[2].length()}};
}

std::vector<Span3> sliced(const Span3& whole, std::int64_t slices) {
  std::vector<Span3> result;
  for (std::int64_t i = 0; i < slices; ++i) {
    Span3& slice = result.emplace_back(whole);
    slice.begin[0] = whole.begin[0] + whole.size[0] * i / slices;
    slice.size[0] = whole.begin[0] + whole.size[0] * (i + 1) / slices - slice.begin[0];
  }
  return result;
}

}  // namespace

Overlap::Overlap(const Subject& subject, const Work& work)
    : subject_(subject),
      interior_(span_of(subject.domain.interior())),
      slices_(sliced(interior_, work.slices)),
      rounds_(work.rounds),
      next_(harness::allocate(subject.fields.place(), subject.fields.field_bytes())),
      exchange_(subject.domain.grid(), subject.fields.described()) {}

void Overlap::enqueue_stencil() const {
  for (const Span3& slice : slices_) subject_.fields.compute(slice, next(), rounds_);
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
  exchange_.overlap([&] { enqueue_stencil(); }, subject_.stream);
  subject_.wait();
}

void Overlap::in_turn() {
  enqueue_stencil();
  exchange();
}

void Overlap::clear() const { subject_.fields.clear(next()); }
std::int64_t Overlap::wrong() const { return subject_.fields.wrong(interior_, next(), rounds_); }

}  // namespace typewarp::halo_bench
