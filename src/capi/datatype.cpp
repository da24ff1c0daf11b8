// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.h>

#include "capi/arguments.hpp"

#include <typewarp/array_shape.hpp>

#include <array>

using namespace typewarp;
using namespace typewarp::capi;

namespace {

static_assert(is(Named::char_, TW_CHAR) && is(Named::aint, TW_AINT) && is(Named::two_integer, TW_2INTEGER));
static_assert(is(Order::c, TW_ORDER_C) && is(Order::fortran, TW_ORDER_FORTRAN));
static_assert(is(Distribution::none, TW_DISTRIBUTE_NONE) && is(Distribution::block, TW_DISTRIBUTE_BLOCK) &&
              is(Distribution::cyclic, TW_DISTRIBUTE_CYCLIC));
static_assert(default_distribution_argument == TW_DISTRIBUTE_DEFAULT_ARGUMENT);

using List = std::vector<std::int64_t>;

/// Never destroyed, since static objects of the program may still use them.
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

/// Converts the arguments of the constructor `call`.
struct Given {
  const char* call;

  const Datatype& child(const tw_datatype* child) const { return value_of(call, child, "child"); }
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
  return each_of(call, "count", count, children, "children", [&](const tw_datatype* child, std::size_t i) {
    if (child == nullptr) require(nullptr, call, entry("children", i));
    return child->value;
  });
}

std::vector<Distribution> distributions_of(const char* call, int dimensions, const int* distributions) {
  return each_of(call, "dimensions", dimensions, distributions, "distributions",
                 [&](int value, std::size_t i) {
                   return choice(call, entry("distributions", i), value, Distribution::cyclic);
                 });
}

/// Creates the datatype that `make` returns.
template <class Make>
tw_result made(const char* call, tw_datatype** datatype, Make make) noexcept {
  return create(call, datatype, [&](const char*) { return make(Given{call}); });
}

}  // namespace

const tw_datatype* tw_datatype_named(int named) {
  const tw_datatype* found = nullptr;
  static_cast<void>(
      guarded(__func__, [&](const char* call) { found = &named_type(named_of(call, "named", named)); }));
  return found;
}

void tw_datatype_free(tw_datatype* datatype) { delete datatype; }

tw_result tw_datatype_contiguous(int64_t count, const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) { return contiguous(count, given.child(child)); });
}

tw_result tw_datatype_vector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                             tw_datatype** datatype) {
  return made(__func__, datatype,
              [&](const Given& given) { return vector(count, blocklength, stride, given.child(child)); });
}

tw_result tw_datatype_hvector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                              tw_datatype** datatype) {
  return made(__func__, datatype,
              [&](const Given& given) { return hvector(count, blocklength, stride, given.child(child)); });
}

tw_result tw_datatype_indexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                              const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
    return indexed(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                   given.child(child));
  });
}

tw_result tw_datatype_hindexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                               const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
    return hindexed(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                    given.child(child));
  });
}

tw_result tw_datatype_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                    const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
    return indexed_block(blocklength, given.displacements(displacements, count), given.child(child));
  });
}

tw_result tw_datatype_hindexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                     const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
    return hindexed_block(blocklength, given.displacements(displacements, count), given.child(child));
  });
}

tw_result tw_datatype_struct(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                             const tw_datatype* const* children, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
    return structure(given.blocklengths(blocklengths, count), given.displacements(displacements, count),
                     children_of(given.call, count, children));
  });
}

tw_result tw_datatype_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                               const int64_t* starts, int order, const tw_datatype* child,
                               tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
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
  return made(__func__, datatype, [&](const Given& given) {
    return darray(size, rank, given.of_dimensions("global_sizes", global_sizes, dimensions),
                  distributions_of(given.call, dimensions, distributions),
                  given.of_dimensions("distribution_arguments", distribution_arguments, dimensions),
                  given.of_dimensions("process_sizes", process_sizes, dimensions), given.order(order),
                  given.child(child));
  });
}

tw_result tw_datatype_resized(const tw_datatype* child, int64_t lb, int64_t extent, tw_datatype** datatype) {
  return made(__func__, datatype,
              [&](const Given& given) { return resized(given.child(child), lb, extent); });
}

tw_result tw_datatype_dup(const tw_datatype* child, tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) { return dup(given.child(child)); });
}

tw_result tw_datatype_array(int dimensions, const int64_t* sizes, const int64_t* strides, int element,
                            tw_datatype** datatype) {
  return made(__func__, datatype, [&](const Given& given) {
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

tw_result tw_datatype_get_size(const tw_datatype* datatype, int64_t* size, int64_t* elements) {
  return on(__func__, datatype, [&](const Datatype& type) {
    store(type.size(), size);
    store(type.elements(), elements);
  });
}

tw_result tw_datatype_get_extent(const tw_datatype* datatype, int64_t* lb, int64_t* extent) {
  return on(__func__, datatype, [&](const Datatype& type) {
    store(type.lb(), lb);
    store(type.extent(), extent);
  });
}

tw_result tw_datatype_get_true_extent(const tw_datatype* datatype, int64_t* true_lb, int64_t* true_extent) {
  return on(__func__, datatype, [&](const Datatype& type) {
    store(type.true_lb(), true_lb);
    store(type.true_extent(), true_extent);
  });
}

tw_result tw_datatype_elements_in(const tw_datatype* datatype, int64_t bytes, int64_t* elements) {
  return guarded(__func__, [&](const char* call) {
    const Datatype& type = value_of(call, datatype);
    require(elements, call, "elements");
    if (bytes < 0) throw InvalidArgument(call, "bytes", bytes, "must not be negative");
    *elements = type.elements_in(bytes);
  });
}

tw_result tw_datatype_is_contiguous(const tw_datatype* datatype, int* contiguous) {
  return answer(__func__, datatype, &Datatype::contiguous, contiguous, "contiguous");
}

tw_result tw_datatype_same_signature(const tw_datatype* one, const tw_datatype* other, int* same) {
  return guarded(__func__, [&](const char* call) {
    const Signature first = value_of(call, one, "one").signature();
    const Signature second = value_of(call, other, "other").signature();
    require(same, call, "same");
    *same = first == second ? 1 : 0;
  });
}

tw_result tw_datatype_to_string(const tw_datatype* datatype, char* text, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&](const char* call) {
    store(call, value_of(call, datatype).to_string(), text, capacity, length);
  });
}
