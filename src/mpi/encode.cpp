// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/mpi.hpp>

#include "datatype/node.hpp"
#include "mpi/large.hpp"
#include "mpi/named.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace typewarp::mpi {
namespace {

constexpr const char* call_name = "typewarp::mpi::encode";

/// A handle on the way up, freed unless it is predefined or released.
class Handle {
 public:
  explicit Handle(MPI_Datatype handle, bool owned) : handle_(handle), owned_(owned) {}
  Handle(Handle&& other) noexcept : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (owned_) MPI_Type_free(&handle_);
  }

  MPI_Datatype get() const noexcept { return handle_; }
  MPI_Datatype release() noexcept {
    owned_ = false;
    return handle_;
  }

 private:
  MPI_Datatype handle_;
  bool owned_;
};

// Only an interface of ints can be too narrow.
template <typename To>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
}

[[noreturn]] void refuse_width(std::string_view argument, std::int64_t value) {
  throw InvalidArgument(call_name, argument, value, "must fit this MPI's interface, which counts in int");
}

template <typename To>
To narrow(std::int64_t value, std::string_view argument) {
  if (!fits<To>(value)) refuse_width(argument, value);
  return static_cast<To>(value);
}

template <typename To>
std::vector<To> narrow(const std::vector<std::int64_t>& values, std::string_view argument) {
  std::vector<To> narrowed;
  narrowed.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!fits<To>(values[i])) {
      refuse_width(std::string(argument).append("[").append(std::to_string(i)).append("]"), values[i]);
    }
    narrowed.push_back(static_cast<To>(values[i]));
  }
  return narrowed;
}

Count count_of(std::int64_t value, std::string_view argument) { return narrow<Count>(value, argument); }

/// Calls `construct(&handle)`; what it returned is named `call` in an error.
template <typename Construct>
Handle construct_by(const char* call, Construct construct) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  check(construct(&handle), call);
  return Handle(handle, true);
}

#define TYPEWARP_MPI_MAKE(call, ...) \
  construct_by(#call, [&](MPI_Datatype* handle) { return TYPEWARP_MPI_LARGE(call)(__VA_ARGS__, handle); })

int order_of(Order order) { return order == Order::c ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

int distribution_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::none:
      return MPI_DISTRIBUTE_NONE;
    case Distribution::block:
      return MPI_DISTRIBUTE_BLOCK;
    case Distribution::cyclic:
      break;
  }
  return MPI_DISTRIBUTE_CYCLIC;
}

/// The handles of datatypes by their nodes.
using Handles = std::unordered_map<const datatype::Node*, Handle>;

/// Makes the handle of a datatype whose children have theirs.
struct HandleEncoder {
  const Handles& made;

  template <typename Type>
  MPI_Datatype child(const Type& type) const {
    return made.at(&datatype::node_of(type.child)).get();
  }

  Handle operator()(Named named) const {
    const MPI_Datatype found = handle(named);
    if (found == MPI_DATATYPE_NULL) {
      throw InvalidArgument(call_name, "datatype", name(named), "must be a named type that this MPI has");
    }
    return Handle(found, false);
  }

  Handle operator()(const datatype::Contiguous& type) const {
    return TYPEWARP_MPI_MAKE(MPI_Type_contiguous, count_of(type.count, "count"), child(type));
  }

  Handle operator()(const datatype::Vector& type) const {
    return TYPEWARP_MPI_MAKE(MPI_Type_vector, count_of(type.count, "count"),
                             count_of(type.blocklength, "blocklength"), count_of(type.stride, "stride"),
                             child(type));
  }

  Handle operator()(const datatype::Hvector& type) const {
    return TYPEWARP_MPI_MAKE(MPI_Type_create_hvector, count_of(type.count, "count"),
                             count_of(type.blocklength, "blocklength"), type.stride, child(type));
  }

  Handle operator()(const datatype::Indexed& type) const {
    const auto blocklengths = narrow<Count>(type.blocklengths, "blocklengths");
    const auto displacements = narrow<Count>(type.displacements, "displacements");
    return TYPEWARP_MPI_MAKE(MPI_Type_indexed, static_cast<Count>(blocklengths.size()), blocklengths.data(),
                             displacements.data(), child(type));
  }

  Handle operator()(const datatype::Hindexed& type) const {
    const auto blocklengths = narrow<Count>(type.blocklengths, "blocklengths");
    const auto displacements = narrow<Displacement>(type.displacements, "displacements");
    return TYPEWARP_MPI_MAKE(MPI_Type_create_hindexed, static_cast<Count>(blocklengths.size()),
                             blocklengths.data(), displacements.data(), child(type));
  }

  Handle operator()(const datatype::IndexedBlock& type) const {
    const auto displacements = narrow<Count>(type.displacements, "displacements");
    return TYPEWARP_MPI_MAKE(MPI_Type_create_indexed_block, static_cast<Count>(displacements.size()),
                             count_of(type.blocklength, "blocklength"), displacements.data(), child(type));
  }

  Handle operator()(const datatype::HindexedBlock& type) const {
    const auto displacements = narrow<Displacement>(type.displacements, "displacements");
    return TYPEWARP_MPI_MAKE(MPI_Type_create_hindexed_block, static_cast<Count>(displacements.size()),
                             count_of(type.blocklength, "blocklength"), displacements.data(), child(type));
  }

  Handle operator()(const datatype::Struct& type) const {
    std::vector<MPI_Datatype> handles;
    handles.reserve(type.children.size());
    for (const Datatype& child : type.children) handles.push_back(made.at(&datatype::node_of(child)).get());
    const auto blocklengths = narrow<Count>(type.blocklengths, "blocklengths");
    const auto displacements = narrow<Displacement>(type.displacements, "displacements");
    return TYPEWARP_MPI_MAKE(MPI_Type_create_struct, static_cast<Count>(handles.size()), blocklengths.data(),
                             displacements.data(), handles.data());
  }

  Handle operator()(const datatype::Subarray& type) const {
    const auto sizes = narrow<Count>(type.sizes, "sizes");
    const auto subsizes = narrow<Count>(type.subsizes, "subsizes");
    const auto starts = narrow<Count>(type.starts, "starts");
    return TYPEWARP_MPI_MAKE(MPI_Type_create_subarray, static_cast<int>(sizes.size()), sizes.data(),
                             subsizes.data(), starts.data(), order_of(type.order), child(type));
  }

  Handle operator()(const datatype::Darray& type) const {
    const auto global_sizes = narrow<Count>(type.global_sizes, "global_sizes");
    const auto process_sizes = narrow<int>(type.process_sizes, "process_sizes");
    std::vector<int> distributions;
    for (const Distribution value : type.distributions) distributions.push_back(distribution_of(value));
    auto arguments = narrow<int>(type.distribution_arguments, "distribution_arguments");
    for (int& value : arguments) {
      if (value == default_distribution_argument) value = MPI_DISTRIBUTE_DFLT_DARG;
    }
    return TYPEWARP_MPI_MAKE(MPI_Type_create_darray, narrow<int>(type.size, "size"),
                             narrow<int>(type.rank, "rank"), static_cast<int>(global_sizes.size()),
                             global_sizes.data(), distributions.data(), arguments.data(),
                             process_sizes.data(), order_of(type.order), child(type));
  }

  Handle operator()(const datatype::Resized& type) const {
    return TYPEWARP_MPI_MAKE(MPI_Type_create_resized, child(type), type.lb, type.extent);
  }

  Handle operator()(const datatype::Dup& type) const {
    return construct_by("MPI_Type_dup",
                        [&](MPI_Datatype* handle) { return MPI_Type_dup(child(type), handle); });
  }
};

#undef TYPEWARP_MPI_MAKE

/// Has those children of a datatype wait that have no handle; tells whether there are any.
bool await_children(const datatype::Node& node, const Handles& made,
                    std::vector<const datatype::Node*>& waiting) {
  const std::size_t before = waiting.size();
  datatype::for_each_child(node.constructor, [&](const Datatype& child) {
    if (!made.contains(&datatype::node_of(child))) waiting.push_back(&datatype::node_of(child));
  });
  return waiting.size() > before;
}

}  // namespace

// Each node once, wherever it is used, and without recursion: trees are as deep as the user likes.
MPI_Datatype encode(const Datatype& datatype) {
  Handles made;
  std::vector<const datatype::Node*> waiting{&datatype::node_of(datatype)};
  while (!waiting.empty()) {
    const datatype::Node* const node = waiting.back();
    if (!made.contains(node)) {
      if (await_children(*node, made, waiting)) continue;
      made.emplace(node, std::visit(HandleEncoder{made}, node->constructor));
    }
    waiting.pop_back();
  }
  return made.at(&datatype::node_of(datatype)).release();
}

}  // namespace typewarp::mpi
