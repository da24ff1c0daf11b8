// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/calls/collective.hpp"

#include "interpose/collective_calls.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/alltoallv.hpp"
#include "interpose/core/collectives/paths.hpp"
#include "interpose/core/collectives/staged.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/nccl/nccl_call.hpp"
#include "interpose/core/observe/observed.hpp"

#include <array>
#include <optional>
#include <span>

namespace typewarp::interpose {
namespace {

/// A way to make calls. `is_open()`: whether any call may go that way now, which takes some ns. `make(call)`:
/// the code of one that does; nothing of others, which go on to the next path.
struct CallPath {
  const char* name;  ///< in a timeline
  std::uint32_t bit;
  bool (*is_open)() noexcept;
  std::optional<int> (*make)(Call& call) noexcept;
};

bool always() noexcept { return true; }

constexpr std::array paths_at_once{
    CallPath{"GPUs at once", path::direct, job_is_open, direct::make},
};
/// Of calls that NCCL is asked about, too.
constexpr std::array paths{
    CallPath{"messages", path::messages, job_is_open, moved::make},
    CallPath{"messages", path::neighbors, job_is_open, neighbor_as_alltoallv::make},
    CallPath{"reduction on GPUs", path::reduction, job_is_open, device_reduction::make},
    CallPath{"NCCL", path::nccl, nccl::is_open, nccl::make},
    CallPath{"reduction on GPUs", path::local_reduction, any_may_be_ours, device_reduction::make_local},
    CallPath{"exchange", path::exchange, always, alltoallv::make},
    CallPath{"copies in host memory", path::copies, any_may_be_ours, stage},
};

std::optional<int> make_by(std::span<const CallPath> some, Call& call) noexcept {
  for (const CallPath& each : some) {
    if ((call.paths & each.bit) == 0 || !each.is_open()) continue;
    if (const std::optional<int> code = each.make(call)) {
      tell_path(each.name);
      return code;
    }
  }
  return std::nullopt;
}

}  // namespace

int make(Call& call) noexcept {
  const bool may_be_ours = job_is_open() || any_may_be_ours();
  if (may_be_ours && (has_wrong_argument(call) || is_refused_for_one_buffer(call))) return call.hand_on(call);
  if (const std::optional<int> code = make_by(paths_at_once, call)) return *code;
  std::optional<nccl::NcclCall> by_nccl;
  if ((call.paths & path::nccl) != 0 && nccl::is_open()) nccl::NcclCall::prefer(by_nccl, call);
  if (const std::optional<int> code = make_by(paths, call)) return *code;
  return call.hand_on(call);
}

int make_observed(Call& call) noexcept {
  return ours[static_cast<std::size_t>(call.number)] != nullptr ? make(call) : call.hand_on(call);
}

}  // namespace typewarp::interpose
