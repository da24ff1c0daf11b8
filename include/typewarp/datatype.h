// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// MPI's datatype algebra for C programs: datatype.hpp documents it. Quantities in bytes and in extents are as
// there. A datatype never changes. Any number of threads may use it at once. Objects may be freed in any
// order: what is made from a datatype keeps what it needs.

#include <typewarp/result.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A datatype (typewarp::Datatype), made by a constructor below or provided by the library.
typedef struct tw_datatype tw_datatype;

/// The named types: TW_x is MPI_x.
enum {
  TW_CHAR,
  TW_SIGNED_CHAR,
  TW_UNSIGNED_CHAR,
  TW_BYTE,
  TW_PACKED,
  TW_WCHAR,
  TW_SHORT,
  TW_UNSIGNED_SHORT,
  TW_INT,
  TW_UNSIGNED,
  TW_LONG,
  TW_UNSIGNED_LONG,
  TW_LONG_LONG,
  TW_UNSIGNED_LONG_LONG,
  TW_FLOAT,
  TW_DOUBLE,
  TW_LONG_DOUBLE,
  TW_C_BOOL,
  TW_INT8_T,
  TW_INT16_T,
  TW_INT32_T,
  TW_INT64_T,
  TW_UINT8_T,
  TW_UINT16_T,
  TW_UINT32_T,
  TW_UINT64_T,
  TW_C_FLOAT_COMPLEX,
  TW_C_DOUBLE_COMPLEX,
  TW_C_LONG_DOUBLE_COMPLEX,
  TW_CXX_BOOL,
  TW_CXX_FLOAT_COMPLEX,
  TW_CXX_DOUBLE_COMPLEX,
  TW_CXX_LONG_DOUBLE_COMPLEX,
  TW_AINT,
  TW_COUNT,
  TW_OFFSET,
  TW_CHARACTER,
  TW_LOGICAL,
  TW_INTEGER,
  TW_REAL,
  TW_DOUBLE_PRECISION,
  TW_COMPLEX,
  TW_DOUBLE_COMPLEX,
  TW_INTEGER1,
  TW_INTEGER2,
  TW_INTEGER4,
  TW_INTEGER8,
  TW_REAL4,
  TW_REAL8,
  TW_REAL16,
  TW_COMPLEX8,
  TW_COMPLEX16,
  TW_COMPLEX32,
  TW_LOGICAL1,
  TW_LOGICAL2,
  TW_LOGICAL4,
  TW_LOGICAL8,
  TW_LOGICAL16,
  TW_FLOAT_INT,
  TW_DOUBLE_INT,
  TW_LONG_INT,
  TW_2INT,
  TW_SHORT_INT,
  TW_LONG_DOUBLE_INT,
  TW_2REAL,
  TW_2DOUBLE_PRECISION,
  TW_2INTEGER,
};

/// Arguments of the subarray and darray constructors (typewarp::Order, typewarp::Distribution).
enum { TW_ORDER_C, TW_ORDER_FORTRAN };
enum { TW_DISTRIBUTE_NONE, TW_DISTRIBUTE_BLOCK, TW_DISTRIBUTE_CYCLIC };
enum { TW_DISTRIBUTE_DEFAULT_ARGUMENT = -1 };

/// A datatype of the library, which must not be freed. If `named` is not a named type, returns null and sets
/// the error, as a call that fails does.
const tw_datatype* tw_datatype_named(int named);
/// Does not affect what was made from it.
void tw_datatype_free(tw_datatype* datatype);

// Constructors. The caller frees `*datatype`, which keeps its children. Arrays have `count` or `dimensions`
// entries, are read and not kept, and may be null if they have none. Strides and displacements are in extents
// of `child`, or in bytes if the constructor is struct or begins with h. Sizes and starts are in elements.

tw_result tw_datatype_contiguous(int64_t count, const tw_datatype* child, tw_datatype** datatype);
tw_result tw_datatype_vector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                             tw_datatype** datatype);
tw_result tw_datatype_hvector(int64_t count, int64_t blocklength, int64_t stride, const tw_datatype* child,
                              tw_datatype** datatype);
tw_result tw_datatype_indexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                              const tw_datatype* child, tw_datatype** datatype);
tw_result tw_datatype_hindexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                               const tw_datatype* child, tw_datatype** datatype);
tw_result tw_datatype_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                    const tw_datatype* child, tw_datatype** datatype);
tw_result tw_datatype_hindexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                     const tw_datatype* child, tw_datatype** datatype);
tw_result tw_datatype_struct(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                             const tw_datatype* const* children, tw_datatype** datatype);
/// `order`, here and below: TW_ORDER_C or TW_ORDER_FORTRAN.
tw_result tw_datatype_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                               const int64_t* starts, int order, const tw_datatype* child,
                               tw_datatype** datatype);
/// `distributions`: TW_DISTRIBUTE_NONE, _BLOCK, _CYCLIC; `distribution_arguments`: a number of elements, or
/// TW_DISTRIBUTE_DEFAULT_ARGUMENT.
tw_result tw_datatype_darray(int64_t size, int64_t rank, int dimensions, const int64_t* global_sizes,
                             const int* distributions, const int64_t* distribution_arguments,
                             const int64_t* process_sizes, int order, const tw_datatype* child,
                             tw_datatype** datatype);
/// The same data with other bounds.
tw_result tw_datatype_resized(const tw_datatype* child, int64_t lb, int64_t extent, tw_datatype** datatype);
/// The same, as one more level of the tree.
tw_result tw_datatype_dup(const tw_datatype* child, tw_datatype** datatype);
/// An array of up to 8 dimensions, with elements of the named type `element`, `strides` elements apart
/// (typewarp::ArrayShape). Displacements are relative to the element whose indices are 0; the first dimension
/// varies slowest in the packed stream. `strides` null: without gaps.
tw_result tw_datatype_array(int dimensions, const int64_t* sizes, const int64_t* strides, int element,
                            tw_datatype** datatype);

// Queries, like the methods of typewarp::Datatype. Results whose pointers are null are left out.

/// Bytes of data, and basic elements.
tw_result tw_datatype_get_size(const tw_datatype* datatype, int64_t* size, int64_t* elements);
/// Lower bound, and bytes from one item to the next.
tw_result tw_datatype_get_extent(const tw_datatype* datatype, int64_t* lb, int64_t* extent);
/// The same for the bytes that hold data.
tw_result tw_datatype_get_true_extent(const tw_datatype* datatype, int64_t* true_lb, int64_t* true_extent);
/// Basic elements wholly in the first `bytes` bytes of the packed stream; -1 if these end inside one.
tw_result tw_datatype_elements_in(const tw_datatype* datatype, int64_t bytes, int64_t* elements);
/// Whether any number of items is one gapless ascending run of bytes that starts at lb.
tw_result tw_datatype_is_contiguous(const tw_datatype* datatype, int* contiguous);
/// Whether both have the same sequence of basic elements, at whatever displacements.
tw_result tw_datatype_same_signature(const tw_datatype* one, const tw_datatype* other, int* same);
/// The tree as text. Stores its beginning and a zero in `text`, at most `capacity` bytes, and the length of
/// the whole text without the zero in `length`. `text` may be null if `capacity` is 0, `length` may be null.
tw_result tw_datatype_to_string(const tw_datatype* datatype, char* text, int64_t capacity, int64_t* length);

#ifdef __cplusplus
}
#endif
