// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/mpi/halo_arguments.hpp"

#include <typewarp/mpi.hpp>

#include <string_view>
#include <utility>

namespace typewarp::capi {
namespace {

using halo::Packing, halo::Messages, halo::Diagonals, halo::Buffers;
static_assert(is(Packing::automatic, TW_HALO_AUTOMATIC) && is(Packing::manual, TW_HALO_MANUAL) &&
              is(Packing::datatype, TW_HALO_DATATYPE));
static_assert(is(Messages::automatic, TW_HALO_AUTOMATIC) && is(Messages::together, TW_HALO_TOGETHER) &&
              is(Messages::each, TW_HALO_EACH));
static_assert(is(Diagonals::direct, TW_HALO_DIRECT) && is(Diagonals::by_dimension, TW_HALO_BY_DIMENSION));
// Programs allocate them: if one grows, raise TYPEWARP_ABI_VERSION.
static_assert(sizeof(tw_halo_options) == 40 && sizeof(tw_halo_domain_options) == 24);
static_assert(is(Buffers::automatic, TW_HALO_AUTOMATIC) && is(Buffers::pinned, TW_HALO_PINNED) &&
              is(Buffers::device, TW_HALO_DEVICE));
static_assert(is(Operation::sum, TW_SUM) && is(Operation::maxloc, TW_MAXLOC));
static_assert(halo::max_dimensions == TW_HALO_MAX_DIMENSIONS);

Datatype element_of(const char* call, const std::string& argument, MPI_Datatype element) {
  if (element == MPI_DATATYPE_NULL) {
    throw InvalidArgument(call, argument, "MPI_DATATYPE_NULL", "must be a datatype");
  }
  try {
    return mpi::decode(element);
  } catch (const InvalidArgument& error) {
    throw renamed(error, call, argument);
  }
}

halo::Field field_of(const char* call, const std::string& name, const tw_halo_field& field) {
  const std::size_t dimensions = checked_dimensions(call, name + ".dimensions", field.dimensions);
  require(field.descriptors, call, name + ".descriptors");
  std::vector<halo::Descriptor> descriptors;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const tw_halo_descriptor& one = field.descriptors[d];
    descriptors.push_back({one.minus, one.plus, one.begin, one.end, one.total_length});
  }
  const halo::Storage storage =
      field.strides == nullptr ? halo::Storage()
                               : halo::Storage::byte_strided(list<std::int64_t>(field.strides, dimensions));
  Datatype element = element_of(call, name + ".element", field.element);
  try {
    return {field.data, std::move(element), std::move(descriptors), storage,
            list<int>(field.along, dimensions)};
  } catch (const InvalidArgument& error) {
    throw renamed(error, call, name + "." + error.argument());
  }
}

}  // namespace

std::size_t checked_dimensions(const char* call, const std::string& argument, int dimensions) {
  if (dimensions >= 1 && dimensions <= TW_HALO_MAX_DIMENSIONS) return static_cast<std::size_t>(dimensions);
  throw InvalidArgument(call, argument, dimensions, "must be from 1 to 8");
}

std::size_t checked_count(const char* call, int count) {
  if (count >= 1) return static_cast<std::size_t>(count);
  throw InvalidArgument(call, "count", count, "must be at least 1");
}

std::vector<bool> flags(const int* elements, std::size_t count) {
  std::vector<bool> made;
  for (std::size_t i = 0; elements != nullptr && i < count; ++i) made.push_back(elements[i] != 0);
  return made;
}

std::vector<int> dimensions_of(const int* staggered, std::size_t dimensions) {
  std::vector<int> made;
  for (std::size_t d = 0; staggered != nullptr && d < dimensions; ++d) {
    if (staggered[d] != 0) made.push_back(static_cast<int>(d));
  }
  return made;
}

Operation operation_of(const char* call, int operation) {
  return choice(call, "operation", operation, Operation::maxloc);
}

halo::Options options_of(const char* call, const tw_halo_options* options, std::size_t dimensions) {
  halo::Options made;
  if (options == nullptr) return made;
  made.packing = choice(call, "options.packing", options->packing, Packing::datatype);
  made.messages = choice(call, "options.messages", options->messages, Messages::each);
  made.diagonals = choice(call, "options.diagonals", options->diagonals, Diagonals::by_dimension);
  made.buffers = choice(call, "options.buffers", options->buffers, Buffers::device);
  made.poison = options->poison != 0;
  if (options->side_count < 0) {
    throw InvalidArgument(call, "options.side_count", options->side_count, "must not be negative");
  }
  if (options->side_count > 0) require(options->sides, call, "options.sides");
  for (int i = 0; i < options->side_count; ++i) {
    const int* const side = options->sides + static_cast<std::size_t>(i) * dimensions;
    made.sides.emplace_back(side, side + dimensions);
  }
  return made;
}

std::vector<halo::Field> fields_of(const char* call, int count, const tw_halo_field* fields) {
  std::vector<halo::Field> made;
  for (std::size_t i = 0; i < checked_count(call, count); ++i) {
    made.push_back(field_of(call, "fields[" + std::to_string(i) + "]", fields[i]));
  }
  return made;
}

std::vector<halo::Field> fields_of(const char* call, int count, void* const* data, MPI_Datatype element,
                                   const std::vector<halo::Descriptor>& descriptors) {
  const Datatype decoded = element_of(call, "element", element);
  std::vector<halo::Field> made;
  for (std::size_t i = 0; i < checked_count(call, count); ++i) {
    require(data[i], call, "data[" + std::to_string(i) + "]");
    made.emplace_back(data[i], decoded, descriptors);
  }
  return made;
}

std::string field_name(const std::string& argument) {
  return argument == "fields.size()" ? "count" : argument;
}

std::string array_name(const std::string& argument) {
  constexpr std::string_view before = "fields[";
  constexpr std::string_view after = "].data";
  if (!argument.starts_with(before)) return field_name(argument);
  if (argument.ends_with("].element")) return "element";
  if (!argument.ends_with(after)) return argument;
  return "data[" + argument.substr(before.size(), argument.size() - before.size() - after.size()) + "]";
}

}  // namespace typewarp::capi
