// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/node.hpp"

#include <typewarp/plan.h>

#include <map>
#include <memory>
#include <vector>

namespace typewarp::test {

/// Datatypes that the constructors of C have made, as trees of C++ say. Owns them.
class TypesInC {
 public:
  /// Null, and a failure of the test, if a constructor fails. Parts that stand in several places are made
  /// once.
  const tw_datatype* of(const Datatype& type);

 private:
  struct Free {
    void operator()(tw_datatype* datatype) const { tw_datatype_free(datatype); }
  };
  struct Made {
    Datatype type;  ///< keeps the node, so that no other has its address
    std::unique_ptr<tw_datatype, Free> handle;
  };

  std::map<const datatype::Node*, Made> made_;
};

struct FreePlan {
  void operator()(tw_plan* plan) const { tw_plan_free(plan); }
};
using PlanInC = std::unique_ptr<tw_plan, FreePlan>;
/// Null, and a failure of the test, if the commit fails. The datatype is gone when this returns.
PlanInC plan_in_c(const Datatype& type);

}  // namespace typewarp::test
