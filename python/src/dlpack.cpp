// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dlpack.hpp"

#include "array.hpp"
#include "array_class.hpp"

#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

constexpr std::uint32_t known_major = 1;

/// DLPack's numbers of devices. Those of HIP are what its own are with CUDA.
Place place_of(int type) {
  switch (type) {
    case 1:
      return Place::host;
    case 2:
    case 10:
      return Place::device;
    case 3:
    case 11:
      return Place::pinned;
    case 13:
      return Place::managed;
    default: {
      const std::string text = "x: lies on a device of another kind (DLPack's " + std::to_string(type) + ")";
      throw nb::value_error(text.c_str());
    }
  }
}

template <typename T>
std::shared_ptr<T> owned(T* tensor) {
  return {tensor, [](T* t) {
            if (t->deleter != nullptr) t->deleter(t);
          }};
}

Array array_of_tensor(const nb::dlpack::dltensor& tensor, std::uint64_t flags,
                      std::shared_ptr<const void> memory) {
  Array array;
  array.memory = std::move(memory);
  array.element = Element::of_dlpack(tensor.dtype, (flags & VersionedTensor::padded) != 0);
  array.place = place_of(tensor.device.device_type);
  array.device = array.place == Place::host ? -1 : tensor.device.device_id;
  array.data = static_cast<std::byte*>(tensor.data);
  if (tensor.data != nullptr) array.data += tensor.byte_offset;
  array.readonly = (flags & VersionedTensor::readonly) != 0;
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  array.dimensions.reserve(rank);
  for (std::size_t d = 0; d < rank; ++d) array.dimensions.push_back({tensor.shape[d], 0});
  if (tensor.strides == nullptr) {
    make_dense(array.dimensions, array.element.bytes());
    return array;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(tensor.strides[d], array.element.bytes(), &array.dimensions[d].stride)) {
      throw nb::value_error("x: its strides exceed 64 bits in bytes");
    }
  }
  return array;
}

Array array_by_exchange(nb::handle x, const ExchangeApi& api) {
  VersionedTensor* tensor = nullptr;
  if (api.tensor_of(x.ptr(), &tensor) != 0) throw nb::python_error();
  auto memory = owned(tensor);
  Array array = array_of_tensor(tensor->tensor, tensor->flags, memory);
  array.exchange = &api;
  return array;
}

/// JAX computes on streams that it does not tell, so its arrays are waited for; and they must not be written.
bool wait_for_jax(nb::handle x) {
  const nb::object wait = nb::getattr(x, "block_until_ready", nb::none());
  if (wait.is_none()) return false;
  wait();
  return true;
}

/// Asks for a tensor without synchronisation, of version 1 if the object knows it.
nb::object capsule_of(nb::handle x, const nb::object& method, bool jax) {
  // A stream is asked for on the GPU only: elsewhere objects refuse it. -1 means that nothing waits.
  const nb::object device = nb::getattr(x, "__dlpack_device__", nb::none());
  const bool on_host = device.is_none() || place_of(nb::cast<int>(device()[0])) == Place::host;
  nb::dict options;
  if (!on_host && !jax) options["stream"] = -1;
  options["max_version"] = nb::make_tuple(known_major, 0);
  try {
    return method(**options);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  nb::del(options["max_version"]);  // not known before version 1
  return method(**options);
}

/// PyTorch conjugates and negates later, when it reads the memory; not all of its ways to DLPack say so, nor
/// that gradients would be lost.
void check_resolved(nb::handle x) {
  if (nb::getattr(x, "requires_grad", nb::none()).ptr() == Py_True) {
    throw nb::value_error("x: requires a gradient; call detach()");
  }
  for (const char* name : {"is_conj", "is_neg"}) {
    const nb::object method = nb::getattr(x, name, nb::none());
    if (!method.is_none() && nb::cast<bool>(method())) {
      throw nb::value_error(
          "x: is conjugated or negated only when it is read; call resolve_conj() or resolve_neg()");
    }
  }
}

}  // namespace

std::optional<Array> array_of_dlpack(nb::handle x) {
  const ArrayClass type = array_class_of(x);
  if (type.may_be_lazy) check_resolved(x);
  if (type.exchange != nullptr) return array_by_exchange(x, *type.exchange);
  const nb::object method = nb::getattr(x, "__dlpack__", nb::none());
  if (method.is_none()) return std::nullopt;
  const bool jax = type.may_be_awaited && wait_for_jax(x);
  const std::uint64_t of_jax = jax ? VersionedTensor::readonly : 0;
  const nb::object capsule = capsule_of(x, method, jax);
  PyObject* const p = capsule.ptr();
  if (PyCapsule_IsValid(p, "dltensor_versioned")) {
    auto* tensor = static_cast<VersionedTensor*>(PyCapsule_GetPointer(p, "dltensor_versioned"));
    if (tensor->version.major != known_major)
      throw nb::value_error("x: speaks a version of DLPack that is not known");
    PyCapsule_SetName(p, "used_dltensor_versioned");
    return array_of_tensor(tensor->tensor, tensor->flags | of_jax, owned(tensor));
  }
  if (!PyCapsule_IsValid(p, "dltensor"))
    throw nb::value_error("x: its __dlpack__() gave no new DLPack capsule");
  auto* tensor = static_cast<ManagedTensor*>(PyCapsule_GetPointer(p, "dltensor"));
  PyCapsule_SetName(p, "used_dltensor");
  return array_of_tensor(tensor->tensor, of_jax, owned(tensor));
}

}  // namespace typewarp::python
