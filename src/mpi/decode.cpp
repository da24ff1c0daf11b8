// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/mpi.hpp>

#include "datatype/node.hpp"
#include "mpi/contents.hpp"
#include "mpi/large.hpp"
#include "mpi/named.hpp"

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace typewarp::mpi {
namespace {

[[noreturn]] void refuse(MPI_Datatype datatype, const std::string& rule) {
  throw InvalidArgument("typewarp::mpi::decode", "datatype", name_of(datatype), rule);
}

/// MPI_LB and MPI_UB, which MPI 3 took out and MPICH still has: structs have their bounds from the MPI.
bool only_sets_bounds(MPI_Datatype datatype) {
  const std::string name = name_of(datatype);
  return name == "MPI_LB" || name == "MPI_UB";
}

/// What MPIs have besides the types of Named: optional ones, and their own. Without gaps they are so many
/// bytes.
Datatype decode_other(MPI_Datatype datatype) {
  const std::int64_t bytes = size(datatype);
  const TypeBounds data = true_bounds(datatype);
  const bool is_dense = bytes > 0 && data.lb == 0 && data.extent == bytes;
  if (!is_dense && !only_sets_bounds(datatype))
    refuse(datatype, "must be a predefined datatype that this MPI supports and Typewarp knows");
  return contiguous(bytes, Named::byte);
}

Datatype decode_named(MPI_Datatype datatype) {
  const std::optional<Named> found = named(datatype);
  return found ? *found : decode_other(datatype);
}

// Fortran's selected kinds are predefined types without a name: of their contents only the precision that was
// asked for can be read, so the representation is told by class and size.
Datatype decode_fortran(MPI_Datatype datatype, Combiner combiner) {
  static constexpr std::array reals{Named::real4, Named::real8, Named::real16};
  static constexpr std::array complexes{Named::complex8, Named::complex16, Named::complex32};
  static constexpr std::array integers{Named::integer1, Named::integer2, Named::integer4, Named::integer8};
  const std::int64_t bytes = size(datatype);
  const auto of_size = [&](const auto& candidates) -> Datatype {
    for (const Named candidate : candidates) {
      if (Datatype(candidate).size() == bytes) return candidate;
    }
    return decode_other(datatype);
  };
  if (combiner == MPI_COMBINER_F90_REAL) return of_size(reals);
  if (combiner == MPI_COMBINER_F90_COMPLEX) return of_size(complexes);
  return of_size(integers);
}

// MPI's storage orders and distributions are numbers of the MPI's choice.
Order order_of(MPI_Datatype datatype, int value) {
  if (value == MPI_ORDER_C) return Order::c;
  if (value == MPI_ORDER_FORTRAN) return Order::fortran;
  refuse(datatype, "must have a storage order that MPI defines, not " + std::to_string(value));
}

Distribution distribution_of(MPI_Datatype datatype, int value) {
  if (value == MPI_DISTRIBUTE_NONE) return Distribution::none;
  if (value == MPI_DISTRIBUTE_BLOCK) return Distribution::block;
  if (value == MPI_DISTRIBUTE_CYCLIC) return Distribution::cyclic;
  refuse(datatype, "must have distributions that MPI defines, not " + std::to_string(value));
}

Datatype make_subarray(MPI_Datatype datatype, Contents& contents, const Datatype& child) {
  const int dimensions = contents.integer();
  std::vector<std::int64_t> sizes = contents.counts(dimensions);
  std::vector<std::int64_t> subsizes = contents.counts(dimensions);
  std::vector<std::int64_t> starts = contents.counts(dimensions);
  const Order order = order_of(datatype, contents.integer());
  return subarray(std::move(sizes), std::move(subsizes), std::move(starts), order, child);
}

Datatype make_darray(MPI_Datatype datatype, Contents& contents, const Datatype& child) {
  const int processes = contents.integer();
  const int rank = contents.integer();
  const int dimensions = contents.integer();
  std::vector<std::int64_t> global_sizes = contents.counts(dimensions);
  std::vector<Distribution> distributions;
  for (const int value : contents.integers(dimensions)) {
    distributions.push_back(distribution_of(datatype, value));
  }
  std::vector<std::int64_t> arguments;
  for (const int value : contents.integers(dimensions)) {
    arguments.push_back(value == MPI_DISTRIBUTE_DFLT_DARG ? default_distribution_argument : value);
  }
  const std::vector<int> process_sizes = contents.integers(dimensions);
  const Order order = order_of(datatype, contents.integer());
  return darray(processes, rank, std::move(global_sizes), std::move(distributions), std::move(arguments),
                {process_sizes.begin(), process_sizes.end()}, order, child);
}

Datatype make_struct(Contents& contents, std::vector<Datatype> children) {
  const std::int64_t count = contents.count();
  std::vector<std::int64_t> blocklengths = contents.counts(count);
  std::vector<std::int64_t> displacements = contents.displacements(count);
  return structure(std::move(blocklengths), std::move(displacements), std::move(children));
}

// The constructors that only count: one child, counts and displacements.
Datatype make_blocks(MPI_Datatype datatype, Contents& contents, const Datatype& child) {
  const Combiner combiner = contents.combiner();
  if (combiner == MPI_COMBINER_RESIZED) {
    const std::int64_t lb = contents.displacement();
    return resized(child, lb, contents.displacement());
  }
  const std::int64_t count = contents.count();
  switch (combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return contiguous(count, child);
    case MPI_COMBINER_VECTOR: {
      const std::int64_t blocklength = contents.count();
      return vector(count, blocklength, contents.count(), child);
    }
    case MPI_COMBINER_HVECTOR: {
      const std::int64_t blocklength = contents.count();
      return hvector(count, blocklength, contents.displacement(), child);
    }
    case MPI_COMBINER_INDEXED: {
      std::vector<std::int64_t> blocklengths = contents.counts(count);
      return indexed(std::move(blocklengths), contents.counts(count), child);
    }
    case MPI_COMBINER_HINDEXED: {
      std::vector<std::int64_t> blocklengths = contents.counts(count);
      return hindexed(std::move(blocklengths), contents.displacements(count), child);
    }
    case MPI_COMBINER_INDEXED_BLOCK: {
      const std::int64_t blocklength = contents.count();
      return indexed_block(blocklength, contents.counts(count), child);
    }
    case MPI_COMBINER_HINDEXED_BLOCK: {
      const std::int64_t blocklength = contents.count();
      return hindexed_block(blocklength, contents.displacements(count), child);
    }
    default:
      refuse(datatype, "must have a combiner that Typewarp knows, not number " + std::to_string(combiner));
  }
}

Datatype make_derived(MPI_Datatype datatype, Contents& contents, std::vector<Datatype> children) {
  if (contents.combiner() == MPI_COMBINER_STRUCT) return make_struct(contents, std::move(children));
  if (children.size() != 1) {
    refuse(datatype,
           "must have a combiner that Typewarp knows, not number " + std::to_string(contents.combiner()));
  }
  switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
      return dup(children[0]);
    case MPI_COMBINER_SUBARRAY:
      return make_subarray(datatype, contents, children[0]);
    case MPI_COMBINER_DARRAY:
      return make_darray(datatype, contents, children[0]);
    default:
      return make_blocks(datatype, contents, children[0]);
  }
}

// What the MPI says of its own type wins.
Datatype with_own_bounds(MPI_Datatype datatype, const Datatype& made) {
  if (made.size() != size(datatype)) {
    refuse(datatype, "must hold " + std::to_string(made.size()) + " bytes of data as MPI defines it, not " +
                         std::to_string(size(datatype)));
  }
  const TypeBounds real = bounds(datatype);
  if (made.lb() == real.lb && made.extent() == real.extent) return made;
  return resized(made, real.lb, real.extent);
}

/// One decoding. It holds every handle that it has come by until it is done: till then, equal handles are
/// equal types, and each is read once. It does not recurse: trees are as deep as the user likes.
class Decoder {
 public:
  Datatype decode(MPI_Datatype datatype) {
    read(datatype);
    while (!begun_.empty()) {
      if (const MPI_Datatype* const unknown = first_unknown(begun_.back())) {
        read(*unknown);
        continue;
      }
      Begun& last = begun_.back();
      Datatype made = make_derived(last.datatype, *last.contents, std::move(last.children));
      known_.emplace(last.datatype, with_own_bounds(last.datatype, made));
      begun_.pop_back();
    }
    return known_.at(datatype);
  }

 private:
  /// A derived datatype of which some children are known: the first ones.
  struct Begun {
    MPI_Datatype datatype;
    Contents* contents;
    std::vector<Datatype> children;
  };

  /// Takes over the children that are known, up to the first that is not. Null if all are.
  const MPI_Datatype* first_unknown(Begun& begun) const {
    const std::vector<MPI_Datatype>& handles = begun.contents->children();
    for (std::size_t i = begun.children.size(); i < handles.size(); ++i) {
      if (i > 0 && handles[i] == handles[i - 1]) {
        begun.children.push_back(begun.children.back());
        continue;
      }
      const auto known = known_.find(handles[i]);
      if (known == known_.end()) return &handles[i];
      begun.children.push_back(known->second);
    }
    return nullptr;
  }

  /// A predefined datatype is known then, a derived one begun.
  void read(MPI_Datatype datatype) {
    Contents& contents = held_.emplace_back(datatype);
    if (contents.predefined()) {
      const Datatype made = contents.combiner() == MPI_COMBINER_NAMED
                                ? decode_named(datatype)
                                : decode_fortran(datatype, contents.combiner());
      known_.emplace(datatype, with_own_bounds(datatype, made));
      return;
    }
    if (begun_.size() == datatype::max_depth) {
      refuse(datatype, "must not nest deeper than " + std::to_string(datatype::max_depth) + " constructors");
    }
    begun_.push_back({datatype, &contents, {}});
    begun_.back().children.reserve(contents.children().size());
  }

  std::unordered_map<MPI_Datatype, Datatype> known_;
  std::deque<Contents> held_;
  std::vector<Begun> begun_;
};

}  // namespace

Datatype decode(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) {
    throw InvalidArgument("typewarp::mpi::decode", "datatype", "MPI_DATATYPE_NULL", "must not be null");
  }
  return Decoder().decode(datatype);
}

}  // namespace typewarp::mpi
