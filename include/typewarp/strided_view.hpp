// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/array_shape.hpp>
#include <typewarp/element.hpp>
#include <typewarp/engine.hpp>

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>

/// Arrays instead of (buffer, count, plan): spans, vectors, and strided parts of arrays in memory of any
/// kind. Nothing here reads that memory.
namespace typewarp {

/// The part of std::mdspan's interface that is needed.
template <typename M>
concept MdspanLike = requires(const M& array, std::size_t d) {
  { M::rank() } -> std::convertible_to<std::size_t>;
  { array.extent(d) } -> std::convertible_to<std::int64_t>;
  { array.stride(d) } -> std::convertible_to<std::int64_t>;
  { array.is_strided() } -> std::convertible_to<bool>;
  { array.data_handle() } -> std::convertible_to<typename M::element_type*>;
  requires Element<typename M::element_type>;
};

/// Consecutive elements that outlive the expression: a span, or a named vector or array.
template <typename R>
concept Row =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R> &&
    Element<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// An array of up to 8 dimensions, with any distance between its elements. A value; the memory is the
/// caller's. All constructors throw InvalidArgument for wrong "sizes..." and "strides..." (see
/// ArrayShape), and for "data" if that is null although there are elements.
template <Element T>
class StridedView {
 public:
  using element_type = T;

  /// `data` is the element whose indices are 0, even if strides are negative; strides are in elements.
  StridedView(T* data, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides)
      : StridedView(data, ArrayShape(sizes, strides)) {}
  StridedView(T* data, std::initializer_list<std::int64_t> sizes, std::initializer_list<std::int64_t> strides)
      : StridedView(data, ArrayShape({sizes.begin(), sizes.size()}, {strides.begin(), strides.size()})) {}
  /// Without gaps, the last dimension fastest.
  StridedView(T* data, std::span<const std::int64_t> sizes) : StridedView(data, ArrayShape(sizes)) {}
  StridedView(T* data, std::initializer_list<std::int64_t> sizes)
      : StridedView(data, ArrayShape(std::span(sizes.begin(), sizes.size()))) {}

  StridedView(T* data, const ArrayShape& shape) : data_(data), shape_(shape) {
    if (data == nullptr && shape.elements() != 0) {
      throw InvalidArgument("typewarp::StridedView", "data", "null", "must not be null");
    }
  }
  template <Row R>
    requires std::convertible_to<decltype(std::ranges::data(std::declval<R&>())), T*>
  StridedView(R&& row)  // NOLINT(google-explicit-constructor): a row of elements *is* an array
      : StridedView(std::ranges::data(row), {static_cast<std::int64_t>(std::ranges::size(row))}) {}
  template <MdspanLike M>
    requires std::convertible_to<typename M::element_type*, T*>
  StridedView(const M& array)  // NOLINT(google-explicit-constructor): as above
      : StridedView(array.data_handle(), shape_of(array)) {}
  template <std::same_as<std::remove_const_t<T>> U>
    requires std::is_const_v<T>
  StridedView(const StridedView<U>& other)  // NOLINT(google-explicit-constructor): as above
      : data_(other.data()), shape_(other.shape()) {}

  T* data() const noexcept { return data_; }
  const ArrayShape& shape() const noexcept { return shape_; }
  std::int64_t elements() const noexcept { return shape_.elements(); }

 private:
  template <typename M>
  static ArrayShape shape_of(const M& array) {
    std::array<std::int64_t, M::rank()> sizes{}, strides{};
    if (!array.is_strided()) {
      throw InvalidArgument("typewarp::StridedView", "array", "one that is not strided", "must be strided");
    }
    for (std::size_t d = 0; d < M::rank(); ++d) {
      sizes[d] = static_cast<std::int64_t>(array.extent(d));
      strides[d] = static_cast<std::int64_t>(array.stride(d));
    }
    return ArrayShape(sizes, strides);
  }

  T* data_;
  ArrayShape shape_;
};

template <Row R>
StridedView(R&&) -> StridedView<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <MdspanLike M>
StridedView(const M&) -> StridedView<typename M::element_type>;

/// What StridedView(array) accepts, including views.
template <typename A>
concept Array = requires(A&& array) { StridedView(std::forward<A>(array)); };
/// The type of its elements.
template <Array A>
using ArrayElement = typename decltype(StridedView(std::declval<A>()))::element_type;
/// An array that can be written to.
template <typename A>
concept WritableArray = Array<A> && !std::is_const_v<ArrayElement<A>>;

/// One item of it at the view's data() is the view.
template <Element T>
Datatype datatype_of(const StridedView<T>& view) {
  return datatype_of(view.shape(), named_of<T>);
}
/// The same, committed; fast for shapes that were used recently (see ArrayShape).
template <Element T>
Plan commit(const StridedView<T>& view) {
  return commit(view.shape(), named_of<T>);
}

/// An array in the form that the other calls take: items of a plan.
template <Element T>
struct ArrayItems {
  T* data;
  std::int64_t count;
  Plan plan;
};
/// Arrays without gaps are items of one element each, so they all share one plan.
template <Array A>
ArrayItems<ArrayElement<A>> items_of(A&& array) {
  const StridedView view(std::forward<A>(array));
  if (!view.shape().dense()) return {view.data(), 1, commit(view)};
  static const Plan& one = *new Plan(commit(Datatype(named_of<ArrayElement<A>>)));  // for static objects, too
  return {view.data(), view.elements(), one};
}

// The calls of engine.hpp, whose rules for memory and streams hold. They throw InvalidArgument that names the
// array ("packed", "destination") if the two arrays differ in their numbers of elements.

namespace element {
template <Element T>
void check_room(std::string_view call, std::string_view argument, std::int64_t elements,
                const ArrayItems<T>& other) {
  const std::int64_t expected = other.count * other.plan.size() / static_cast<std::int64_t>(sizeof(T));
  if (elements == expected) return;
  throw InvalidArgument(call, argument, std::to_string(elements) + " elements",
                        "must have " + std::to_string(expected) + ", as the other array");
}
}  // namespace element

template <Array A>
void pack(A&& array, std::span<std::remove_cv_t<ArrayElement<A>>> packed, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  element::check_room("typewarp::pack", "packed", std::ssize(packed), items);
  pack(items.data, items.count, items.plan, packed.data(), stream);
}

template <WritableArray A>
void unpack(std::span<const ArrayElement<A>> packed, A&& array, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  element::check_room("typewarp::unpack", "packed", std::ssize(packed), items);
  unpack(packed.data(), items.data, items.count, items.plan, stream);
}

/// Element by element, in the order of the packed stream; the shapes may differ.
template <Array A, WritableArray B>
  requires std::same_as<std::remove_cv_t<ArrayElement<A>>, ArrayElement<B>>
void copy(A&& source, B&& destination, Stream stream = {}) {
  const StridedView to(std::forward<B>(destination));
  const auto from = items_of(std::forward<A>(source));
  element::check_room("typewarp::copy", "destination", to.elements(), from);
  const auto items = items_of(to);
  copy(from.data, from.count, from.plan, items.data, items.count, items.plan, stream);
}

}  // namespace typewarp
