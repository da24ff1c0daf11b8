// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace typewarp {

namespace {

using namespace datatype;  // NOLINT(google-build-using-namespace): every constructor is printed

constexpr std::size_t most_entries = 8;
/// As many as the deepest tree of one child a constructor has, at least.
constexpr std::size_t most_lines = 2 * max_depth;

void print_value(std::ostream& out, std::int64_t value) { out << value; }
void print_value(std::ostream& out, Distribution value) {
  out << (value == Distribution::none ? "none" : value == Distribution::block ? "block" : "cyclic");
}

/// "[1, 2, 3]", or the first entries and the length of the list.
template <typename T>
void print_list(std::ostream& out, const char* name, const std::vector<T>& values) {
  out << ", " << name << " [";
  for (std::size_t i = 0; i < std::min(values.size(), most_entries); ++i) {
    if (i > 0) out << ", ";
    print_value(out, values[i]);
  }
  if (values.size() > most_entries) out << ", ... " << values.size() << " in all";
  out << "]";
}

const char* text(Order order) { return order == Order::c ? "c" : "fortran"; }

/// The constructor with its arguments, without child and attributes.
struct ConstructorPrinter {
  std::ostream& out;

  void operator()(Named named) const { out << name(named); }
  void operator()(const Contiguous& n) const { out << "contiguous count " << n.count; }
  void operator()(const Vector& n) const { blocks("vector", n.count, n.blocklength, n.stride); }
  void operator()(const Hvector& n) const { blocks("hvector", n.count, n.blocklength, n.stride); }
  void operator()(const Indexed& n) const { varying("indexed", n.blocklengths, n.displacements); }
  void operator()(const Hindexed& n) const { varying("hindexed", n.blocklengths, n.displacements); }
  void operator()(const IndexedBlock& n) const { equal("indexed_block", n.blocklength, n.displacements); }
  void operator()(const HindexedBlock& n) const { equal("hindexed_block", n.blocklength, n.displacements); }
  void operator()(const Struct& n) const { varying("struct", n.blocklengths, n.displacements); }
  void operator()(const Subarray& n) const {
    out << "subarray dimensions " << n.sizes.size();
    print_list(out, "sizes", n.sizes);
    print_list(out, "subsizes", n.subsizes);
    print_list(out, "starts", n.starts);
    out << ", order " << text(n.order);
  }
  void operator()(const Darray& n) const {
    out << "darray rank " << n.rank << " of " << n.size;
    print_list(out, "global sizes", n.global_sizes);
    print_list(out, "distributions", n.distributions);
    print_list(out, "arguments", n.distribution_arguments);
    print_list(out, "process sizes", n.process_sizes);
    out << ", order " << text(n.order);
  }
  void operator()(const Resized& n) const { out << "resized lb " << n.lb << ", extent " << n.extent; }
  void operator()(const Dup&) const { out << "dup"; }

  void blocks(const char* kind, std::int64_t count, std::int64_t blocklength, std::int64_t stride) const {
    out << kind << " count " << count << ", blocklength " << blocklength << ", stride " << stride;
  }
  void varying(const char* kind, const std::vector<std::int64_t>& blocklengths,
               const std::vector<std::int64_t>& displacements) const {
    out << kind << " count " << displacements.size();
    print_list(out, "blocklengths", blocklengths);
    print_list(out, "displacements", displacements);
  }
  void equal(const char* kind, std::int64_t blocklength,
             const std::vector<std::int64_t>& displacements) const {
    out << kind << " count " << displacements.size() << ", blocklength " << blocklength;
    print_list(out, "displacements", displacements);
  }
};

void print_line(std::ostream& out, const Datatype& type) {
  std::visit(ConstructorPrinter{out}, datatype::node_of(type).constructor);
  out << " (size " << type.size();
  if (type.lb() != 0) out << ", lb " << type.lb();
  out << ", extent " << type.extent() << ")";
}

/// What is left to print: a tree, or the number of members of a struct of which some are not shown.
struct Unprinted {
  const Datatype* type;
  std::size_t members;
  std::size_t depth;
};

void wait_for_children(const Datatype& type, std::size_t depth, std::vector<Unprinted>& waiting) {
  std::visit(
      [&](const auto& node) {
        if constexpr (requires { node.children; }) {
          const std::size_t shown = std::min(node.children.size(), most_entries);
          if (shown < node.children.size()) waiting.push_back({nullptr, node.children.size(), depth});
          for (std::size_t i = shown; i-- > 0;) waiting.push_back({&node.children[i], 0, depth});
        } else if constexpr (requires { node.child; }) {
          waiting.push_back({&node.child, 0, depth});
        }
      },
      datatype::node_of(type).constructor);
}

void print_tree(std::ostream& out, const Datatype& root) {
  std::vector<Unprinted> waiting{{&root, 0, 0}};
  for (std::size_t lines = 0; !waiting.empty(); ++lines) {
    const Unprinted next = waiting.back();
    waiting.pop_back();
    if (next.depth > 0) out << "\n" << std::string(2 * next.depth, ' ');
    if (lines == most_lines) {
      out << "...";
      return;
    }
    if (next.type == nullptr) {
      out << "... " << next.members << " members in all";
      continue;
    }
    print_line(out, *next.type);
    wait_for_children(*next.type, next.depth + 1, waiting);
  }
}

}  // namespace

std::string Datatype::to_string() const {
  datatype::node_of(*this);  // throws for the null datatype
  std::ostringstream out;
  print_tree(out, *this);
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Datatype& type) { return out << type.to_string(); }

}  // namespace typewarp
