// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <typewarp/error.hpp>
#include <typewarp/halo_disagreement.hpp>

#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

/// The error's text, which begins with the C++ call and its argument, with Python's name of the argument
/// alone.
std::string text_of(const InvalidArgument& error) {
  const std::string text = error.what();
  std::string name = error.argument();
  const std::size_t place = text.find(": " + name + " = ");
  if (place == std::string::npos) return text;
  const std::string call = text.substr(0, place), rest = text.substr(place + name.size() + 5);
  if (name == "buffer" || (name == "in" && call.starts_with("typewarp::DeviceGroup"))) name = "x";
  if (call.starts_with("typewarp::DeviceGroup") && call.ends_with("register_memory")) name = "x";
  if (name == "packed" && (call == "typewarp::pack" || call == "typewarp::Persistent::pack_init"))
    name = "out";
  if (call == "typewarp::IndexedCopy::copy" && name.starts_with("from")) name.insert(4, "_");
  if (name.starts_with("pieces[")) name = "views" + name.substr(6, name.find(']') - 5);
  if (name.starts_with("options.")) name = name.substr(8);
  if (name.starts_with("sizes")) name = "dims" + name.substr(5);
  if (name == "data" || name.starts_with("data[")) name = "fields" + name.substr(4);
  return name + ": " + rest;
}

/// The same, of an argument that the MPI refused.
std::string text_of(const MpiError& error) {
  std::string text = error.what();
  for (const auto& [name, own] :
       {std::pair("destination", "dest"), std::pair("source", "source"), std::pair("tag", "tag"),
        std::pair("send_tag", "sendtag"), std::pair("recv_tag", "recvtag")}) {
    const std::string argument = std::string(": ") + name + " = ";
    const std::size_t place = text.find(argument);
    if (text.starts_with("typewarp::") && place != std::string::npos && place == text.find(": ")) {
      return std::string(own).append(text, place + argument.size() - 3);
    }
  }
  return text;
}

void add(nb::module_& core, const char* name, const char* doc, PyObject* base) {
  const std::string full = std::string("typewarp.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (made == nullptr) throw nb::python_error();
  core.attr(name) = nb::steal(made);
}

/// Raises a class of typewarp._core, with an attribute for each of these numbers.
void raise(nb::handle type, const char* text, std::initializer_list<std::pair<const char*, int>> numbers) {
  const nb::object error = type(text);
  for (const auto& [name, number] : numbers) error.attr(name) = number;
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& error, void* payload) {
  const nb::handle core(static_cast<PyObject*>(payload));
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument& invalid) {
    PyErr_SetString(PyExc_ValueError, text_of(invalid).c_str());
  } catch (const GpuError& gpu) {
    raise(core.attr("GpuError"), gpu.what(), {{"code", gpu.code()}});
  } catch (const MpiError& mpi) {
    raise(core.attr("MpiError"), text_of(mpi).c_str(),
          {{"code", mpi.code()}, {"error_class", mpi.error_class()}});
  } catch (const TimeLimitExceeded& late) {
    raise(core.attr("TimeLimitExceeded"), late.what(), {{"peer", late.peer()}});
  } catch (const halo::Disagreement& disagreement) {
    std::string text = disagreement.what();  // "rank 1: sizes[0] is not ..."
    if (const std::size_t place = text.find(": sizes"); place != std::string::npos)
      text.replace(place, 7, ": dims");
    PyErr_SetString(core.attr("Disagreement").ptr(), text.c_str());
  }
}

}  // namespace

void define_errors(nb::module_& core) {
  add(core, "GpuError",
      "A call of the GPU's runtime failed. The text holds the call and what the runtime says of it;\n"
      "`code` is the runtime's own number.",
      PyExc_RuntimeError);
  add(core, "MpiError",
      "A call of the MPI failed. The text holds the call and what the MPI says of it; `error_class` is one\n"
      "of mpi4py's, such as MPI.ERR_TRUNCATE, and `code` is the MPI's own number.",
      PyExc_RuntimeError);
  add(core, "TimeLimitExceeded",
      "A wait gave up; `peer` is the rank that it waited for. The memory of the message is never freed,\n"
      "since the peer may still read or write it.",
      PyExc_TimeoutError);
  add(core, "Disagreement",
      "The arguments of the processes do not fit together, or those of another one are wrong. A process\n"
      "whose own arguments are wrong raises ValueError or TypeError instead.",
      PyExc_ValueError);
}

void translate_errors(const nb::module_& core) { nb::register_exception_translator(&translate, core.ptr()); }

}  // namespace typewarp::python
