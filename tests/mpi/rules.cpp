// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rules.hpp"

#include "datatype/node.hpp"
#include "support/type_map.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

namespace typewarp::test {
namespace {

using Integers = std::vector<std::int64_t>;

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::vector<Datatype> children_of(const Datatype& datatype) {
  return std::visit(Overloaded{[](Named) { return std::vector<Datatype>{}; },
                               [](const datatype::Struct& type) { return type.children; },
                               [](const auto& type) { return std::vector<Datatype>{type.child}; }},
                    datatype::node_of(datatype).constructor);
}

/// Whether `holds` is true of any datatype of the tree.
template <typename Holds>
bool anywhere(const Datatype& datatype, Holds holds) {
  if (holds(datatype)) return true;
  const std::vector<Datatype> children = children_of(datatype);
  return std::ranges::any_of(children, [&](const Datatype& child) { return anywhere(child, holds); });
}

bool has_zero(const Integers& values) { return std::ranges::find(values, 0) != values.end(); }

bool has_empty_block(const Datatype& datatype) {
  return std::visit(Overloaded{[](const datatype::Indexed& type) { return has_zero(type.blocklengths); },
                               [](const datatype::Hindexed& type) { return has_zero(type.blocklengths); },
                               [](const datatype::Struct& type) { return has_zero(type.blocklengths); },
                               [](const auto&) { return false; }},
                    datatype::node_of(datatype).constructor);
}

bool struct_of_set_bounds(const Datatype& datatype) {
  const auto* type = std::get_if<datatype::Struct>(&datatype::node_of(datatype).constructor);
  return type != nullptr && std::ranges::any_of(type->children, [](const Datatype& child) {
           return datatype::node_of(child).attributes.explicit_bounds;
         });
}

bool off_alignment(const Datatype& datatype) {
  const std::int64_t alignment = datatype::node_of(datatype).attributes.alignment;
  const auto off = [&](std::int64_t bytes) { return bytes % alignment != 0; };
  const auto any_off = [&](const Integers& displacements) { return std::ranges::any_of(displacements, off); };
  const std::vector<Datatype> children = children_of(datatype);
  const bool children_off = std::ranges::any_of(children, [&](const Datatype& child) {
    return off(child.lb()) || off(child.ub()) || off(child.extent());
  });
  return children_off ||
         std::visit(
             Overloaded{[&](const datatype::Hvector& type) { return off(type.stride); },
                        [&](const datatype::Hindexed& type) { return any_off(type.displacements); },
                        [&](const datatype::HindexedBlock& type) { return any_off(type.displacements); },
                        [&](const datatype::Struct& type) { return any_off(type.displacements); },
                        [](const auto&) { return false; }},
             datatype::node_of(datatype).constructor);
}

bool is_darray(const Datatype& datatype) {
  return std::holds_alternative<datatype::Darray>(datatype::node_of(datatype).constructor);
}

#ifdef MPICH_NUMVERSION

/// Blocks of no items: SIGFPE in MPI_Pack and MPI_Unpack where the items are not contiguous.
bool blocks_of_nothing(const Datatype& datatype) {
  const auto nothing = [](std::int64_t count, std::int64_t blocklength, const Datatype& child) {
    return count > 0 && blocklength == 0 && !child.contiguous();
  };
  return std::visit(
      Overloaded{
          [&](const datatype::Vector& type) { return nothing(type.count, type.blocklength, type.child); },
          [&](const datatype::Hvector& type) { return nothing(type.count, type.blocklength, type.child); },
          [&](const datatype::IndexedBlock& type) {
            return nothing(std::ssize(type.displacements), type.blocklength, type.child);
          },
          [&](const datatype::HindexedBlock& type) {
            return nothing(std::ssize(type.displacements), type.blocklength, type.child);
          },
          [](const auto&) { return false; }},
      datatype::node_of(datatype).constructor);
}

#else

bool darray_of_nothing(const Datatype& datatype) {
  const auto* type = std::get_if<datatype::Darray>(&datatype::node_of(datatype).constructor);
  return type != nullptr && type->child.size() == 0;
}

/// -1 is how Open MPI's internals say "the extent".
bool stride_of_minus_one_byte(const Datatype& datatype) {
  return std::visit(
      Overloaded{[](const datatype::Hvector& type) { return type.stride == -1; },
                 [](const datatype::Vector& type) { return type.stride * type.child.extent() == -1; },
                 [](const auto&) { return false; }},
      datatype::node_of(datatype).constructor);
}

/// A member without data that widens the bounds, as in struct(4 floats at 0, nothing at 80): Open MPI packs
/// several items of it as if there were no gaps between them.
bool widened_by_nothing(const Datatype& datatype) {
  const auto* type = std::get_if<datatype::Struct>(&datatype::node_of(datatype).constructor);
  if (type == nullptr) return false;
  for (std::size_t i = 0; i < type->children.size(); ++i) {
    if (type->blocklengths[i] > 0 && type->children[i].size() == 0) return true;
  }
  return false;
}

/// Complex numbers one and a half (two and a half, ...) of their size apart, as in hvector(2, 1, 24, complex
/// of 16 bytes): Open MPI moves other bytes.
bool complex_half_apart(const Datatype& datatype) {
  const auto is_complex = [](Named type) {
    const std::string_view text = name(type);
    return text.find("COMPLEX") != std::string_view::npos;
  };
  const std::vector<Element> map = type_map(datatype, 3);
  for (std::size_t i = 1; i < map.size(); ++i) {
    const std::int64_t distance = std::abs(map[i].displacement - map[i - 1].displacement);
    if (is_complex(map[i].type) && map[i].type == map[i - 1].type &&
        distance % map[i].size == map[i].size / 2) {
      return true;
    }
  }
  return false;
}

#endif

}  // namespace

bool has_empty_part(const Datatype& datatype) {
  return anywhere(datatype, [](const Datatype& part) { return part.size() == 0 || has_empty_block(part); });
}

bool has_struct_of_set_bounds(const Datatype& datatype) { return anywhere(datatype, struct_of_set_bounds); }

bool has_data_off_alignment(const Datatype& datatype) { return anywhere(datatype, off_alignment); }

bool has_darray(const Datatype& datatype) { return anywhere(datatype, is_darray); }

#ifdef MPICH_NUMVERSION
const char* defect_of_this_mpi(const Datatype& datatype) {
  if (anywhere(datatype, blocks_of_nothing)) return "MPICH divides by zero for blocks of no items";
  return nullptr;
}

bool receives_short_messages(const Datatype& datatype) {
  const auto pair = [](const Datatype& part) {
    return std::holds_alternative<Named>(datatype::node_of(part).constructor) && part.elements() == 2;
  };
  if (has_empty_part(datatype) || has_darray(datatype) || anywhere(datatype, pair)) return false;
  const std::vector<Element> map = type_map(datatype, 1);
  return std::ranges::all_of(map, [&](const Element& element) { return element.type == map.front().type; });
}
#else
const char* defect_of_this_mpi(const Datatype& datatype) {
  if (anywhere(datatype, darray_of_nothing))
    return "Open MPI refuses a darray of elements without data (MPI_ERR_TYPE)";
  if (anywhere(datatype, stride_of_minus_one_byte))
    return "Open MPI takes a stride of -1 byte for the extent";
  if (anywhere(datatype, widened_by_nothing)) return "Open MPI ignores bounds that a member without data set";
  if (complex_half_apart(datatype))
    return "Open MPI moves other bytes for complex numbers half their size off";
  return nullptr;
}

bool receives_short_messages(const Datatype& datatype) {
  const auto* named = std::get_if<Named>(&datatype::node_of(datatype).constructor);
  return named == nullptr || datatype.elements() == 1;
}
#endif

}  // namespace typewarp::test
