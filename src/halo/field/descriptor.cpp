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
    if (descriptor_.end <= descriptor_.begin) {
      refuse("end", descriptor_.end, "must exceed begin, which is " + std::to_string(descriptor_.begin));
    }
    at_most("end", descriptor_.end, "total_length", descriptor_.total_length);
    at_most("plus", descriptor_.plus, "total_length - end", descriptor_.total_length - descriptor_.end);
  }

 private:
  [[noreturn]] void refuse(const char* member, std::int64_t value, const std::string& rule) const {
    throw InvalidArgument("typewarp::halo::check", name_ + member, value, rule);
  }
  void not_negative(const char* member, std::int64_t value) const {
    if (value < 0) refuse(member, value, "must not be negative");
  }
  void at_most(const char* member, std::int64_t value, const char* other, std::int64_t bound) const {
    if (value <= bound) return;
    refuse(member, value, std::string("must not exceed ") + other + ", which is " + std::to_string(bound));
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
  if (step < 0) return {begin - minus, begin};
  return step > 0 ? Range{end, end + plus} : owned();
}

Range Descriptor::sent_to(int step) const noexcept {
  if (step < 0) return {begin, begin + plus};
  return step > 0 ? Range{end - minus, end} : owned();
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
  return {width, width, width, width + length, total};
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
