// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/side.hpp"

#include "plan/locate.hpp"

#include <typewarp/error.hpp>

namespace typewarp::host {
namespace {

const Program& program_of(std::string_view call, std::string_view count_name, std::int64_t count,
                          const Plan& plan) {
  if (count < 0) throw InvalidArgument(call, count_name, count, "must not be negative");
  return Program::of(plan);
}

}  // namespace

// The one place where the constness of a source is dropped: a step that packs never writes through it.
// Integer arithmetic, since the address is null for a type of absolute addresses.
HostSide::HostSide(std::string_view call, std::string_view count_name, const void* address,
                   std::int64_t count, const Plan& plan)
    : plan_(plan),
      program_(program_of(call, count_name, count, plan)),
      first_(reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                          static_cast<std::uintptr_t>(program_.offset()))),
      step_(program_.items(count)) {
  size_ = step_.size;
}

std::int64_t HostSide::average_run() const noexcept {
  return program_.runs() == 0 ? 0 : program_.size() / program_.runs();
}

HostSide::Piece HostSide::piece(std::int64_t at) const {
  if (step_.kind == plan::Kind::run) return {first_ + at, size_ - at};
  const plan::Location location = plan::locate(plan::state_of(plan_).encoding.view(), plan_.extent(), at);
  return {first_ + location.offset, location.run};
}

}  // namespace typewarp::host
