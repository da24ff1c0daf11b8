// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <mpi.h>

/// The datatypes that each call is tried with. One of `kind` in [0, types) for a message of about `bytes`
/// packed bytes: exactly so many where its elements are single bytes, else at most.
struct shape {
  MPI_Datatype type;     ///< committed; the caller frees it, unless it is its element
  MPI_Datatype element;  ///< all elements are of this type; MPI_DATATYPE_NULL if they differ
  int elements;          ///< in one item of the type
  int count;             ///< items that make the message
  int absolute;          ///< the type holds addresses, for MPI_BOTTOM
};

enum { types = 16 };
extern const char* const type_names[types];

/// `where` is where the bytes of an absolute type begin; others do not care.
struct shape shape_of(int kind, int bytes, const void* where);
