// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/host/engine.hpp"
#include "engine/host/side.hpp"

namespace typewarp::host {
namespace {

std::string walk_of(const Step& step) {
  const std::string many = std::to_string(step.count);
  switch (step.kind) {
    case plan::Kind::run:
      return "run of " + std::to_string(step.size) + " B";
    case plan::Kind::repeat:
      return "repeat " + many + " of " + walk_of(*step.child);
    case plan::Kind::blocks:
      return "list of " + many + " equal blocks, each " + walk_of(*step.child);
    case plan::Kind::varying:
      return "list of " + many + " blocks of varying length";
    case plan::Kind::sequence:
      return "sequence of " + many + " members";
  }
  return {};
}

}  // namespace

HostDecision decision(const Plan& plan, std::int64_t count) {
  const HostSide side("typewarp::host::decision", "count", nullptr, count, plan);
  constexpr Policy policy;
  return {worthwhile_threads(0, side.work(side.size()), policy), walk_of(Program::of(plan).items(count))};
}

}  // namespace typewarp::host
