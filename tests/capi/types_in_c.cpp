// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/types_in_c.hpp"

#include <gtest/gtest.h>

namespace typewarp::test {
namespace {

using List = std::vector<std::int64_t>;

int number(const List& list) { return static_cast<int>(list.size()); }
int in_c(Order order) { return order == Order::c ? TW_ORDER_C : TW_ORDER_FORTRAN; }

/// Calls the constructor of C that has made a node.
struct Constructors {
  TypesInC& types;
  tw_datatype** made;

  tw_result operator()(Named) const { return TW_ERR_OTHER; }  // not made
  tw_result operator()(const datatype::Contiguous& c) const {
    return tw_datatype_contiguous(c.count, types.of(c.child), made);
  }
  tw_result operator()(const datatype::Vector& c) const {
    return tw_datatype_vector(c.count, c.blocklength, c.stride, types.of(c.child), made);
  }
  tw_result operator()(const datatype::Hvector& c) const {
    return tw_datatype_hvector(c.count, c.blocklength, c.stride, types.of(c.child), made);
  }
  tw_result operator()(const datatype::Indexed& c) const {
    return tw_datatype_indexed(number(c.displacements), c.blocklengths.data(), c.displacements.data(),
                               types.of(c.child), made);
  }
  tw_result operator()(const datatype::Hindexed& c) const {
    return tw_datatype_hindexed(number(c.displacements), c.blocklengths.data(), c.displacements.data(),
                                types.of(c.child), made);
  }
  tw_result operator()(const datatype::IndexedBlock& c) const {
    return tw_datatype_indexed_block(number(c.displacements), c.blocklength, c.displacements.data(),
                                     types.of(c.child), made);
  }
  tw_result operator()(const datatype::HindexedBlock& c) const {
    return tw_datatype_hindexed_block(number(c.displacements), c.blocklength, c.displacements.data(),
                                      types.of(c.child), made);
  }
  tw_result operator()(const datatype::Struct& c) const {
    std::vector<const tw_datatype*> children;
    for (const Datatype& child : c.children) children.push_back(types.of(child));
    return tw_datatype_struct(number(c.displacements), c.blocklengths.data(), c.displacements.data(),
                              children.data(), made);
  }
  tw_result operator()(const datatype::Subarray& c) const {
    return tw_datatype_subarray(number(c.sizes), c.sizes.data(), c.subsizes.data(), c.starts.data(),
                                in_c(c.order), types.of(c.child), made);
  }
  tw_result operator()(const datatype::Darray& c) const {
    std::vector<int> distributions;
    for (const Distribution one : c.distributions) distributions.push_back(static_cast<int>(one));
    return tw_datatype_darray(c.size, c.rank, number(c.global_sizes), c.global_sizes.data(),
                              distributions.data(), c.distribution_arguments.data(), c.process_sizes.data(),
                              in_c(c.order), types.of(c.child), made);
  }
  tw_result operator()(const datatype::Resized& c) const {
    return tw_datatype_resized(types.of(c.child), c.lb, c.extent, made);
  }
  tw_result operator()(const datatype::Dup& c) const { return tw_datatype_dup(types.of(c.child), made); }
};

}  // namespace

const tw_datatype* TypesInC::of(const Datatype& type) {
  const datatype::Node& node = datatype::node_of(type);
  if (const Named* const named = std::get_if<Named>(&node.constructor)) {
    return tw_datatype_named(static_cast<int>(*named));
  }
  if (const auto found = made_.find(&node); found != made_.end()) return found->second.handle.get();
  tw_datatype* made = nullptr;
  EXPECT_EQ(std::visit(Constructors{*this, &made}, node.constructor), TW_SUCCESS) << tw_error_text();
  return made_.try_emplace(&node, type, std::unique_ptr<tw_datatype, Free>(made)).first->second.handle.get();
}

PlanInC plan_in_c(const Datatype& type) {
  TypesInC types;
  tw_plan* plan = nullptr;
  EXPECT_EQ(tw_plan_commit(types.of(type), &plan), TW_SUCCESS) << tw_error_text();
  return PlanInC(plan);
}

}  // namespace typewarp::test
