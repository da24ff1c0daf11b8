// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo.hpp>

namespace typewarp::halo {

/// Where each of the fields is; in host memory, all of them, where there is no GPU.
std::vector<PointerInfo> memory_of(std::span<const Field> fields);
/// Whether that is one kind of memory, and of one device if it is a device's.
bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept;
/// The device that has fields; -1 if all are in host memory. Throws InvalidArgument that names
/// "fields[i].data" where several devices have memory of their own: an exchange is enqueued on one stream.
int device_of(std::span<const PointerInfo> memory);

}  // namespace typewarp::halo
