// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.h>

#include "capi/arguments.hpp"

#include <typewarp/array_shape.hpp>

#include <array>
#include <span>

// NOLINTBEGIN(google-build-using-namespace): this file gives it other names
using namespace typewarp;
using namespace typewarp::capi;
// NOLINTEND(google-build-using-namespace)

namespace {

static_assert(is(Named::char_, TW_CHAR) && is(Named::aint, TW_AINT) && is(Named::two_integer, TW_2INTEGER));
static_assert(is(Order::c, TW_ORDER_C) && is(Order::fortran, TW_ORDER_FORTRAN));
static_assert(is(Distribution::none, TW_DISTRIBUTE_NONE) && is(Distribution::block, TW_DISTRIBUTE_BLOCK) &&
              is(Distribution::cyclic, TW_DISTRIBUTE_CYCLIC));
static_assert(default_distribution_argument == TW_DISTRIBUTE_DEFAULT_ARGUMENT);

using List = std::vector<std::int64_t>;

/// Never destroyed: static objects of programs may ask for them.
union NamedTypes {
  NamedTypes() {
    for (std::size_t i = 0; i < types.size(); ++i)
      std::construct_at(&types[i], Datatype(static_cast<Named>(i)));
  }
  ~NamedTypes() {}

  std::array<tw_datatype, TW_2INTEGER + 1> types;
};

const tw_datatype& named_type(Named named) {
  static const NamedTypes all;
  return all.types[static_cast<std::size_t>(named)];
}

/// What the arguments of a constructor become, of which `call` is the name.
struct Given {
  const char* call;

  const Datatype& child(const tw_datatype* child) const { return datatype_of(call, "child", child); }
  /// An array of `count` entries.
  List list(const char* argument, const int64_t* entries, int64_t count, const char* count_name) const {
    return capi::list<std::int64_t>(entries, size_of(call, count_name, count, entries, argument));
  }
  List blocklengths(const int64_t* entries, int64_t count) const {
    return list("blocklengths", entries, count, "count");
  }
  List displacements(const int64_t* entries, int64_t count) const {
    return list("displacements", entries, count, "count");
  }
  List of_dimensions(const char* argument, const int64_t* entries, int dimensions) const {
    return list(argument, entries, dimensions, "dimensions");
  }
  Order order(int order) const { return choice(call, "order", order, Order::fortran); }
};

std::vector<Datatype> children_of(const char* call, int64_t count, const tw_datatype* const* children) {
  std::vector<Datatype> made;
  const std::size_t size = size_of(call, "count", count, children, "children");
  made.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (children[i] == nullptr) require(nullptr, call, "children[" + std::to_string(i) + "]");
    made.push_back(children[i]->value);
  }
  return made;
}

std::vector<Distribution> distributions_of(const char* call, int dimensions, const int* distributions) {
  std::vector<Distribution> made;
  for (std::size_t i = 0; i < size_of(call, "dimensions", dimensions, distributions, "distributions"); ++i) {
    made.push_back(
        choice(call, "distributions[" + std::to_string(i) + "]", distributions[i], Distribution::cyclic));
  }
  return made;
}

}  // namespace

const tw_datatype* tw_datatype_named(int named) {
  constexpr const char* call = "tw_datatype_named";
  const tw_datatype* found = nullptr;
  static_cast<void>(guarded(call, [&] { found = &named_type(named_of(call, "named", named)); }));
  return found;
}

void tw_datatype_free(tw_datatype* datatype) { delete datatype; }

tw_result tw_datatype_contiguous(int64_t count, const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_contiguous"};
  return create(given.call, datatype, "datatype", [&] { return contiguous(count, given.child(child)); });
}

tw_result tw_datatype_vector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                             tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_vector"};
  return create(given.call, datatype, "datatype",
                [&] { return vector(count, blocklength, stride, given.child(child)); });
}

tw_result tw_datatype_hvector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                              tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_hvector"};
  return create(given.call, datatype, "datatype",
                [&] { return hvector(count, blocklength, stride, given.child(child)); });
}

tw_result tw_datatype_indexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                              const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_indexed"};
  return create(given.call, datatype, "datatype", [&] {
    return indexed(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                   given.child(child));
  });
}

tw_result tw_datatype_hindexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                               const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_hindexed"};
  return create(given.call, datatype, "datatype", [&] {
    return hindexed(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                    given.child(child));
  });
}

tw_result tw_datatype_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                    const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_indexed_block"};
  return create(given.call, datatype, "datatype", [&] {
    return indexed_block(blocklength, given.displacements(displacements, count), given.child(child));
  });
}

tw_result tw_datatype_hindexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                     const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_hindexed_block"};
  return create(given.call, datatype, "datatype", [&] {
    return hindexed_block(blocklength, given.displacements(displacements, count), given.child(child));
  });
}

tw_result tw_datatype_struct(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                             const tw_datatype* const* children, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_struct"};
  return create(given.call, datatype, "datatype", [&] {
    return structure(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                     children_of(given.call, count, children));
  });
}

tw_result tw_datatype_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                               const int64_t* starts, int order, const tw_datatype* child,
                               tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_subarray"};
  return create(given.call, datatype, "datatype", [&] {
    return subarray(given.of_dimensions("sizes", sizes, dimensions),
                    given.of_dimensions("subsizes", subsizes, dimensions),
                    given.of_dimensions("starts", starts, dimensions), given.order(order),
                    given.child(child));
  });
}

tw_result tw_datatype_darray(int64_t size, int64_t rank, int dimensions, const int64_t* global_sizes,
                             const int* distributions, const int64_t* distribution_arguments,
                             const int64_t* process_sizes, int order, const tw_datatype* child,
                             tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_darray"};
  return create(given.call, datatype, "datatype", [&] {
    return darray(size, rank, given.of_dimensions("global_sizes", global_sizes, dimensions),
                  distributions_of(given.call, dimensions, distributions),
                  given.of_dimensions("distribution_arguments", distribution_arguments, dimensions),
                  given.of_dimensions("process_sizes", process_sizes, dimensions), given.order(order),
                  given.child(child));
  });
}

tw_result tw_datatype_resized(const tw_datatype* child, int64_t lb, int64_t extent, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_resized"};
  return create(given.call, datatype, "datatype", [&] { return resized(given.child(child), lb, extent); });
}

tw_result tw_datatype_dup(const tw_datatype* child, tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_dup"};
  return create(given.call, datatype, "datatype", [&] { return dup(given.child(child)); });
}

tw_result tw_datatype_array(int dimensions, const int64_t* sizes, const int64_t* strides, int element,
                            tw_datatype** datatype) {
  constexpr Given given{"tw_datatype_array"};
  return create(given.call, datatype, "datatype", [&] {
    const List of_sizes = given.of_dimensions("sizes", sizes, dimensions);
    const Named named = named_of(given.call, "element", element);
    if (dimensions > static_cast<int>(ArrayShape::max_rank)) {
      throw InvalidArgument(given.call, "dimensions", dimensions, "must not exceed 8");
    }
    return typewarp::datatype_of(
        strides == nullptr ? ArrayShape(of_sizes)
                           : ArrayShape(of_sizes, given.of_dimensions("strides", strides, dimensions)),
        named);
  });
}
