// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_group.hpp>

#include "bindings.hpp"
#include "living.hpp"
#include "operand.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {

template <>
inline constexpr bool waits_at_the_end<DeviceGroup> = true;

// Every module has its own, as exchanges.
namespace TYPEWARP_PYTHON_MODULE {
namespace {

Operation operation_of(const std::string& op) {
  for (int value = 0; value <= static_cast<int>(Operation::bxor); ++value) {
    const auto operation = static_cast<Operation>(value);
    std::string name(typewarp::name(operation));  // "MPI_SUM"
    name.erase(0, 4);
    for (char& letter : name) letter = static_cast<char>(letter - 'A' + 'a');
    if (name == op) return operation;
  }
  refuse("op", "'" + op + "' must be sum, min, max, prod, land, band, lor, bor, lxor or bxor");
}

/// Of the elements of an array that has no gaps.
Named numbers_of(const char* argument, const View& view, Operation operation, const std::string& op) {
  static constexpr std::pair<std::string_view, Named> types[] = {{"bool", Named::c_bool},
                                                                 {"int8", Named::int8},
                                                                 {"int16", Named::int16},
                                                                 {"int32", Named::int32},
                                                                 {"int64", Named::int64},
                                                                 {"uint8", Named::uint8},
                                                                 {"uint16", Named::uint16},
                                                                 {"uint32", Named::uint32},
                                                                 {"uint64", Named::uint64},
                                                                 {"float32", Named::float_},
                                                                 {"float64", Named::double_},
                                                                 {"complex64", Named::complex_float},
                                                                 {"complex128", Named::complex_double}};
  const std::string element = view.array().element.name();
  for (const auto& [name, type] : types)
    if (element == name && reducible(type, operation)) return type;
  refuse(argument, "has elements of " + element + ", which '" + op + "' does not combine");
}

void check_dense(const char* argument, const View& view) {
  check_reachable(argument, view);
  if (!view.dense()) refuse(argument, "has gaps or another order, must be contiguous (C order)");
}

/// What a DeviceGroup is made with: made before the ranks meet, since it may refuse what one of them gave.
class GroupOptions {
 public:
  GroupOptions(int device, double time_limit) : value{device, time_limit_of(time_limit)} {}

  DeviceGroupOptions value;
};

class GroupHandle {
 public:
  GroupHandle(const Ranks& ranks, const GroupOptions& options) {
    state_ =
        Lives<DeviceGroup>::made("the DeviceGroup", {}, [&] { return DeviceGroup(ranks, options.value); });
  }

  void allreduce(View& x, View& out, const std::string& op, std::uintptr_t stream) {
    combine(&DeviceGroup::allreduce, x, out, op, stream);
  }
  void scan(View& x, View& out, const std::string& op, std::uintptr_t stream) {
    combine(&DeviceGroup::scan, x, out, op, stream);
  }
  void exscan(View& x, View& out, const std::string& op, std::uintptr_t stream) {
    combine(&DeviceGroup::exscan, x, out, op, stream);
  }
  void reduce(View& x, View& out, int root, const std::string& op, std::uintptr_t stream) {
    const bool gets = state_->object().rank() == root;
    const Operation operation = operation_of(op);
    const Named type = checked(x, operation, op);
    if (gets) check_result(out, x);
    state_->with([&](DeviceGroup& group) {
      group.reduce(x.array().data, gets ? out.array().data : nullptr, x.elements(), type, operation, root,
                   stream_of(stream));
    });
  }
  void reduce_scatter(View& x, View& out, std::vector<std::int64_t> counts, const std::string& op,
                      std::uintptr_t stream) {
    const Operation operation = operation_of(op);
    const Named type = checked(x, operation, op);
    const auto rank = static_cast<std::size_t>(state_->object().rank());
    check_counts(counts, x.elements(), "x");
    check_moved(out, x);
    if (rank < counts.size() && out.elements() != counts[rank]) {
      refuse("out", "has " + std::to_string(out.elements()) + " elements, must have " +
                        std::to_string(counts[rank]));
    }
    state_->with([&](DeviceGroup& group) {
      group.reduce_scatter(x.array().data, out.array().data, counts, type, operation, stream_of(stream));
    });
  }
  /// `counts` of elements, one for each rank.
  void allgather(View& x, View& out, std::vector<std::int64_t> counts, std::uintptr_t stream) {
    const auto rank = static_cast<std::size_t>(state_->object().rank());
    check_dense("x", x);
    check_moved(out, x);
    check_counts(counts, out.elements(), "out");
    if (rank < counts.size() && x.elements() != counts[rank]) {
      refuse("x",
             "has " + std::to_string(x.elements()) + " elements, must have " + std::to_string(counts[rank]));
    }
    for (std::int64_t& count : counts) count *= x.array().element.bytes();  // those of `out` fit
    state_->with([&](DeviceGroup& group) {
      group.allgatherv(x.array().data, out.array().data, counts, stream_of(stream));
    });
  }
  void alltoall(View& x, View& out, std::uintptr_t stream) {
    const std::int64_t ranks = state_->object().size();
    check_dense("x", x);
    check_result(out, x);
    if (x.elements() % ranks != 0) {
      refuse("x", "has " + std::to_string(x.elements()) + " elements, must have as many for each of " +
                      std::to_string(ranks) + " ranks");
    }
    state_->with([&](DeviceGroup& group) {
      group.alltoall(x.array().data, out.array().data, x.bytes() / ranks, stream_of(stream));
    });
  }
  void broadcast(View& x, int root, std::uintptr_t stream) {
    check_dense("x", x);
    if (state_->object().rank() != root) check_writable("x", x);
    state_->with(
        [&](DeviceGroup& group) { group.broadcast(x.array().data, x.bytes(), root, stream_of(stream)); });
  }

  /// `x` has passed check_registrable() in all ranks. It lives until it is deregistered.
  void register_memory(nb::object x) {
    const auto& view = nb::cast<const View&>(x);
    state_->with([&](DeviceGroup& group) { group.register_memory(view.array().data, view.bytes()); });
    state_->keep_too(std::move(x));
  }
  static void check_registrable(View& x) {
    check_dense("x", x);
    check_writable("x", x);
  }
  void deregister_memory(View& x) {
    const void* const begin = x.array().data;
    state_->with([&](DeviceGroup& group) { group.deregister_memory(x.array().data); });
    state_->keep_no_more(
        [&](const nb::object& one) { return nb::cast<const View&>(one).array().data == begin; });
  }

  bool done() {
    return state_->with([](DeviceGroup& group) { return group.done(); });
  }
  void wait() {
    state_->with([](DeviceGroup& group) { group.wait(); });
  }
  int rank() { return state_->object().rank(); }
  int size() { return state_->object().size(); }
  int device() { return state_->object().device(); }
  bool closed() const { return state_->closed(); }
  void close() { state_->close(); }

 private:
  using Combine = void (DeviceGroup::*)(const void*, void*, std::int64_t, Named, Operation, Stream);

  static Named checked(const View& x, Operation operation, const std::string& op) {
    check_dense("x", x);
    return numbers_of("x", x, operation, op);
  }
  /// That they are what `elements` of `argument` are divided into.
  static void check_counts(const std::vector<std::int64_t>& counts, std::int64_t elements,
                           const char* argument) {
    std::int64_t left = elements;
    for (const std::int64_t count : counts) {
      if (count < 0) refuse("counts", "has " + std::to_string(count) + ", must not be negative");
      left = count > left ? -1 : left - count;
      if (left < 0) break;
    }
    if (left != 0) {
      refuse("counts", "must add up to the " + std::to_string(elements) + " elements of " + argument);
    }
  }
  static void check_moved(const View& out, const View& x) {
    check_dense("out", out);
    check_writable("out", out);
    if (!out.array().element.matches(x.array().element)) refuse("out", "has elements of another type than x");
  }
  static void check_result(const View& out, const View& x) {
    check_dense("out", out);
    check_writable("out", out);
    check_elements("out", out, x);
  }
  void combine(Combine call, View& x, View& out, const std::string& op, std::uintptr_t stream) {
    const Operation operation = operation_of(op);
    const Named type = checked(x, operation, op);
    check_result(out, x);
    state_->with([&](DeviceGroup& group) {
      (group.*call)(x.array().data, out.array().data, x.elements(), type, operation, stream_of(stream));
    });
  }

  std::shared_ptr<Lives<DeviceGroup>> state_;
};

}  // namespace
}  // namespace TYPEWARP_PYTHON_MODULE

void bind_device_group(nb::module_& module, Ranks (*ranks_of)(nb::handle)) {
  using TYPEWARP_PYTHON_MODULE::GroupHandle, TYPEWARP_PYTHON_MODULE::GroupOptions;
  nb::class_<GroupOptions>(module, "DeviceGroupOptions")
      .def(nb::init<int, double>(), "device"_a, "time_limit"_a);
  nb::class_<GroupHandle>(module, "DeviceGroup")
      .def(
          "__init__",
          [ranks_of](GroupHandle* self, nb::handle ranks, const GroupOptions& options) {
            new (self) GroupHandle(ranks_of(ranks), options);
          },
          "ranks"_a.none(), "options"_a)
      .def("allreduce", &GroupHandle::allreduce, "x"_a, "out"_a, "op"_a, "stream"_a)
      .def("reduce", &GroupHandle::reduce, "x"_a, "out"_a, "root"_a, "op"_a, "stream"_a)
      .def("reduce_scatter", &GroupHandle::reduce_scatter, "x"_a, "out"_a, "counts"_a, "op"_a, "stream"_a)
      .def("scan", &GroupHandle::scan, "x"_a, "out"_a, "op"_a, "stream"_a)
      .def("exscan", &GroupHandle::exscan, "x"_a, "out"_a, "op"_a, "stream"_a)
      .def("allgather", &GroupHandle::allgather, "x"_a, "out"_a, "counts"_a, "stream"_a)
      .def("alltoall", &GroupHandle::alltoall, "x"_a, "out"_a, "stream"_a)
      .def("broadcast", &GroupHandle::broadcast, "x"_a, "root"_a, "stream"_a)
      .def("register_memory", &GroupHandle::register_memory, "x"_a)
      .def_static("check_registrable", &GroupHandle::check_registrable, "x"_a)
      .def("deregister_memory", &GroupHandle::deregister_memory, "x"_a)
      .def("done", &GroupHandle::done)
      .def("wait", &GroupHandle::wait)
      .def_prop_ro("rank", &GroupHandle::rank)
      .def_prop_ro("size", &GroupHandle::size)
      .def_prop_ro("device", &GroupHandle::device)
      .def_prop_ro("closed", &GroupHandle::closed)
      .def("close", &GroupHandle::close);
}

}  // namespace typewarp::python
