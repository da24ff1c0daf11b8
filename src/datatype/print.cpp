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
struct Head {
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

void print_tree(std::ostream& out, const Datatype& type, std::size_t depth);

void print_children(std::ostream&, Named, std::size_t) {}

void print_children(std::ostream& out, const Struct& node, std::size_t depth) {
  const std::size_t shown = std::min(node.children.size(), most_entries);
  for (std::size_t i = 0; i < shown; ++i) print_tree(out, node.children[i], depth);
  if (shown < node.children.size()) {
    out << "\n" << std::string(2 * depth, ' ') << "... " << node.children.size() << " members in all";
  }
}

template <typename Node>
void print_children(std::ostream& out, const Node& node, std::size_t depth) {
  print_tree(out, node.child, depth);
}

void print_tree(std::ostream& out, const Datatype& type, std::size_t depth) {
  if (depth > 0) out << "\n" << std::string(2 * depth, ' ');
  std::visit(Head{out}, datatype::node_of(type).constructor);
  out << " (size " << type.size();
  if (type.lb() != 0) out << ", lb " << type.lb();
  out << ", extent " << type.extent() << ")";
  std::visit([&](const auto& node) { print_children(out, node, depth + 1); },
             datatype::node_of(type).constructor);
}

}  // namespace

std::string Datatype::to_string() const {
  datatype::node_of(*this);  // throws for the null datatype
  std::ostringstream out;
  print_tree(out, *this, 0);
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Datatype& type) { return out << type.to_string(); }

}  // namespace typewarp
