// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/plan.hpp>

#include "plan/state.hpp"

#include <utility>

namespace typewarp {

plan::State::State(const Datatype& type) : State(normalise(type), type.extent(), type) {}

plan::State::State(Layout items, std::int64_t distance, Datatype type)
    : datatype(std::move(type)),
      layout(std::move(items)),
      encoding(encode(*layout.root)),
      size(layout.size()),
      extent(distance) {}

plan::State::~State() {
  for (std::atomic<Attachment*>& place : attachments) delete place.load(std::memory_order_acquire);
}

const Datatype& Plan::datatype() const noexcept { return state_->datatype; }
const Layout& Plan::layout() const noexcept { return state_->layout; }
std::int64_t Plan::size() const noexcept { return state_->size; }
std::int64_t Plan::extent() const noexcept { return state_->extent; }

Plan Plan::with(const Hints& hints) const {
  if (hints.max_blocks < 0) {
    throw InvalidArgument("typewarp::Plan::with", "hints.max_blocks", hints.max_blocks,
                          "must not be negative");
  }
  Plan result = *this;
  result.hints_ = hints;
  return result;
}

Plan commit(const Datatype& datatype) {
  if (datatype.null()) {
    throw InvalidArgument("typewarp::commit", "datatype", "null", "must not be the null datatype");
  }
  return plan::Internal::make(std::make_shared<const plan::State>(datatype));
}

}  // namespace typewarp
