// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>

#include <mpi.h>

#include <cstdint>
#include <optional>

/// The info keys that begin with typewarp_. MPIs forget keys that they do not know, so infos are read as the
/// program hands them over.
namespace typewarp::interpose {

/// What an info says.
struct InfoKeys {
  Hints hints;  ///< those before, with what it says in their place
  std::optional<Stream> stream;
  bool any = false;  ///< whether it says anything to us
};

/// Which of our keys an object has.
enum class KeySet : std::uint8_t {
  hints,
  hints_and_stream,  ///< and typewarp_stream
};

/// Reads an info that was given to `call`, for an object that has the hints `before`. Nothing of
/// MPI_INFO_NULL. Throws InvalidArgument for a key that begins like ours and is none, by the argument "info
/// key", and for a value that its key does not take, by the key; MpiError.
InfoKeys keys_in(MPI_Info info, const Hints& before, KeySet known, const char* call);

/// Makes an info say what is in use, and nothing else, by our keys. Throws MpiError.
void tell_in(MPI_Info info, const Hints& hints, std::optional<Stream> stream);

}  // namespace typewarp::interpose
