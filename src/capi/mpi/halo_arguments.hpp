// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "capi/arguments.hpp"

#include <typewarp/halo.h>
#include <typewarp/halo.hpp>

#include <string>
#include <vector>

/// Conversions from the types of C to those of C++. Errors use the names of C.
namespace typewarp::capi {

std::size_t checked_dimensions(const char* call, const std::string& argument, int dimensions);
std::size_t checked_count(const char* call, int count);

std::vector<bool> flags(const int* elements, std::size_t count);
/// The dimensions whose flag is set.
std::vector<int> dimensions_of(const int* staggered, std::size_t dimensions);

Operation operation_of(const char* call, int operation);
halo::Options options_of(const char* call, const tw_halo_options* options, std::size_t dimensions);
std::vector<halo::Field> fields_of(const char* call, int count, const tw_halo_field* fields);
/// Fields of one element type, in C order.
std::vector<halo::Field> fields_of(const char* call, int count, void* const* data, MPI_Datatype element,
                                   const std::vector<halo::Descriptor>& descriptors);
/// What an exchange of such fields calls "fields[i].data".
std::string array_name(const std::string& argument);
/// The same for a call that takes an array of fields and its length.
std::string field_name(const std::string& argument);

}  // namespace typewarp::capi
