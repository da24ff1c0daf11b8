// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

/// A collective call of the program: what its arguments say, and what of that is significant at this rank.
/// Generated code (collective_code.py) makes one of each call's arguments, and hands it on to the MPI again,
/// with other arguments where some are replaced. All that makes collective calls, or observes them, reads
/// this.
namespace typewarp::interpose {

/// Who takes part in a collective call, as this rank sees it. Nobody of MPI_COMM_NULL, and of one
/// without a topology where neighbours are asked for.
struct Group {
  bool is_known = false;  ///< not where there is nobody of whom it could be one
  bool between_groups = false;
  int rank = -1;             ///< in the own group
  std::size_t size = 0;      ///< of the own group
  std::size_t sends = 0;     ///< ranks that a call of each with each sends to,
  std::size_t receives = 0;  ///< and receives from

  bool is_root(int root) const noexcept { return between_groups ? root == MPI_ROOT : root == rank; }
  /// Whether the root sends to this rank or receives from it. The root of one group does so with itself.
  bool is_leaf(int root) const noexcept { return !between_groups || root >= 0; }
};

/// Throw MpiError.
Group all_of(MPI_Comm comm);
Group neighbours_of(MPI_Comm comm);
/// Whether a call among neighbours leaves a block as it was: one that comes from nobody. Throws MpiError.
bool some_source_is_nobody(MPI_Comm comm);

/// Who takes part in a call of all ranks of one group, or from or to one of them. Nobody between groups, or
/// where there is only one rank, or the root is none of them.
struct Participants {
  Participants() = default;
  explicit Participants(const Group& group, int root = 0) noexcept;
  explicit operator bool() const noexcept { return all != 0; }

  int all = 0;
  int own = 0;
  bool is_root = false;
};

/// An array of integers among the arguments of a call: of int, or of 64 bits. Null where the call has none.
class IntArray {
 public:
  constexpr IntArray() noexcept = default;
  template <std::signed_integral Int>
  constexpr IntArray(const Int* first) noexcept : first_(first), is_wide_(sizeof(Int) > sizeof(int)) {}

  explicit operator bool() const noexcept { return first_ != nullptr; }
  bool is_wide() const noexcept { return is_wide_; }
  std::int64_t operator[](std::size_t i) const noexcept {
    return is_wide_ ? read<std::int64_t>(i) : read<int>(i);
  }
  /// For a call that takes integers of that width.
  template <std::signed_integral Int>
  const Int* as() const noexcept {
    return static_cast<const Int*>(first_);
  }
  bool operator==(const IntArray&) const = default;

 private:
  template <class Int>
  Int read(std::size_t i) const noexcept {
    Int value;  // an MPI may name 64 bits otherwise than std::int64_t does
    std::memcpy(&value, static_cast<const std::byte*>(first_) + i * sizeof(Int), sizeof(Int));
    return value;
  }

  const void* first_ = nullptr;
  bool is_wide_ = false;
};

/// Integers of the width of an array that they take the place of.
class IntList {
 public:
  explicit IntList(IntArray like) noexcept : is_wide_(like.is_wide()) {}
  /// Throws InvalidArgument where the call cannot count as far.
  void add(std::int64_t value);
  /// Not null: MPIs refuse that also where they read nothing.
  IntArray array() const noexcept { return is_wide_ ? first_of(wide_) : first_of(narrow_); }

 private:
  template <class Int>
  static IntArray first_of(const std::vector<Int>& values) noexcept {
    static constexpr Int nothing = 0;
    return values.empty() ? &nothing : values.data();
  }

  bool is_wide_;
  std::vector<int> narrow_;
  std::vector<std::int64_t> wide_;
};

/// One side of a call: the blocks that this rank sends, or those that it receives.
struct CallSide {
  /// Where blocks lie: all at the buffer itself, one after the other, or where an array says in extents of
  /// the datatype, or in bytes.
  enum class Placing : std::uint8_t { one, even, in_extents, in_bytes };

  const void* buffer = nullptr;
  std::int64_t count = 0;  ///< items of each block, where there are no `counts`
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Placing placing = Placing::one;
  IntArray counts{}, displacements{};
  const MPI_Datatype* types = nullptr;  ///< of each block, where they are placed in bytes
  MPI_Comm comm = MPI_COMM_NULL;
  std::size_t size = 0;  ///< blocks that are significant at this rank

  bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  /// Whether all blocks have one count, and none lies elsewhere than behind the one before.
  bool is_regular() const noexcept { return placing == Placing::one || placing == Placing::even; }
  /// Whether the program gives its blocks: in place it need not.
  bool is_given() const noexcept {
    if (in_place()) return false;
    return is_regular() || (counts && displacements && (placing != Placing::in_bytes || types != nullptr));
  }
  std::int64_t count_of(std::size_t i) const noexcept { return is_regular() ? count : counts[i]; }
  MPI_Datatype type_of(std::size_t i) const noexcept {
    return placing == Placing::in_bytes ? types[i] : type;
  }
  /// In extents of the datatype, or in bytes.
  std::int64_t place_of(std::size_t i) const noexcept {
    if (placing == Placing::one) return 0;
    return placing == Placing::even ? static_cast<std::int64_t>(i) * count : displacements[i];
  }
  /// Of a regular side, all that is significant.
  std::int64_t items() const noexcept { return in_place() ? 0 : count * static_cast<std::int64_t>(size); }
  /// A block without items need have no datatype. Throws what data_needed() throws.
  Data data(std::size_t i) const;
  /// Of all blocks packed. Throws MpiError.
  std::int64_t bytes() const;

  /// A side with a count below 0 is the MPI's, to refuse: other ranks may wait for this one already.
  bool has_negative() const noexcept;

  /// Packed bytes of the longest block that is meant, where others are not.
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  // Throw MpiError.
  bool is_longer(std::size_t i, std::int64_t longest) const;
  bool any_is_longer(std::int64_t longest) const;
  /// Whether one of those that are not longer is ours. Throws what data_if_ours() throws.
  bool any_is_ours(std::int64_t longest = no_limit) const;

 private:
  bool has_items(std::size_t i) const noexcept { return count_of(i) > 0 && type_of(i) != MPI_DATATYPE_NULL; }
  std::int64_t byte_place(std::size_t i) const;
};

/// What a call of files or windows reads or writes here.
inline CallSide one_block(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept {
  return {.buffer = buffer, .count = count, .type = type, .size = 1};
}

class PreferredPath;

/// How a call is made: it blocks, it gives a request, or one that is persistent.
struct Form {
  MPI_Request* request = nullptr;  ///< null: it blocks
  bool is_persistent = false;
  MPI_Info info = MPI_INFO_NULL;       ///< of a persistent one
  PreferredPath* preferred = nullptr;  ///< of one that blocks, if it has one

  bool blocks() const noexcept { return request == nullptr; }
};

/// Who sends to whom, or whose numbers are combined to whose result.
enum class CallPattern : std::uint8_t {
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter,
  reduce_local
};

/// What a call combines: so many numbers, or those of each rank.
struct Combining {
  MPI_Op op = MPI_OP_NULL;
  std::int64_t count = 0;
  IntArray counts{};

  std::int64_t count_of(std::size_t rank) const noexcept { return counts ? counts[rank] : count; }
};

struct Call {
  int number;
  CallPattern pattern;
  std::uint32_t paths;                        ///< a bit for each CallPath that may make it
  int (*hand_on)(const Call& call) noexcept;  ///< to the MPI
  MPI_Comm comm = MPI_COMM_SELF;
  CallSide sent{}, received{};
  int root = 0;
  Form form{};
  bool among_neighbours = false;
  Combining combining{};         ///< of calls that do: both sides are one block then
  std::optional<Group> group{};  ///< once the MPI was asked for it

  bool combines() const noexcept { return pattern >= CallPattern::reduce; }
  bool has_root() const noexcept { return pattern <= CallPattern::scatter || pattern == CallPattern::reduce; }
  bool in_place() const noexcept {
    return pattern == CallPattern::scatter ? received.in_place()
                                           : pattern != CallPattern::bcast && sent.in_place();
  }
  /// Whether the MPI reads what is received into, or may leave some of it as it was. Throws MpiError.
  bool fills() const;
  /// Who takes part, for which the MPI is asked once. Throws MpiError.
  const Group& members();
  /// Finds out how much of each side is significant. Throws MpiError.
  void join();
  /// Of calls within one group that all its ranks know the root of; nobody of others, or of an error.
  Participants ranks() noexcept;
};

/// One buffer of a call, and where items of it lie: from there on, in the datatype's extents.
struct TypedBuffer {
  const void* buffer;
  MPI_Datatype type;
};
struct BlockPlace {
  std::int64_t count;
  std::int64_t displacement;
};
/// What this rank sends and receives in a call within one group that moves data.
struct CallBlocks {
  struct Block {
    int rank;
    BlockPlace place;
  };
  TypedBuffer from, to;
  std::vector<Block> sends, receives;
  bool replaces = false;  ///< what comes in takes the place of what goes out, in place of `sends`
};
/// Throws InvalidArgument where the MPI must refuse the call.
CallBlocks blocks_of(const Call& call, const Participants& ranks);

/// Packed bytes of so many items; 0 of what is the MPI's to refuse, or of more than 64 bits count.
std::int64_t packed_bytes(std::int64_t items, MPI_Datatype type) noexcept;
/// Whether (buffer, items, type) is ours. Also where it is not significant the program may pass null. Throws
/// what data_if_ours() throws.
bool items_are_ours(const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Comm comm);

/// Whether this rank alone sees that the MPI must refuse the call: by a root that is none, a count below 0,
/// no datatype of items, no operation, or a communicator of which there is no such call. The call goes to the
/// MPI as it is, before this rank has asked or sent anything: to the others it is as if it had not been made.
bool has_wrong_argument(Call& call) noexcept;

}  // namespace typewarp::interpose
