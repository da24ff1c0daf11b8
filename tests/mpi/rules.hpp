// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

/// Where MPIs deviate from MPI 5.0, section 5.1, in the bounds that they compute: by rule, so that whatever
/// deviates outside these rules fails a test. (That typewarp::mpi::decode takes over the MPI's bounds holds
/// everywhere.)
namespace typewarp::test {

/// A constructor somewhere in the tree has a part without data: count 0, block length 0, a child of size 0.
/// The standard defines no bounds for an empty type map.
bool has_empty_part(const Datatype& datatype);

/// A struct somewhere in the tree has a member whose bounds were set (resized, subarray, darray). By the
/// standard, set bounds then decide alone, without padding; MPICH takes the widest of all members, and pads.
bool has_struct_of_set_bounds(const Datatype& datatype);

/// A constructor somewhere in the tree places data off the strictest alignment of its basic types, so that
/// the standard pads the extent. MPICH pads structs only. Open MPI pads everything, but after each block that
/// it adds instead of once at the end, so that paddings add up.
bool has_data_off_alignment(const Datatype& datatype);

/// A darray somewhere in the tree. MPICH moves the right bytes of it, but reports other true bounds.
bool has_darray(const Datatype& datatype);

/// Why the MPI that this program is built for cannot be trusted with the type at all; null if it can.
const char* defect_of_this_mpi(const Datatype& datatype);

/// Whether MPI_Recv and MPI_Get_elements of this MPI can be trusted with a message that ends inside an item.
/// Open MPI counts a pair type by itself as one element. MPICH counts wrongly, aborts or divides by zero
/// for pair types, darrays, structs of different basic types, and where a part holds no data.
bool receives_short_messages(const Datatype& datatype);

}  // namespace typewarp::test
