// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"

#include "pipeline_model.hpp"

#include "transport/tuning/policy.hpp"

#include <algorithm>
#include <array>

namespace typewarp::fragments {
namespace {

constexpr int tag = 3;

/// Both of the model's numbers, of a message whose fragments take `stages` microseconds.
Stages::Prediction prediction(std::span<const double> stages, const Item& message) {
  const double fragments =
      std::max(1.0, static_cast<double>(message.bytes) / static_cast<double>(message.fragment));
  const std::vector<double> equal(stages.size(), *std::ranges::max_element(stages));
  return {pipelined_us(stages, fragments), pipelined_us(equal, fragments)};
}

}  // namespace

Stages::Stages(const harness::Peers& peers, Place place, std::int64_t longest)
    : peers_(peers),
      packed_(place == Place::device ? harness::device::allocate_pinned(longest)
                                     : harness::allocate(Place::host, longest)) {}

harness::Sample Stages::measure(const Item& item, std::byte* data, Stream stream, double seconds) {
  std::byte* const packed = packed_.get();
  harness::Sample sample;
  if (item.method == Method::carry) {
    const auto count = static_cast<int>(item.bytes);
    const int other = peers_.other();
    const MPI_Comm comm = peers_.comm;
    const harness::Way way{[=] { MPI_Send(packed, count, MPI_BYTE, other, tag, comm); },
                           [=] { MPI_Recv(packed, count, MPI_BYTE, other, tag, comm, MPI_STATUS_IGNORE); }};
    sample = harness::measure(peers_, [&] { way.round(peers_.rank); }, seconds);
  } else if (peers_.rank == 0) {
    const Plan plan = commit(blocks(item.bytes));
    const auto round = [&] {
      if (item.method == Method::pack) {
        pack(data, 1, plan, packed, stream);
      } else {
        unpack(packed, data, 1, plan, stream);
      }
      if (item.place == Place::device) harness::device::wait(stream);
    };
    sample = harness::measure({MPI_COMM_SELF, 0}, round, seconds).times(2);  // no half of anything
  }
  MPI_Bcast(&sample, sizeof sample, MPI_BYTE, 0, peers_.comm);
  us_[{item.method, item.bytes}] = sample.median;
  return sample;
}

std::optional<Stages::Prediction> Stages::predict(const Item& message) const {
  std::vector<double> stages;
  for (const Method stage : {Method::pack, Method::carry, Method::unpack}) {
    const auto found = us_.find({stage, message.fragment});
    if (found == us_.end()) return std::nullopt;
    stages.push_back(found->second);
  }
  return prediction(stages, message);
}

Stages::Prediction predict_direct(const Item& message) {
  const transport::DirectPolicy& policy = transport::direct_policy;
  const Stage stage{policy.fragment_cost, policy.fragments_rate};
  const double us = stage.us(static_cast<double>(message.fragment));
  return prediction(std::array{us, us}, message);
}

}  // namespace typewarp::fragments
