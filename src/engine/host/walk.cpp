// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/step.hpp"

namespace typewarp::host {
namespace {

Kernel kernel(Way way, const Step& step) { return way == Way::pack ? step.pack : step.unpack; }

/// Children of one size.
void move_equal(Way way, const Step& step, std::byte* user, std::byte* packed, std::int64_t begin,
                std::int64_t end) {
  const std::int64_t size = step.child_size;
  std::int64_t first = begin / size;
  const std::int64_t last = end / size;
  const std::int64_t head = begin - first * size;
  const std::int64_t tail = end - last * size;
  const auto child_at = [&](std::int64_t i) {
    return user +
           (step.kind == plan::Kind::repeat ? i * step.stride : entry(step.displacements, step.width, i));
  };
  if (first == last) return move(way, *step.child, child_at(first), packed, head, tail);
  if (head > 0) {
    move(way, *step.child, child_at(first), packed, head, size);
    packed += size - head;
    ++first;
  }
  if (first < last) {
    kernel(way, step)(step, user, packed, first, last);
    packed += (last - first) * size;
  }
  if (tail > 0) move(way, *step.child, child_at(last), packed, 0, tail);
}

/// The child that holds byte `at`: the last i with prefix[i] <= at among those that are not empty.
std::int64_t find_child(const Step& step, std::int64_t at) {
  std::int64_t low = 0;
  std::int64_t high = step.count;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (entry(step.prefix, step.width, middle) <= at ? low : high) = middle;
  }
  return low;
}

/// Blocks of a varying list, members of a sequence.
void move_unequal(Way way, const Step& step, std::byte* user, std::byte* packed, std::int64_t begin,
                  std::int64_t end) {
  const auto start_of = [&](std::int64_t i) { return entry(step.prefix, step.width, i); };
  const auto child = [&](std::int64_t i, std::int64_t from, std::int64_t to) {
    const Step& inner = step.kind == plan::Kind::sequence ? *step.members[i] : *step.child;
    move(way, inner, user + entry(step.displacements, step.width, i), packed, from, to);
    packed += to - from;
  };
  std::int64_t first = find_child(step, begin);
  if (end <= start_of(first + 1)) return child(first, begin - start_of(first), end - start_of(first));
  if (begin > start_of(first)) {
    child(first, begin - start_of(first), start_of(first + 1) - start_of(first));
    ++first;
  }
  const std::int64_t last = end == step.size ? step.count : find_child(step, end);
  if (first < last) {
    kernel(way, step)(step, user, packed, first, last);
    packed += start_of(last) - start_of(first);
  }
  if (last < step.count && end > start_of(last)) child(last, 0, end - start_of(last));
}

}  // namespace

void move(Way way, const Step& step, std::byte* user, std::byte* packed, std::int64_t begin,
          std::int64_t end) {
  if (begin == end) return;
  if (begin == 0 && end == step.size && step.kind != plan::Kind::run) {
    return kernel(way, step)(step, user, packed, 0, step.count);
  }
  switch (step.kind) {
    case plan::Kind::run:
      return kernel(way, step)(step, user, packed, begin, end);
    case plan::Kind::repeat:
    case plan::Kind::blocks:
      return move_equal(way, step, user, packed, begin, end);
    case plan::Kind::varying:
    case plan::Kind::sequence:
      return move_unequal(way, step, user, packed, begin, end);
  }
}

}  // namespace typewarp::host
