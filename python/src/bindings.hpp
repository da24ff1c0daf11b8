// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/ranks.hpp>

#include <nanobind/nanobind.h>

// The parts of the module typewarp._core. They check arguments and take streams as handles; the Python
// modules around it find streams and make arrays.
namespace typewarp::python {

/// The slots of a class that Python's garbage collector looks into, by its members traverse() and clear().
template <typename T>
inline PyType_Slot collected[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(+[](PyObject* self, visitproc visit, void* arg) -> int {
       Py_VISIT(Py_TYPE(self));
       return nanobind::inst_ready(self) ? nanobind::inst_ptr<T>(self)->traverse(visit, arg) : 0;
     })},
    {Py_tp_clear, reinterpret_cast<void*>(+[](PyObject* self) -> int {
       if (nanobind::inst_ready(self)) nanobind::inst_ptr<T>(self)->clear();
       return 0;
     })},
    {0, nullptr}};

void bind_view(nanobind::module_& module);
void bind_layout(nanobind::module_& module);
void bind_engine(nanobind::module_& module);
void bind_persistent(nanobind::module_& module);
void bind_batch(nanobind::module_& module);
void bind_indexed_copy(nanobind::module_& module);
void bind_shared_memory(nanobind::module_& module);
/// `ranks_of` makes the ranks of what Python calls them, of which it throws nanobind::type_error.
void bind_exchange(nanobind::module_& module, Ranks (*ranks_of)(nanobind::handle));
void bind_device_group(nanobind::module_& module, Ranks (*ranks_of)(nanobind::handle));
/// Of typewarp.Ranks: what gathers by a function of Python.
Ranks gathering_ranks(nanobind::handle ranks);

}  // namespace typewarp::python
