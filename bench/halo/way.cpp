// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "way.hpp"

#include "by_hand.hpp"
#include "by_hand_gpu.hpp"
#include "by_mpi.hpp"
#include "gpu.hpp"

#include <typewarp/error.hpp>

namespace typewarp::halo_bench {
namespace {

/// All ranks are in a row along the slowest dimension, as MPI_Dims_create has two.
halo::Domain domain_of(const Peers& peers, const Case& which) {
  return {peers.comm,
          std::vector<std::int64_t>(3, which.edge),
          {.processes = {0, 1, 1}, .periodic = {true, true, true}, .width = which.width}};
}

Cube cube_of(const halo::Domain& domain, const Case& which) {
  Cube cube{which.edge, which.width, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    cube.origin[d] = domain.origin()[d];
    cube.whole[d] = domain.global_cells()[d];
  }
  return cube;
}

std::int64_t bytes_of(const Pattern& pattern, std::size_t parts) {
  std::int64_t cells = 0;
  for (std::size_t i = 0; i < parts; ++i) cells += pattern.parts[i].sent.cells();
  return cells * pattern.fields * static_cast<std::int64_t>(sizeof(double));
}

/// Where the arrays are.
std::shared_ptr<Wire> messages(const Subject& subject) {
  return subject.fields.place() == Place::device ? messages_on_device(subject) : messages_on_host(subject);
}

/// What was chosen, in words.
std::string choice(const halo::Exchange& exchange, Place place) {
  const bool pins = place == Place::device && exchange.packing() != halo::Packing::datatype &&
                    exchange.buffers() == halo::Buffers::pinned;
  return std::string(name(exchange.packing())) + (pins ? ", pinned" : "");
}

Way by_library(const Subject& subject, const halo::Options& options, bool tuned = false) {
  const auto exchange =
      std::make_shared<halo::Exchange>(subject.domain.grid(), subject.fields.described(), options);
  const Stream stream = subject.stream;
  if (tuned) exchange->tune(stream);
  return {[=] { exchange->pack(stream); },
          [=] {
            exchange->start_exchange(stream);
            exchange->wait();
          },
          [=] { exchange->unpack(stream); },
          exchange->messages_sent(),
          choice(*exchange, subject.fields.place()),
          [=] { exchange->exchange(stream); }};
}

}  // namespace

Subject::Subject(const Peers& of, const Case& which, Place place, Stream with)
    : peers(of),
      domain(domain_of(of, which)),
      pattern(pattern_of(domain, which.fields)),
      fields(place, cube_of(domain, which), which.fields, with),
      stream(with) {}

std::int64_t Subject::bytes_sent() const { return bytes_of(pattern, pattern.others); }
std::int64_t Subject::bytes_packed() const { return bytes_of(pattern, pattern.parts.size()); }

void Subject::wait() const {
  if (fields.place() == Place::device) gpu::wait(stream);
}

Way way_of(const std::string& method, const Subject& subject) {
  for (const halo::Packing packing :
       {halo::Packing::automatic, halo::Packing::manual, halo::Packing::datatype}) {
    if (method == name(packing)) return by_library(subject, {.packing = packing});
  }
  if (method == method::manual_pinned) {
    return by_library(subject, {.packing = halo::Packing::manual, .buffers = halo::Buffers::pinned});
  }
  if (method == method::tuned) return by_library(subject, {}, true);
  if (method == method::loops) return by_hand(subject, loops(), messages_on_host(subject));
  if (method == method::plain_mpi_pack) return by_hand(subject, mpi_pack(subject), messages_on_host(subject));
  if (method == method::preloaded_mpi_pack) return by_hand(subject, mpi_pack(subject), messages(subject));
  if (method == method::plain_datatype || method == method::preloaded_datatype) {
    return by_datatype(subject, subject.fields.data(0));
  }
  if (method == method::kernels_staged) return by_hand(subject, kernels(subject), staged(subject));
  if (method == method::kernels_peer) return by_hand(subject, kernels(subject), peer_copies(subject));
  if (method == method::memcpy3d_staged) return by_hand(subject, memcpy3d(subject), staged(subject));
  if (method == method::datatype_on_copies) return by_datatype_on_copies(subject);
  throw Error(method + ": no such method");
}

}  // namespace typewarp::halo_bench
