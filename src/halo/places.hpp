// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/pattern.hpp"

/// What travels together, and where it lies packed.
namespace typewarp::halo {

/// The part of a field that a transfer moves.
struct PartOf {
  std::size_t transfer, field;
  bool operator==(const PartOf&) const = default;
};

/// What is sent, or what is received, of a transfer.
struct End {
  int Transfer::* process;
  std::vector<Box> Transfer::* boxes;
  std::vector<std::vector<int>> Transfer::* orders;
};
inline constexpr End sending{&Transfer::to, &Transfer::sent, &Transfer::sent_order};
inline constexpr End receiving{&Transfer::from, &Transfer::received, &Transfer::received_order};

/// The parts at the end of a stage's transfers that share a process there, in the order in which they lie in
/// one message without gaps: the same at both ends. Fields with elements of the largest powers of two are
/// first, so that all elements lie at multiples of these powers, which suits words of that length.
struct Message {
  int process;
  std::vector<PartOf> parts;
};
/// All of them, in the order in which processes are met.
std::vector<Message> messages_of(std::span<const Field> fields, const Stage& stage, const End& end);

/// Bytes of a part, and of a message.
std::int64_t bytes_of(std::span<const Field> fields, const Stage& stage, const End& end, const PartOf& part);
std::int64_t bytes_of(std::span<const Field> fields, const Stage& stage, const End& end,
                      const Message& message);

/// Of all that one transfer brings, the most.
std::int64_t most_received(std::span<const Field> fields, const Stage& stage);

/// Where the packed bytes of each part begin in the buffer of messages; those of transfers within a process,
/// which are packed and unpacked there whatever the packing, at one place of the process's own.
struct Places {
  using OfParts = std::vector<std::vector<std::int64_t>>;  ///< by transfer and field
  OfParts sent, received;
  std::int64_t end = 0, own_end = 0;
};

/// Messages are without gaps. Those of several processes share no cache line. Without `messages` only for
/// what stays in the process.
Places places_of(std::span<const Field> fields, const Stage& stage, int rank, bool messages);

}  // namespace typewarp::halo
