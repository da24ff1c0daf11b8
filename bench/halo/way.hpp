// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"
#include "pattern.hpp"
#include "harness/peers.hpp"

#include <functional>

/// The ways to exchange halos that are compared.
namespace typewarp::halo_bench {

using harness::Peers;

/// One exchange is these three, one after the other, or `at_once` if there is such a call. Each may only
/// enqueue on the stream.
struct Way {
  std::function<void()> pack, wire, unpack;
  std::int64_t messages = 0;  ///< that a rank sends to others
  /// Of the library, what it has chosen.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out, and so may the next
  std::string packing = {};
  std::function<void()> at_once = {};  // NOLINT(readability-redundant-member-init)

  void exchange() const { at_once ? at_once() : in_phases(); }
  void in_phases() const {
    pack();
    wire();
    unpack();
  }
};

/// What is exchanged, and by whom.
struct Subject {
  Peers peers;
  halo::Domain domain;
  Pattern pattern;
  Fields fields;
  Stream stream;

  Subject(const Peers& peers, const Case& which, Place place, Stream stream);
  /// Bytes that a rank sends to others, in any way.
  std::int64_t bytes_sent() const;
  /// And to all 26 neighbours.
  std::int64_t bytes_packed() const;
  /// Returns when all that was enqueued is done.
  void wait() const;
};

/// The method must be one of the agenda. The subject must stay.
Way way_of(const std::string& method, const Subject& subject);

}  // namespace typewarp::halo_bench
