// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_descriptor.hpp>

#include <algorithm>
#include <string>

namespace typewarp::halo {
namespace {

/// One dimension's rules, whose breach names the dimension.
class Check {
 public:
  Check(std::size_t dimension, const Descriptor& descriptor)
      : name_("descriptors[" + std::to_string(dimension) + "]."), descriptor_(descriptor) {}

  void run() const {
    not_negative("minus", descriptor_.minus);
    not_negative("plus", descriptor_.plus);
    not_negative("begin", descriptor_.begin);
    at_least("begin", descriptor_.begin, "minus", descriptor_.minus);
    at_least("end", descriptor_.end, "begin", descriptor_.begin);
    if (descriptor_.end >= descriptor_.total_length) {
      refuse("end", descriptor_.end,
             "must be less than total_length, which is " + std::to_string(descriptor_.total_length));
    }
    const std::int64_t above = descriptor_.total_length - descriptor_.end - 1;
    if (descriptor_.plus > above) {
      refuse("plus", descriptor_.plus,
             "must not exceed total_length - end - 1, which is " + std::to_string(above));
    }
  }

 private:
  [[noreturn]] void refuse(const char* member, std::int64_t value, const std::string& rule) const {
    throw InvalidArgument("typewarp::halo::check", name_ + member, value, rule);
  }
  void not_negative(const char* member, std::int64_t value) const {
    if (value < 0) refuse(member, value, "must not be negative");
  }
  void at_least(const char* member, std::int64_t value, const char* other, std::int64_t bound) const {
    if (value >= bound) return;
    refuse(member, value,
           std::string("must not be less than ") + other + ", which is " + std::to_string(bound));
  }

  std::string name_;
  const Descriptor& descriptor_;
};

}  // namespace

Range Descriptor::received_from(int step) const noexcept {
  if (step < 0) return {begin - minus, minus};
  return step > 0 ? Range{end + 1, plus} : owned();
}

Range Descriptor::sent_to(int step) const noexcept {
  if (step < 0) return {begin, plus};
  return step > 0 ? Range{end - minus + 1, minus} : owned();
}

Descriptor Descriptor::narrowed(std::int64_t width) const noexcept {
  return {std::min(minus, width), std::min(plus, width), begin, end, total_length};
}

Descriptor without_halo(std::int64_t length) { return with_halo(length, 0); }

Descriptor with_halo(std::int64_t length, std::int64_t width) {
  constexpr std::string_view call = "typewarp::halo::with_halo";
  if (length < 1) throw InvalidArgument(call, "length", length, "must be positive");
  if (width < 0) throw InvalidArgument(call, "width", width, "must not be negative");
  std::int64_t total = 0;
  if (__builtin_mul_overflow(width, 2, &total) || __builtin_add_overflow(total, length, &total)) {
    throw InvalidArgument(call, "width", width, "with length must fit 64 bits");
  }
  return {width, width, width, width + length - 1, total};
}

void check(std::span<const Descriptor> descriptors) {
  if (descriptors.empty() || descriptors.size() > max_dimensions) {
    throw InvalidArgument("typewarp::halo::check", "descriptors.size()",
                          static_cast<long long>(descriptors.size()),
                          "must be 1 to " + std::to_string(max_dimensions) + ", one a dimension");
  }
  for (std::size_t d = 0; d < descriptors.size(); ++d) Check(d, descriptors[d]).run();
}

}  // namespace typewarp::halo
