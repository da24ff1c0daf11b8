// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"
#include "blocks.hpp"
#include "overlap.hpp"

#include <typewarp/plan.hpp>

#include <optional>
#include <string>

namespace typewarp::python {

/// What the engine's calls take.
struct Items {
  std::byte* buffer;
  std::int64_t count;
  Plan plan;
};

/// An array whose memory can be packed, unpacked and copied: typewarp.View. Immutable; keeps the array alive.
class View {
 public:
  /// Throws nanobind::type_error and nanobind::value_error that name `x`.
  explicit View(nanobind::handle x);
  /// Blocks of rows of other views' memory. `of`: one strided View, or a tuple of them. The displacements of
  /// `parts` are from `array.data`; `array` has no memory to give back, and its first dimension no stride.
  /// That it `repeats` is known; whether it does otherwise is found out.
  View(nanobind::object of, Array array, std::vector<Blocks> parts, bool repeats, const Hints& hints);
  /// The same memory, moved as these hints say.
  View(const View& of, const Hints& hints);
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const Array& array() const noexcept { return array_; }
  /// The object that was viewed; of a layout the one that it is made of, or a tuple of those.
  nanobind::object owner() const;
  /// Adds this view, or those that it is made of.
  void add_strided(nanobind::list& views) const;
  std::int64_t elements() const noexcept { return elements_; }
  std::int64_t bytes() const noexcept { return elements_ * array_.element.bytes(); }
  /// Whether the elements follow each other without gaps, the last dimension fastest.
  bool dense() const noexcept { return dense_; }
  /// Whether all elements are where shape and strides say; else where parts() say.
  bool strided() const noexcept { return parts_.empty(); }
  const std::vector<Blocks>& parts() const noexcept { return parts_; }
  /// Whether a byte belongs to several of its elements. Found out once.
  bool repeats() const;
  /// Of the first element, as the order of the elements has it.
  std::byte* first() const noexcept;
  bool on_gpu() const noexcept { return array_.place == Place::device || array_.place == Place::managed; }

  /// From the lowest address of an element to behind the highest; empty where there are no elements.
  struct Range {
    std::uintptr_t begin = 0;
    std::int64_t bytes = 0;
  };
  const Range& range() const noexcept { return range_; }
  /// The bytes of all elements.
  Memory memory() const;
  /// Whether bytes of one belong to the other, at other elements. What lies at one place in both is no
  /// overlap.
  bool overlaps(const View& other) const;

  /// Of all elements. The plan is looked up once, and kept.
  const Items& items();
  const Hints& hints() const noexcept { return hints_; }

  /// "cpu", "cpu (pinned)", "cuda:0"; "cuda" where the array does not tell which.
  std::string device() const;
  std::string repr() const;
  /// The canonical form of the memory, as typewarp::Layout prints it.
  std::string layout();

  /// The stream of the array's library for a GPU's array, if the library or the array tells it in C.
  std::optional<std::uintptr_t> stream() const;

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  nanobind::object owner_;
  Array array_;  // gives back its memory before the owner goes
  std::int64_t elements_ = 1;
  bool dense_ = true;
  Range range_;
  bool of_views_ = false;      // then owner_ is a View, or a tuple of them
  std::vector<Blocks> parts_;  // of what strides cannot describe
  mutable std::optional<bool> repeats_;
  Hints hints_;
  std::optional<Items> items_;

  Datatype datatype() const;
};

}  // namespace typewarp::python
