// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/domain.hpp"

#include <typewarp/error.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace apps {

/// Numbers of a domain's layout, in memory of their own.
struct Field {
  double* numbers;
  std::int64_t planes;
};

/// The fields that one exchange moves. Kernels take it by value.
class Fields {
 public:
  static constexpr int most = 8;

  Fields(std::initializer_list<Field> fields) {
    for (const Field& field : fields) add(field);
  }

  /// Throws typewarp::InvalidArgument if there are too many.
  void add(const Field& field) {
    if (count_ == most) {
      throw typewarp::InvalidArgument("Fields::add", "fields", std::to_string(count_ + 1),
                                      "must be at most " + std::to_string(most));
    }
    fields_[count_++] = field;
  }

  APPS_HOST_DEVICE const Field* begin() const { return fields_; }
  APPS_HOST_DEVICE const Field* end() const { return fields_ + count_; }

  /// The number of planes of all fields.
  APPS_HOST_DEVICE std::int64_t planes() const {
    std::int64_t sum = 0;
    for (const Field& field : *this) sum += field.planes;
    return sum;
  }
  /// The first number of a plane, where those of all fields are counted one after the other.
  APPS_HOST_DEVICE double* plane(std::int64_t number, const Layout& layout) const {
    int field = 0;
    for (; number >= fields_[field].planes; ++field) number -= fields_[field].planes;
    return fields_[field].numbers + number * layout.cells();
  }

 private:
  Field fields_[most] = {};
  int count_ = 0;
};

}  // namespace apps
