// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// MPI's datatype algebra (MPI 5.0, chapter 5) as immutable values. All quantities are signed 64-bit
/// integers, in bytes where MPI counts bytes, in extents of the child where MPI counts extents. A datatype
/// needs no commit before others are made from it, and nothing needs to be freed.
namespace typewarp {

/// The named (predefined) types, by representation. MPI names of equal size and kind that differ between
/// platforms (MPI_LONG, MPI_COUNT, ...) have their own enumerators, since signatures distinguish them.
enum class Named : std::uint8_t {
  char_,
  signed_char,
  unsigned_char,
  byte,
  packed,
  wchar,
  short_,
  unsigned_short,
  int_,
  unsigned_int,
  long_,
  unsigned_long,
  long_long,
  unsigned_long_long,
  float_,
  double_,
  long_double,
  c_bool,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  complex_float,
  complex_double,
  complex_long_double,
  cxx_bool,
  cxx_complex_float,
  cxx_complex_double,
  cxx_complex_long_double,
  aint,
  count,
  offset,
  character,
  logical,
  integer,
  real,
  double_precision,
  complex,
  double_complex,
  integer1,
  integer2,
  integer4,
  integer8,
  real4,
  real8,
  real16,
  complex8,
  complex16,
  complex32,
  logical1,
  logical2,
  logical4,
  logical8,
  logical16,
  // Pair types: two basic elements, possibly with a gap between or after them.
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
  two_real,
  two_double_precision,
  two_integer,
};

/// "MPI_DOUBLE_INT", "MPI_INT", ...
std::string_view name(Named) noexcept;

/// How a multidimensional array is stored: `c` has the last dimension fastest, `fortran` the first.
enum class Order : std::uint8_t { c, fortran };

/// How darray distributes a dimension among its row of processes (MPI 5.0, section 5.1.4).
enum class Distribution : std::uint8_t { none, block, cyclic };

/// Stands for MPI's default distribution argument of darray.
inline constexpr std::int64_t default_distribution_argument = -1;

/// A type signature (MPI 5.0, section 5.1): the sequence of basic elements without displacements.
/// Stored as its length and a polynomial hash, so comparing 10^12 elements takes as long as comparing 8.
struct Signature {
  std::int64_t elements = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const Signature&, const Signature&) = default;
};

namespace datatype {
struct Internal;
struct Node;
}  // namespace datatype

/// One datatype: a shared, immutable tree. Copying costs a reference count; thread safe.
/// A default-constructed value is the null datatype: every use of it throws InvalidArgument.
class Datatype {
 public:
  Datatype() = default;
  Datatype(Named);  // NOLINT(google-explicit-constructor): a named type *is* a datatype

  bool null() const noexcept { return node_ == nullptr; }

  /// Bytes of data (of the packed form).
  std::int64_t size() const;
  /// Lower bound, upper bound and their distance, in bytes (MPI 5.0, sections 5.1 and 5.1.6). The upper bound
  /// is padded so that the extent is a multiple of the strictest alignment. Bounds set by resized, subarray
  /// or darray override those of data beside them. 0 for a type without data, unless one of these three
  /// made it.
  std::int64_t lb() const;
  std::int64_t ub() const;
  std::int64_t extent() const;
  /// The same for the bytes that hold data, without resizing and padding. 0 for an empty type.
  std::int64_t true_lb() const;
  std::int64_t true_ub() const;
  std::int64_t true_extent() const;
  /// Basic elements; a pair type counts as two, a complex number as one.
  std::int64_t elements() const;

  Signature signature() const;
  /// Basic elements that lie wholly in the first `bytes` bytes of the packed stream of any number of items;
  /// -1 if `bytes` ends inside an element (MPI_Get_elements then returns MPI_UNDEFINED).
  std::int64_t elements_in(std::int64_t bytes) const;
  /// Whether any number of items is one gapless ascending run of bytes that starts at lb.
  bool contiguous() const;

  /// The tree, one constructor per line, children indented, long lists and large trees abridged.
  std::string to_string() const;

 private:
  friend struct datatype::Internal;
  friend struct datatype::Node;
  explicit Datatype(std::shared_ptr<const datatype::Node> node) noexcept : node_(std::move(node)) {}

  std::shared_ptr<const datatype::Node> node_;
};

/// to_string().
std::ostream& operator<<(std::ostream&, const Datatype&);

// Constructors, named and ordered as MPI's MPI_Type_*. All throw InvalidArgument, naming the argument, its
// value and the rule, for: a null child, a negative count or block length, arrays of different
// lengths, a subarray outside its array, any byte quantity (size, bounds) beyond 64 bits, and a tree of more
// than 1,000 levels.
// Zero counts, zero block lengths, negative strides and displacements, and overlaps are allowed.

Datatype contiguous(std::int64_t count, const Datatype& child);
/// `stride` in extents of `child`, between the starts of consecutive blocks.
Datatype vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Datatype& child);
/// `stride` in bytes.
Datatype hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Datatype& child);
/// `displacements` in extents of `child`.
Datatype indexed(std::vector<std::int64_t> blocklengths, std::vector<std::int64_t> displacements,
                 const Datatype& child);
/// `displacements` in bytes.
Datatype hindexed(std::vector<std::int64_t> blocklengths, std::vector<std::int64_t> displacements,
                  const Datatype& child);
/// `displacements` in extents of `child`.
Datatype indexed_block(std::int64_t blocklength, std::vector<std::int64_t> displacements,
                       const Datatype& child);
/// `displacements` in bytes.
Datatype hindexed_block(std::int64_t blocklength, std::vector<std::int64_t> displacements,
                        const Datatype& child);
/// `displacements` in bytes. The extent is rounded up to the strictest alignment among the children.
Datatype structure(std::vector<std::int64_t> blocklengths, std::vector<std::int64_t> displacements,
                   std::vector<Datatype> children);
/// All arrays have one entry per dimension, at least one; in elements of `child`. Unlike in MPI, sizes and
/// subsizes of 0 are allowed. The bounds are those of the whole array, starting at 0.
Datatype subarray(std::vector<std::int64_t> sizes, std::vector<std::int64_t> subsizes,
                  std::vector<std::int64_t> starts, Order order, const Datatype& child);
/// The part of a global array that process `rank` of `size` owns on a grid of `process_sizes`
/// (ranks in row-major order, whatever the storage order: MPI 5.0, section 5.1.4).
Datatype darray(std::int64_t size, std::int64_t rank, std::vector<std::int64_t> global_sizes,
                std::vector<Distribution> distributions, std::vector<std::int64_t> distribution_arguments,
                std::vector<std::int64_t> process_sizes, Order order, const Datatype& child);
/// The same data with other bounds, in bytes.
Datatype resized(const Datatype& child, std::int64_t lb, std::int64_t extent);
/// The same, as one more level of the tree.
Datatype dup(const Datatype& child);

}  // namespace typewarp
